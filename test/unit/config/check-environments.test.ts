/** Validation of a file with environments by `validate`. */
import { describe, expect, it } from 'vitest';
import { checkConfig } from '../../../src/config/check-environments.ts';
import { exitCodeOfProblems } from '../../../src/core/problem.ts';
import { inputOf, linesOf, type LoadOptions } from './load-text.ts';

function fileWith(...environments: string[]): string {
  return `version: 1
project: shop
apps: { shop: shop.example.com }
tests:
  home: { test_type: cycling, duration: 1m, urls: ['http://shop.example.com/'] }
  cart: { test_type: cycling, duration: 1m, urls: ['http://shop.example.com/cart'], needs: [home] }
${environments.length === 0 ? '' : `environments:\n${environments.map((line) => `  ${line}\n`).join('')}`}`;
}

function check(text: string, options: LoadOptions = {}) {
  const result = checkConfig(inputOf(text, options));
  const problems = result.ok ? result.warnings : result.problems;
  return {
    lines: linesOf(problems),
    exit: exitCodeOfProblems(problems),
    environments: result.ok ? result.value.environments : null,
  };
}

describe('validation without a selected environment', () => {
  it('validation covers each declared environment, and ignores keys that begin with x-', () => {
    const text = fileWith('ci: { tests: { home: { total: 5 } } }', 'staging: {}', 'x-more: 1');
    expect(check(text)).toEqual({ lines: [], exit: 0, environments: ['ci', 'staging'] });
    expect(check(fileWith())).toEqual({ lines: [], exit: 0, environments: [] });
  });

  it.each([
    ['an invalid value', '{ tests: { home: { total: 0 } } }', '8:33+1', '"0" is too small'],
    [
      'a misspelled key of a test',
      '{ tests: { homes: { total: 5 } } }',
      '8:18+5',
      'the test "homes" has no "urls"; did you mean "home"?',
    ],
    ['a removed test that another test needs', '{ tests: { home: null } }', '6:93+4', '"cart" needs "home"'],
    [
      'a removed field that does not exist',
      '{ tests: { home: { totl: null } } }',
      '8:26+4',
      'unknown key "totl"',
    ],
    ['a list in place of a number', '{ tests: { home: { total: [] } } }', '8:26+5', '"total"'],
    [
      'a host without an app',
      '{ apps: { shop: other.org } }',
      '5:52',
      'no app is declared for "shop.example.com" (declared: other.org)',
    ],
    [
      'a reference to a file that does not exist',
      '{ project-x: 1, vars: { v: "${file:no}" } }',
      '',
      '"${file:no}"',
    ],
    [
      'a secret in a field that does not allow it',
      '{ tests: { home: { name: "${secret:S}" } } }',
      '',
      'is not allowed in this field',
    ],
  ])('the message names the environment that contains %s', (_, overlay, location, message) => {
    const { lines, exit } = check(fileWith(`ci: ${overlay}`, 'staging: {}'));
    expect(exit).toBe(3);
    const line = lines.find((one) => one.includes(message)) ?? '';
    expect(line).toContain('in the environment "ci": ');
    expect(line).toContain(location);
    expect(new Set(lines).size).toBe(lines.length);
  });

  it('a problem in several environments is reported once, with the names of at most five of these environments', () => {
    const two = ['a: { tests: { home: ~ } }', 'b: { tests: { home: ~ } }'];
    expect(check(fileWith(...two, 'c: {}')).lines).toEqual([
      expect.stringContaining('in the environments "a" and "b": "cart" needs "home"'),
    ]);
    const seven = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `${name}: { tests: { home: ~ } }`);
    expect(check(fileWith(...seven)).lines).toEqual([
      expect.stringContaining('in the environments "a", "b", "c", "d", "e" and 2 more: "cart" needs'),
    ]);
  });

  it('a problem outside of the environments is reported once, and the message names no environment', () => {
    const text = fileWith('ci: {}', 'staging: {}').replace('needs: [home]', 'needs: [hom], total: x');
    expect(check(text).lines).toEqual([
      expect.stringMatching(/ "cart" needs "hom"|: "cart" needs "hom"/),
      expect.stringContaining('"x" is not a number'),
    ]);
    expect(check(text).lines.join()).not.toContain('in the environment');
  });

  it('a file is invalid even if an environment corrects its problem', () => {
    const text = fileWith('ci: { tests: { cart: { needs: [home] } } }').replace('[home] }', '[hom] }');
    expect(check(text)).toMatchObject({ exit: 3, lines: [expect.stringContaining('"cart" needs "hom"')] });
  });

  it('in a file with three environments, each problem is reported once', () => {
    const { lines } = check(
      fileWith('ci: {}', 'staging: { project: other }', 'third: 5').replace('1m', '1m, total: .inf'),
    );
    expect(lines).toEqual([
      expect.stringContaining('".inf" is not a valid number'),
      expect.stringContaining('in the environment "staging": unknown key "project"'),
      expect.stringContaining('"third" is a number'),
    ]);
  });
});

describe('unset environment variables', () => {
  const text = fileWith(
    'ci: {}',
    'staging: { apps: { shop: "${env:HOST}" }, tests: { home: { total: 0 } } }',
  );

  it('in an environment that is not selected, an unset variable causes a warning and hides no other problem', () => {
    const { lines, exit } = check(text);
    expect(exit).toBe(3);
    expect(lines).toEqual([
      expect.stringContaining(
        'warning LT_CONFIG_REFERENCE: in the environment "staging": "${env:HOST}": the environment variable HOST is not set',
      ),
      expect.stringContaining('error LT_CONFIG_SHAPE: in the environment "staging": "0" is too small'),
    ]);
    const { exit: without, environments } = check(text.replace('total: 0', 'total: 1'));
    expect([without, environments]).toEqual([0, ['ci', 'staging']]);
  });

  it('an unset variable in the selected environment causes an error, and other environments are not checked', () => {
    const valid = text.replace('total: 0', 'total: 1');
    expect(check(valid, { environment: 'staging' })).toMatchObject({
      exit: 3,
      lines: [expect.stringContaining('error LT_CONFIG_REFERENCE: "${env:HOST}": the environment variable')],
    });
    expect(check(valid, { environment: 'ci' })).toEqual({ lines: [], exit: 0, environments: ['ci'] });
  });

  it('an unset variable outside of the environments causes one error', () => {
    const { lines, exit } = check(fileWith('ci: {}').replace('needs: [home]', 'name: "${env:NAME}"'));
    expect(exit).toBe(3);
    expect(lines).toEqual([expect.stringMatching(/error LT_CONFIG_REFERENCE: "\$\{env:NAME\}"/)]);
  });

  it('the value of an environment variable is checked in the environment that uses the variable', () => {
    const { lines } = check(text.replace('total: 0', 'total: 1'), { env: { HOST: 'other.org' } });
    expect(lines.join()).toContain('in the environment "staging": no app is declared for "shop.example.com"');
  });
});

describe('unused --var', () => {
  it('a --var is reported as unused only if no environment uses it', () => {
    const text = fileWith('ci: { tests: { home: { name: "${who}" } } }', 'staging: { vars: { wh: a } }');
    expect(check(text, { vars: { who: 'me' } }).lines).toEqual([]);
    expect(check(text, { vars: { who: 'me', what: 'it' } }).lines).toEqual([
      expect.stringContaining('--var "what" is not used'),
    ]);
  });
});

it('for a large file with three environments, a warning states that only 1 of 3 environments was checked', () => {
  const urls = Array.from({ length: 100 }, () => '*u').join(', ');
  const headers = Array.from({ length: 11_000 }, (_, index) => `h${index}: a`).join(', ');
  const text = fileWith('big: { defaults: { url: { headers: *h } } }', 'next: {}', 'last: {}')
    .replace('tests:', `x-u: &u 'http://shop.example.com/'\nx-h: &h { ${headers} }\ntests:`)
    .replace(/urls: .*? \}/, `urls: [${urls}] }`);
  const { lines, exit } = check(text);
  expect(exit).toBe(3);
  expect(lines).toEqual([
    expect.stringContaining(
      'warning LT_CONFIG_ENVIRONMENT: only 1 of 3 environments were checked because the file is large; check the others by name, for example with --env "next"',
    ),
    expect.stringContaining(
      'in the environment "big": "defaults" expand the file to more than 16 MiB or 1,000,000 values',
    ),
  ]);
});

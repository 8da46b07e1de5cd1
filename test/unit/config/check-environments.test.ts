/** What `validate` says of a file with environments. */
import { describe, expect, it } from 'vitest';
import { checkConfig } from '../../../src/config/check-environments.ts';
import { exitCodeOfProblems } from '../../../src/core/problem.ts';
import { inputOf, linesOf, type Surroundings } from './load-text.ts';

function fileWith(...environments: string[]): string {
  return `version: 1
project: shop
apps: { shop: shop.example.com }
tests:
  home: { test_type: cycling, duration: 1m, urls: ['http://shop.example.com/'] }
  cart: { test_type: cycling, duration: 1m, urls: ['http://shop.example.com/cart'], needs: [home] }
${environments.length === 0 ? '' : `environments:\n${environments.map((line) => `  ${line}\n`).join('')}`}`;
}

function check(text: string, around: Surroundings = {}) {
  const result = checkConfig(inputOf(text, around));
  const problems = result.ok ? result.warnings : result.problems;
  return {
    lines: linesOf(problems),
    exit: exitCodeOfProblems(problems),
    environments: result.ok ? result.value.environments : null,
  };
}

describe('a file that is checked without an environment', () => {
  it('is checked in each of its environments as well', () => {
    const text = fileWith('ci: { tests: { home: { total: 5 } } }', 'staging: {}', 'x-more: 1');
    expect(check(text)).toEqual({ lines: [], exit: 0, environments: ['ci', 'staging'] });
    expect(check(fileWith())).toEqual({ lines: [], exit: 0, environments: [] });
  });

  it.each([
    ['a value', '{ tests: { home: { total: 0 } } }', '8:33+1', '"0" is too small'],
    ['a test that others need, taken away', '{ tests: { home: null } }', '6:93+4', '"cart" needs "home"'],
    ['nothing to take away', '{ tests: { home: { totl: null } } }', '8:26+4', 'unknown key "totl"'],
    ['a wrong shape', '{ tests: { home: { total: [] } } }', '8:26+5', '"total"'],
    [
      'a host without an app',
      '{ apps: { shop: other.org } }',
      '5:52',
      'no app is declared for "shop.example.com" (declared: other.org)',
    ],
    ['a file that is not there', '{ project-x: 1, vars: { v: "${file:no}" } }', '', '"${file:no}"'],
    [
      'a secret in the wrong place',
      '{ tests: { home: { name: "${secret:S}" } } }',
      '',
      'is not allowed here',
    ],
  ])('names the environment that has the problem: %s', (_, overlay, place, message) => {
    const { lines, exit } = check(fileWith(`ci: ${overlay}`, 'staging: {}'));
    expect(exit).toBe(3);
    const line = lines.find((one) => one.includes(message)) ?? '';
    expect(line).toContain('in the environment "ci": ');
    expect(line).toContain(place);
    expect(new Set(lines).size).toBe(lines.length);
  });

  it('tells a problem of several environments once, with the names of all', () => {
    const two = ['a: { tests: { home: ~ } }', 'b: { tests: { home: ~ } }'];
    expect(check(fileWith(...two, 'c: {}')).lines).toEqual([
      expect.stringContaining('in the environments "a" and "b": "cart" needs "home"'),
    ]);
    const seven = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `${name}: { tests: { home: ~ } }`);
    expect(check(fileWith(...seven)).lines).toEqual([
      expect.stringContaining('in the environments "a", "b", "c", "d", "e" and 2 more: "cart" needs'),
    ]);
  });

  it('tells a problem of the file itself once, and without a name', () => {
    const text = fileWith('ci: {}', 'staging: {}').replace('needs: [home]', 'needs: [hom], total: x');
    expect(check(text).lines).toEqual([
      expect.stringMatching(/ "cart" needs "hom"|: "cart" needs "hom"/),
      expect.stringContaining('"x" is not a number'),
    ]);
    expect(check(text).lines.join()).not.toContain('in the environment');
  });

  it('says nothing of what an environment has mended, and is wrong all the same', () => {
    const text = fileWith('ci: { tests: { cart: { needs: [home] } } }').replace('[home] }', '[hom] }');
    expect(check(text)).toMatchObject({ exit: 3, lines: [expect.stringContaining('"cart" needs "hom"')] });
  });

  it('tells each problem of the text itself once', () => {
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

describe('a variable of the process that is not set', () => {
  const text = fileWith(
    'ci: {}',
    'staging: { apps: { shop: "${env:HOST}" }, tests: { home: { total: 0 } } }',
  );

  it('is a warning in an environment that nobody chose, and hides nothing else there', () => {
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

  it('is an error in the one that was chosen, which is then checked alone', () => {
    const sound = text.replace('total: 0', 'total: 1');
    expect(check(sound, { environment: 'staging' })).toMatchObject({
      exit: 3,
      lines: [expect.stringContaining('error LT_CONFIG_REFERENCE: "${env:HOST}": the environment variable')],
    });
    expect(check(sound, { environment: 'ci' })).toEqual({ lines: [], exit: 0, environments: ['ci'] });
  });

  it('is an error in the file itself, told once', () => {
    const { lines, exit } = check(fileWith('ci: {}').replace('needs: [home]', 'name: "${env:NAME}"'));
    expect(exit).toBe(3);
    expect(lines).toEqual([expect.stringMatching(/error LT_CONFIG_REFERENCE: "\$\{env:NAME\}"/)]);
  });

  it('is judged where it is set', () => {
    const { lines } = check(text.replace('total: 0', 'total: 1'), { env: { HOST: 'other.org' } });
    expect(lines.join()).toContain('in the environment "staging": no app is declared for "shop.example.com"');
  });
});

describe('--var', () => {
  it('is unused only where no environment uses it', () => {
    const text = fileWith('ci: { tests: { home: { name: "${who}" } } }', 'staging: { vars: { wh: a } }');
    expect(check(text, { vars: { who: 'me' } }).lines).toEqual([]);
    expect(check(text, { vars: { who: 'me', what: 'it' } }).lines).toEqual([
      expect.stringContaining('--var "what" is not used'),
    ]);
  });
});

it('is checked in as many environments as can be judged at once, and says so', () => {
  const urls = Array.from({ length: 100 }, () => '*u').join(', ');
  const headers = Array.from({ length: 11_000 }, (_, index) => `h${index}: a`).join(', ');
  const text = fileWith('big: { defaults: { url: { headers: *h } } }', 'next: {}', 'last: {}')
    .replace('tests:', `x-u: &u 'http://shop.example.com/'\nx-h: &h { ${headers} }\ntests:`)
    .replace(/urls: .*? \}/, `urls: [${urls}] }`);
  const { lines, exit } = check(text);
  expect(exit).toBe(3);
  expect(lines).toEqual([
    expect.stringContaining(
      'warning LT_CONFIG_ENVIRONMENT: no more than 1 of 3 environments are checked at once in a file of this size; check others by name, such as --env "next"',
    ),
    expect.stringContaining('in the environment "big": the file exceeds 16 MiB or 1,000,000 values once'),
  ]);
});

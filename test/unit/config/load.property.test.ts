/** Property tests of configurations with random texts and values. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { arbitraryString } from '../../support/arbitrary-string.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { DIRECTORY, HEAD, expectValidResult, fileWithTest, loadText, loaded } from './load-text.ts';

/** Fragments of configurations, combined at random. */
const words = fc.constantFrom(
  'version: 1\n',
  'project: shop\n',
  'tests:\n',
  '  home:\n',
  '    urls: [',
  'http://shop.example.com/',
  ']',
  '- ',
  '  ',
  '\t',
  '{',
  '}',
  '"',
  "'",
  ': ',
  '&a ',
  '*a',
  '!!str ',
  '|\n',
  '>-\n',
  '# ',
  '---\n',
  '...\n',
  '? ',
  '${a}',
  '${secret:X}',
  '$${',
  '${',
  '<<: ',
  '__proto__',
  'vars: ',
  'apps: {shop: shop.example.com}\n',
  'environments: ',
  '\n',
  '\r\n',
  '\u0085',
  '\u2028',
  '0x',
  '-1',
  'null',
  '~',
  '%YAML 1.2\n',
  '\ufeff',
);

const keys = fc.constantFrom(
  'version',
  'project',
  'service',
  'web_server',
  'vars',
  'environments',
  'defaults',
  'apps',
  'tests',
  'moved',
  'limits',
  'url',
  'urls',
  'headers',
  'credentials',
  'thresholds',
  'needs',
  'total',
  'duration',
  'home',
  'x-a',
  '__proto__x',
  'raw_post_body',
  'hosts',
  'base_url',
  'variables',
  'scheduled_at',
  'verification',
  '/',
  '~',
);

/** Random values with the structure of a file but arbitrary types. */
const shapes = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<unknown>(
      1,
      0,
      -1,
      1.5,
      1e300,
      true,
      null,
      '',
      'shop',
      '1m',
      'http://shop.example.com/',
      '${a}',
      '${env:A:-b}',
      'cycling',
      'POST',
      '< 1%',
      '{{a}}',
      'a:b',
      '\u0000',
      '2026-01-01 1:1:1',
      '${secret:S}',
    ),
    fc.string({ maxLength: 8 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 5 }),
  ),
}));

function checkResult(text: string): void {
  expectValidResult(text, { vars: { a: 'b' } });
}

describe('random texts', () => {
  it('a file of random characters is loaded, or is rejected with a message and a location for each problem', () => {
    fc.assert(fc.property(arbitraryString({ maxLength: 200 }), checkResult), { numRuns: scaleCount(1000) });
  });

  it('a file of random YAML fragments is loaded, or is rejected with a message and a location for each problem', () => {
    fc.assert(
      fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
        checkResult(parts.join(''));
      }),
      { numRuns: scaleCount(1000) },
    );
  });

  it('a file with random values of random keys is loaded, or is rejected with a message and a location for each problem', () => {
    fc.assert(
      fc.property(fc.dictionary(keys, shapes.value, { maxKeys: 8 }), (value) => {
        checkResult(stringify({ version: 1, project: 'shop', ...value }));
        checkResult(JSON.stringify({ version: 1, project: 'shop', ...value }));
      }),
      { numRuns: scaleCount(1000) },
    );
  });

  it('a file with a test that has random fields is loaded, or is rejected with a message and a location for each problem', () => {
    fc.assert(
      fc.property(fc.dictionary(keys, shapes.value), fc.dictionary(keys, shapes.value), (test, url) => {
        const home = {
          test_type: 'cycling',
          duration: 1,
          ...test,
          urls: [{ url: 'http://shop.example.com/', ...url }],
        };
        checkResult(
          JSON.stringify({
            version: 1,
            project: 'shop',
            apps: { shop: 'shop.example.com' },
            vars: { v: 1 },
            tests: { home },
          }),
        );
      }),
      { numRuns: scaleCount(1000) },
    );
  });
});

describe('interpolated values', () => {
  const secret = fc
    .array(fc.constantFrom('a', 'Z', '0', ':', '@', '/', '{', '}', '$', '"', "'", '\r', '\n', '\0', ' '), {
      minLength: 5,
      maxLength: 20,
    })
    .map((parts) => `Qzx${parts.join('')}`);
  const text = fc
    .string({ unit: 'grapheme', maxLength: 60 })
    .filter((value) => !/[^\P{Cc}\n]|\[loadtests /u.test(value));

  it('an interpolated value is inserted unchanged and does not affect other fields', () => {
    fc.assert(
      fc.property(text, text, text, (fromEnv, fromFile, fromFlag) => {
        const source = fileWithTest("notes: '<${env:E}|${file:f}|${v}>'\ntotal: 5");
        const options = {
          env: { E: fromEnv },
          files: { [`${DIRECTORY}/f`]: fromFile },
          vars: { v: fromFlag },
        };
        const { desired } = loaded(source, options);
        const plain = loaded(fileWithTest("notes: 'x'\ntotal: 5")).desired;
        const notes = `<${fromEnv}|${fromFile}|${fromFlag}>`;
        expect(desired.tests[0]?.spec.notes).toBe(notes);
        expect(desired.tests.map(({ spec }) => ({ ...spec, notes: 'x' }))).toEqual(
          plain.tests.map(({ spec }) => spec),
        );
      }),
    );
  });

  it('the result of loading a file does not contain the value of a secret', () => {
    fc.assert(
      fc.property(secret, fc.constantFrom('login', 'password'), (value, field) => {
        const other = field === 'login' ? 'password' : 'login';
        const url = `{ url: 'http://shop.example.com/', headers: { x-a: '\${secret:S}' }, credentials: { ${field}: '\${secret:S}', ${other}: a } }`;
        const result = loadText(
          `${HEAD}\ntests: { home: { test_type: cycling, duration: 1, urls: [${url}] } }`,
          { env: { S: value } },
        );
        expect(JSON.stringify(result)).not.toContain(JSON.stringify(value).slice(1, -1));
      }),
    );
  });
});

/** Keys of other load testing tools: every equivalent that an error shows is valid in the file. */
import { describe, expect, it, test } from 'vitest';
import { parse, stringify } from 'yaml';
import {
  EQUIVALENTS,
  levelOf,
  type Equivalent,
  type Level,
} from '../../../src/schema/words-of-other-tools.ts';
import { linesOf, problemsOf } from '../config/load-text.ts';

type Fields = Readonly<Record<string, unknown>>;

const URL = 'https://www.example.com/';
const LOAD = { test_type: 'cycling', total: 5, duration: '1m' };

/** Returns a file with the fields in a map of a kind. The fields replace what they cannot be combined with. */
function fileWith(level: Level, fields: Fields): string {
  const request = (url: Fields) => ({ url: URL, ...url });
  const load = 'stages' in fields ? {} : LOAD;
  const inUrl = (url: Fields) => testWith({ ...LOAD, values: { role: 'x' }, urls: [request(url)] });
  const testWith = (one: Fields) => ({ tests: { browse: { ...LOAD, urls: [URL] }, home: one } });
  const content: Readonly<Record<Level, Fields>> = {
    file: { ...testWith({ ...LOAD, urls: [URL] }), ...fields },
    limits: { ...testWith({ ...LOAD, urls: [URL] }), limits: fields },
    app: { ...testWith({ ...LOAD, urls: [URL] }), apps: { shop: fields } },
    // Flows contain the requests.
    test: testWith({ ...load, ...('flows' in fields ? {} : { urls: [URL] }), ...fields }),
    list: testWith({ ...LOAD, flows: { all: { urls: [URL], ...fields } } }),
    thresholds: testWith({ ...LOAD, urls: [URL], thresholds: fields }),
    threshold: testWith({
      ...LOAD,
      urls: [URL],
      thresholds: { p95: { ...('limit' in fields ? {} : { limit: '< 1s' }), ...fields } },
    }),
    stage: testWith({ test_type: 'cycling', urls: [URL], stages: [fields] }),
    url: inUrl(fields),
    credentials: inUrl({ credentials: { login: 'ada', password: 'pw', ...fields } }),
    expect: inUrl({ expect: fields }),
    variable: inUrl({ variables: [{ name: 'a', property: 'b', ...fields }] }),
  };
  return stringify({
    version: 1,
    project: 'shop',
    apps: { shop: 'www.example.com' },
    ...content[level],
  });
}

const options = {
  env: { PASSWORD: 'hidden' },
  files: {
    '/shop/rows.csv': 'sku\n1\n2\n',
    '/shop/fixtures/a.pdf': 'PDF',
    '/shop/fixtures/order.xml': '<order/>',
  },
};

const rows = EQUIVALENTS.flatMap((row) =>
  row.at.map((level): [string, Level, Equivalent] => [row.words, level, row]),
);

describe('the equivalents of keys of other tools', () => {
  test.each(rows)(
    'the YAML that errors show for the keys $0 in a map of the kind $1 has at most three lines and passes validation',
    (_, level, row) => {
      expect(row.yaml.length).toBeLessThanOrEqual(3);
      const fields = parse(row.yaml.join('\n')) as Fields;
      expect(linesOf(problemsOf(fileWith(row.of ?? level, fields), options))).toEqual([]);
    },
  );

  test.each(rows)(
    'the error about each of the keys $0 in a map of the kind $1 contains the documented example',
    (words, level, row) => {
      const all = words.split(' ');
      const problems = problemsOf(fileWith(level, Object.fromEntries(all.map((word) => [word, 1]))), options);
      for (const word of all) {
        const found = problems.filter(({ message }) => message.startsWith(`unknown key "${word}"; use "`));
        expect(
          found.map(({ hint, example }) => ({ hint, example })),
          word,
        ).toEqual([{ hint: null, example: row.yaml }]);
      }
    },
  );

  it('a key of another tool has only one equivalent per kind of map', () => {
    const words = rows.flatMap(([all, level]) => all.split(' ').map((word) => `${level} ${word}`));
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  });

  test.each([
    ['vus', 'use "initial" and "total" with "test_type: cycling"'],
    ['arrivalRate', 'use "total" with "test_type: per-second"'],
    ['spawn_rate', 'use "stages" with "test_type: cycling"'],
    ['hold-for', 'use "stages" with "test_type: cycling"'],
    ['arrivalCount', 'use "total" with "test_type: non-cycling"'],
    ['LoopController', 'use "iterations_per_client" with "test_type: cycling"'],
    ['num_requests', 'use "iterations" with "test_type: cycling"'],
    ['executor', 'use "test_type"'],
    ['think', 'use "delay" of the URL'],
    ['depends_on', 'use "needs"'],
  ])('the key "%s" of a test results in the advice: %s', (key, advice) => {
    expect(problemsOf(fileWith('test', { [key]: 1 }))).toMatchObject([
      { message: `unknown key "${key}"; ${advice}` },
    ]);
  });

  test.each([
    ['file', 'think', 'use "delay" of the URL'],
    ['file', 'capture', 'use "variables" of the URL'],
    ['file', 'rampTo', 'use "stages" of the test, with "test_type: per-second"'],
    ['test', 'scenarios', 'use "flows"'],
    ['test', 'if', 'use "when" of the URL'],
    ['test', 'while', 'use "repeat" with "until" in "urls"'],
    ['test', 'foreach', 'use "for_each" in "urls"'],
    ['test', 'group', 'use "name" of the URL'],
    ['url', 'arrivals', 'use "arrivals" of the test, with "test_type: per-second"'],
    ['list', 'vus', 'use "initial" and "total" of the test, with "test_type: cycling"'],
    ['list', 'sleep', 'use "delay"'],
  ] as const)('in a map of the kind "%s", the key "%s" results in the advice: %s', (level, key, advice) => {
    expect(problemsOf(fileWith(level, { [key]: 1 }))).toMatchObject([
      { message: expect.stringMatching(`^unknown key "${key}"; ${advice}`) as unknown },
    ]);
  });

  it('missing keys that the example for an unknown key contains are not reported separately', () => {
    const text = stringify({
      version: 1,
      project: 'shop',
      apps: { shop: 'www.example.com' },
      tests: { home: { vus: 10, duration: '1m', requests: [URL] } },
    });
    expect(linesOf(problemsOf(text))).toEqual([
      expect.stringMatching('unknown key "vus"'),
      expect.stringMatching('unknown key "requests"'),
    ]);
  });

  it('the error for a misspelled key that no other tool uses suggests the nearest valid key', () => {
    expect(problemsOf(fileWith('test', { duraton: 1 }))).toMatchObject([
      { message: 'unknown key "duraton"; did you mean "duration"?', hint: null },
    ]);
  });

  it('levelOf returns null for a map with user-defined keys', () => {
    expect(levelOf(['browse', 'home'])).toBeNull();
  });
});

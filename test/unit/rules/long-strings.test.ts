/**
 * Everything that judges a text takes time in proportion to its length: twice the text, twice the time. The texts of this
 * file take less than a second each. What took the square of their length would need ten or many.
 */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { decodeCreate } from '../../../src/contract/request-codec.ts';
import { ownCapabilities } from '../../../src/core/model/capabilities.ts';
import { faultsOfTest } from '../../../src/core/model/test-rules.ts';
import { readMarker, readNotes } from '../../../src/core/reconcile/ownership-marker.ts';
import { readPattern } from '../../../src/pattern/pattern.ts';
import { readPayload } from '../../../src/core/load/payload-format.ts';
import { refuseFaults, type Refusal } from '../../../src/server/refusal.ts';
import { measureCpuTime } from '../../support/cpu-time.ts';

const LENGTH = 500_000;
/** Of files, whose YAML takes most of the time. */
const FILE_LENGTH = 300_000;

/** Of this process alone. */
const SOON_MS = 5000;

function expectSoon(judge: () => void): void {
  expect(measureCpuTime(judge)).toBeLessThan(SOON_MS);
}

/** The text as often as it fits. */
function repeated(text: string, length: number): string {
  return text.repeat(Math.floor(length / text.length));
}

/** Texts that differ, until there are enough of them. */
function numbered(make: (index: number) => string, length: number): string {
  const parts: string[] = [];
  for (let index = 0, sum = 0; sum < length; index++) sum += parts[parts.push(make(index)) - 1]?.length ?? 0;
  return parts.join('');
}

function judgeFile(text: string): ReturnType<typeof loadConfig> {
  const none = () => {
    throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
  };
  return loadConfig({
    ...{
      file: { path: 'loadtests.yaml', directory: '/', text },
      environment: null,
      vars: new Map(),
      env: {},
    },
    ...{ readFile: none, readRows: none, realPath: none },
  });
}

const HEAD = 'version: 1\nproject: shop\napps: {shop: a.example}\n';
const TEST = 'tests:\n  home:\n    test_type: cycling\n    duration: 1m\n    urls:\n';

const inBody = (body: string, more = '') =>
  `${HEAD}${TEST}      - url: http://a.example/\n        request_type: POST\n        raw_post_body: ${JSON.stringify(body)}\n${more}`;

const small = (index: number, more = '') =>
  `  t${index}: {test_type: cycling, duration: 60, urls: ['http://a.example/']${more}}\n`;

describe('a file is judged in time that its length allows, when it holds', () => {
  test.each<[string, (length: number) => string]>([
    ['expressions', (length) => inBody(repeated('%{1}', length * 0.9))],
    ['expressions that are wrong', (length) => inBody(numbered((index) => `%{v${index}}`, length * 0.9))],
    ['expressions that do not end', (length) => inBody(repeated('%{1', length * 0.9))],
    ['expressions within each other', (length) => inBody(repeated('%{', length * 0.9))],
    ['variables', (length) => inBody(numbered((index) => `{{v${index}}}`, length * 0.9))],
    ['variables that do not end', (length) => inBody(repeated('{{ ', length * 0.9))],
    [
      'references to what is declared',
      (length) =>
        `${inBody(numbered((index) => `\${v${index}}`, length * 0.4))}vars: {${numbered((index) => `v${index}: x, `, length * 0.4)}}`,
    ],
    [
      'references to what is not declared',
      (length) =>
        `${inBody(numbered((index) => `\${w${index}}`, length * 0.4))}vars: {${numbered((index) => `v${index}: x, `, length * 0.4)}}`,
    ],
    [
      'references that cannot be read',
      (length) => inBody(numbered((index) => `\${!${index}}`, length * 0.9)),
    ],
    [
      'a long variable that stands alone, again and again',
      (length) =>
        `${HEAD}vars: {big: '${repeated('%{1}', length / 2)}'}\n${TEST}${repeated("      - {url: 'http://a.example/', request_type: POST, raw_post_body: '${big}'}\n", length / 2)}`,
    ],
    [
      'an alias of a long text, again and again',
      (length) =>
        `${HEAD}vars: {big: &big '${repeated('%{1}', length / 2)}'}\n${TEST}${repeated("      - {url: 'http://a.example/', request_type: POST, raw_post_body: *big }\n", length / 2)}`,
    ],
    [
      'a long default for each of many URLs',
      (length) =>
        `${HEAD}defaults: {url: {request_type: POST, raw_post_body: '${repeated('%{1}', length / 2)}'}}\n${TEST}${repeated('      - http://a.example/\n', length / 2)}`,
    ],
    [
      'many defaults for each of many URLs',
      (length) =>
        `${HEAD}defaults: {url: {headers: {${numbered((index) => `h${index}: x, `, length / 2)}}}}\n${TEST}${repeated('      - http://a.example/\n', length / 2)}`,
    ],
    [
      'variables that lead from one to the next into the service',
      (length) =>
        `${HEAD}vars:\n${numbered((index) => `  v${index}: \${v${index + 1}}\n`, length / 2)}service:\n  base_url: "${numbered((index) => `\${v${index}}`, length * 0.4)}"\n`,
    ],
    [
      'problems on one line',
      (length) =>
        `{version: 1, project: shop, tests: {${numbered((index) => `t${index}: {durotion: 1}, `, length * 0.9)}}}`,
    ],
    [
      'tests that need what there is not',
      (length) => `${HEAD}tests:\n${numbered((index) => small(index, `, needs: [x${index}]`), length * 0.9)}`,
    ],
    [
      'a circle of tests',
      (length) =>
        `${HEAD}tests:\n${numbered((index) => small(index, `, needs: [t${index + 1}]`), length * 0.9)}${small(0)}`,
    ],
    [
      'URLs of hosts that are no apps',
      (length) =>
        `version: 1\nproject: shop\napps: {${numbered((index) => `a${index}: a${index}.example, `, length / 2)}}\n${TEST}${numbered((index) => `      - http://b${index}.example/\n`, length / 2)}`,
    ],
    [
      'a long key above many problems',
      (length) =>
        `{version: 1, project: shop, tests: {"${repeated('k', length / 2)}": {urls: [${repeated('{x: 1}, ', length / 2)}]}}}`,
    ],
    [
      'notes of beginnings of marks',
      (length) =>
        `${HEAD}${TEST}      - http://a.example/\n    notes: "${repeated('[loadtests ', length * 0.9)}"\n`,
    ],
    ['one long number', (length) => `${HEAD}vars: {a: ${repeated('9', length * 0.9)}x}\n`],
    [
      'one long host',
      (length) => `version: 1\nproject: shop\napps: {shop: "${repeated('a.', length * 0.9)}"}\n`,
    ],
    ['blanks and line ends', (length) => `${HEAD}${repeated(' \n', length * 0.9)}`],
  ])('%s', (_, make) => {
    const text = make(FILE_LENGTH);
    expectSoon(() => {
      const judged = judgeFile(text);
      expect(judged.ok ? 0 : judged.problems.length).toBeLessThanOrEqual(500);
    });
  });
});

describe('a request is judged in time that its length allows, when it holds', () => {
  const judge = (body: string): Refusal | null => {
    const urls = [{ url: 'http://a.example/', request_type: 'POST', raw_post_body: body }];
    const decoded = decodeCreate({ test_type: 'cycling', duration: 1, urls });
    if ('faults' in decoded) throw new Error(decoded.faults.join());
    const abilities = ownCapabilities({ schedules: false, canEmail: null, canCall: () => true });
    try {
      refuseFaults(faultsOfTest(decoded.value.spec, abilities, readPattern));
    } catch (error) {
      return error as Refusal;
    }
    return null;
  };

  test.each<[string, (length: number) => string]>([
    ['expressions', (length) => repeated('%{1}', length)],
    ['expressions that are wrong', (length) => numbered((index) => `%{v${index}}`, length * 0.99)],
    ['expressions that do not end', (length) => repeated('%{1', length)],
    ['expressions of many numbers', (length) => `%{${repeated('1, ', length * 0.99)}1}`],
    ['variables', (length) => numbered((index) => `{{v${index}}}`, length * 0.99)],
    ['variables that do not end', (length) => repeated('{{a', length)],
  ])('%s', (_, make) => {
    const text = make(LENGTH);
    expectSoon(() => {
      // A small request asks for no large answer.
      expect(judge(text)?.errors.length ?? 0).toBeLessThanOrEqual(101);
    });
  });
});

describe('notes are read in time that their length allows, when they hold', () => {
  test.each<[string, (length: number) => string]>([
    ['beginnings of marks', (length) => repeated('[loadtests ', length)],
    ['beginnings of marks, and an end', (length) => `${repeated('[loadtests ', length)}c=aa]`],
    ['beginnings of marks, and another line', (length) => `${repeated('[loadtests ', length)}\nx`],
    ['empty marks', (length) => repeated('[loadtests ] ', length)],
    ['blanks', (length) => `${repeated(' \n', length)}x`],
  ])('%s', (_, make) => {
    const text = make(LENGTH);
    expectSoon(() => {
      expect(readNotes(text).reading.kind).toBe(readMarker(text).kind);
    });
  });
});

test('a payload file is read in time that its length allows', () => {
  const rows = `[${repeated('["x"],', LENGTH)}["x"]]`;
  const wrong = `{"keys": ["a"], ${numbered((index) => `"k${index}": 1, `, LENGTH)}"values": [["x"]]}`;
  expectSoon(() => {
    expect(readPayload(`{"keys": ["a"], "values": ${rows}}`).kind).toBe('classic');
    expect(readPayload(wrong).kind).toBe('unusable');
  });
});

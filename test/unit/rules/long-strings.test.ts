/**
 * All checks of text take linear time. Most texts of this file take much less than a second of CPU time.
 */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { decodeCreate } from '../../../src/contract/request-codec.ts';
import { ownCapabilities } from '../../../src/core/model/capabilities.ts';
import { faultsOfTest } from '../../../src/core/model/test-rules.ts';
import { readMarker, readNotes } from '../../../src/core/reconcile/ownership-marker.ts';
import { checkCertificates } from '../../../src/certificate/certificate.ts';
import { readPattern } from '../../../src/pattern/pattern.ts';
import { readPayload } from '../../../src/core/load/payload-format.ts';
import { refuseFaults, type Refusal } from '../../../src/server/refusal.ts';
import { expectLinearTime } from '../../support/linear-time.ts';

const LENGTH = 125_000;
/** For files, because YAML takes most of the time. */
const FILE_LENGTH = 100_000;

/** Repeats the text up to the length. */
function repeated(text: string, length: number): string {
  return text.repeat(Math.floor(length / text.length));
}

/** Joins distinct texts up to the length. */
function numbered(textAt: (index: number) => string, length: number): string {
  const parts: string[] = [];
  for (let index = 0, sum = 0; sum < length; index++)
    sum += parts[parts.push(textAt(index)) - 1]?.length ?? 0;
  return parts.join('');
}

function checkFile(text: string): ReturnType<typeof loadConfig> {
  const none = () => {
    throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
  };
  return loadConfig({
    file: { path: 'loadtests.yaml', directory: '/', text },
    environment: null,
    vars: new Map(),
    env: {},
    readFile: none,
    readRows: none,
    readBodyFile: none,
    realPath: none,
  });
}

const HEAD = 'version: 1\nproject: shop\napps: {shop: a.example}\n';
const TEST = 'tests:\n  home:\n    test_type: cycling\n    duration: 1m\n    urls:\n';

const inBody = (body: string, more = '') =>
  `${HEAD}${TEST}      - url: http://a.example/\n        request_type: POST\n        raw_post_body: ${JSON.stringify(body)}\n${more}`;

const small = (index: number, more = '') =>
  `  t${index}: {test_type: cycling, duration: 60, urls: ['http://a.example/']${more}}\n`;

describe('files with long strings', () => {
  test.each<[string, (length: number) => string]>([
    ['expressions', (length) => inBody(repeated('%{1}', length * 0.9))],
    ['invalid expressions', (length) => inBody(numbered((index) => `%{v${index}}`, length * 0.9))],
    ['unclosed expressions', (length) => inBody(repeated('%{1', length * 0.9))],
    ['nested expressions', (length) => inBody(repeated('%{', length * 0.9))],
    ['variables', (length) => inBody(numbered((index) => `{{v${index}}}`, length * 0.9))],
    ['unclosed variables', (length) => inBody(repeated('{{ ', length * 0.9))],
    [
      'references to declared variables',
      (length) =>
        `${inBody(numbered((index) => `\${v${index}}`, length * 0.4))}vars: {${numbered((index) => `v${index}: x, `, length * 0.4)}}`,
    ],
    [
      'references to undeclared variables',
      (length) =>
        `${inBody(numbered((index) => `\${w${index}}`, length * 0.4))}vars: {${numbered((index) => `v${index}: x, `, length * 0.4)}}`,
    ],
    ['invalid references', (length) => inBody(numbered((index) => `\${!${index}}`, length * 0.9))],
    [
      'many references to a long variable',
      (length) =>
        `${HEAD}vars: {big: '${repeated('%{1}', length / 2)}'}\n${TEST}${repeated("      - {url: 'http://a.example/', request_type: POST, raw_post_body: '${big}'}\n", length / 2)}`,
    ],
    [
      'many aliases of a long string',
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
        // Even a quarter of this file exceeds the limit on values.
        `${HEAD}defaults: {url: {headers: {${numbered((index) => `h${index.toString(36)}: x, `, length / 2)}}}}\n${TEST}      [${repeated('http://a.example, ', length / 2)}]\n`,
    ],
    [
      'a chain of variables in the URL of the service',
      (length) =>
        `${HEAD}vars:\n${numbered((index) => `  v${index}: \${v${index + 1}}\n`, length / 2)}service:\n  base_url: "${numbered((index) => `\${v${index}}`, length * 0.4)}"\n`,
    ],
    [
      'problems on one line',
      (length) =>
        `{version: 1, project: shop, tests: {${numbered((index) => `t${index}: {durotion: 1}, `, length * 0.9)}}}`,
    ],
    [
      'tests that need unknown tests',
      (length) =>
        `${HEAD}defaults: {test_type: cycling, duration: 60}\ntests:\n${numbered((index) => `  t${index}: {urls: ['http://a.example/'], needs: [${numbered((need) => `x${index}_${need}, `, 80)}]}\n`, length * 0.5)}`,
    ],
    [
      'a cycle of tests',
      (length) =>
        `${HEAD}tests:\n${numbered((index) => small(index, `, needs: [t${index + 1}]`), length * 0.9)}${small(0)}`,
    ],
    [
      'URLs of hosts without an app',
      (length) =>
        `version: 1\nproject: shop\napps: {${numbered((index) => `a${index}: a${index}.example, `, length / 2)}}\n${TEST}${numbered((index) => `      - http://b${index}.example/\n`, length / 2)}`,
    ],
    [
      'a long key with many problems',
      (length) =>
        `{version: 1, project: shop, tests: {"${repeated('k', length / 2)}": {urls: [${repeated('{x: 1}, ', length / 2)}]}}}`,
    ],
    [
      'notes with many starts of markers',
      (length) =>
        `${HEAD}${TEST}      - http://a.example/\n    notes: "${repeated('[loadtests ', length * 0.9)}"\n`,
    ],
    ['one long number', (length) => `${HEAD}vars: {a: ${repeated('9', length * 0.9)}x}\n`],
    [
      'one long host',
      (length) => `version: 1\nproject: shop\napps: {shop: "${repeated('a.', length * 0.9)}"}\n`,
    ],
    ['spaces and line breaks', (length) => `${HEAD}${repeated(' \n', length * 0.9)}`],
  ])('a long file with %s is checked in linear time and causes at most 500 problems', (_, textOf) => {
    expectLinearTime(FILE_LENGTH, textOf, (text) => {
      const checked = checkFile(text);
      expect(checked.ok ? 0 : checked.problems.length).toBeLessThanOrEqual(500);
    });
  });
});

describe('requests with long strings', () => {
  const check = (body: string): Refusal | null => {
    const urls = [{ url: 'http://a.example/', request_type: 'POST', raw_post_body: body }];
    const decoded = decodeCreate({ test_type: 'cycling', duration: 1, urls });
    if ('faults' in decoded) throw new Error(decoded.faults.join());
    const capabilities = ownCapabilities({ schedules: false, canEmail: null, canCall: () => true });
    try {
      refuseFaults(faultsOfTest(decoded.value.spec, capabilities, { readPattern, checkCertificates }));
    } catch (error) {
      return error as Refusal;
    }
    return null;
  };

  test.each<[string, (length: number) => string]>([
    ['expressions', (length) => repeated('%{1}', length)],
    ['invalid expressions', (length) => numbered((index) => `%{v${index}}`, length * 0.99)],
    ['unclosed expressions', (length) => repeated('%{1', length)],
    ['an expression with many numbers', (length) => `%{${repeated('1, ', length * 0.99)}1}`],
    ['variables', (length) => numbered((index) => `{{v${index}}}`, length * 0.99)],
    ['unclosed variables', (length) => repeated('{{a', length)],
  ])('a long request with %s is checked in linear time and causes at most 101 errors', (_, textOf) => {
    expectLinearTime(LENGTH, textOf, (text) => {
      // A small request must not cause a large response.
      expect(check(text)?.errors.length ?? 0).toBeLessThanOrEqual(101);
    });
  });
});

describe('long notes', () => {
  test.each<[string, (length: number) => string]>([
    ['starts of markers', (length) => repeated('[loadtests ', length)],
    ['starts of markers and the end of a marker', (length) => `${repeated('[loadtests ', length)}c=aa]`],
    ['starts of markers and another line', (length) => `${repeated('[loadtests ', length)}\nx`],
    ['empty markers', (length) => repeated('[loadtests ] ', length)],
    ['spaces and line breaks', (length) => `${repeated(' \n', length)}x`],
  ])('long notes with %s are read in linear time', (_, textOf) => {
    expectLinearTime(LENGTH, textOf, (text) => {
      expect(readNotes(text).reading.kind).toBe(readMarker(text).kind);
    });
  });
});

test('a payload file with many rows or many keys is read in linear time', () => {
  const filesOf = (length: number) => ({
    rows: `{"keys": ["a"], "values": [${repeated('["x"],', length)}["x"]]}`,
    keys: `{"keys": ["a"], ${numbered((index) => `"k${index}": 1, `, length)}"values": [["x"]]}`,
  });
  expectLinearTime(LENGTH, filesOf, ({ rows, keys }) => {
    expect(readPayload(rows).kind).toBe('classic');
    expect(readPayload(keys).kind).toBe('unusable');
  });
});

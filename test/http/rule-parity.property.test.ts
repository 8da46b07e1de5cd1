/**
 * Rules of the configuration file and of the service: a test that the file check accepts is accepted by the
 * service.
 */
import { normalize } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256OfBytes } from '../../src/config/included-files.ts';
import { decodeCreate } from '../../src/contract/request-codec.ts';
import { encodeTestCreate } from '../../src/contract/test-codec.ts';
import { listsOf, readRowsFile } from '../../src/core/load/payload-format.ts';
import { ownCapabilities } from '../../src/core/model/capabilities.ts';
import type { DeclaredTest, TargetSpec } from '../../src/core/model/load-test.ts';
import type { DesiredState } from '../../src/core/model/state.ts';
import { faultsOfRows, faultsOfTest, type PayloadNames } from '../../src/core/model/test-rules.ts';
import { isLocalHost, readUrl } from '../../src/core/model/url.ts';
import type { Problem } from '../../src/core/problem.ts';
import { checkCertificates } from '../../src/certificate/certificate.ts';
import { readPattern } from '../../src/pattern/pattern.ts';
import { createMachine } from '../support/simulated-machine.ts';
import { createMemoryService } from '../support/memory-service.ts';
import { TEST_TIMEOUT_MS } from '../support/wait.ts';
import { scaleCount } from '../support/test-scale.ts';
import { openTestService, type TestService } from '../support/test-service.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { declareState } from '../support/declared-state.ts';
import {
  HOST,
  createHeaders,
  PAYLOAD_FILES,
  URL_OF,
  writtenTest,
  type Fields,
} from '../support/arbitrary-test-files.ts';
import { DIRECTORY, linesOf, loadText } from '../unit/config/load-text.ts';

/** Payload files: the first map has the contents by path, the second by digest. */
const FILES = Object.fromEntries(
  Object.entries(PAYLOAD_FILES).map(([path, content]) => [`${DIRECTORY}/${path}`, content]),
);
const CONTENTS = new Map(Object.values(PAYLOAD_FILES).map((content) => [digestOf(content), content]));

function digestOf(text: string): string {
  return sha256OfBytes(new TextEncoder().encode(text));
}

/**
 * Converts a test to the API format: computes the fields of its stages, and removes thresholds and
 * `parallel`.
 */
function forApi(fields: Fields): Fields {
  const { thresholds: _thresholds, parallel: _parallel, ...test } = fields;
  const urls = Array.isArray(test['urls']) ? test['urls'].map(urlForApi) : test['urls'];
  const { stages, initial = 0 } = fields as { stages?: { for: number; to: number }[]; initial?: number };
  if (stages === undefined) return { ...test, urls };
  const levels = [...(stages[0]?.for === 0 ? [] : [initial]), ...stages.map(({ to }) => to)];
  const duration = stages.reduce((sum, one) => sum + one.for, 0);
  return { ...test, urls, duration, total: Math.max(...levels) };
}

function urlForApi(entry: Fields): Fields {
  const { json, name: _name, thresholds: _thresholds, headers = {}, payload_file: path, ...rest } = entry;
  const content = typeof path === 'string' ? (PAYLOAD_FILES[normalize(path)] ?? '') : null;
  const url: Fields = { ...rest, ...(content === null ? {} : { payload_file: digestOf(content) }) };
  // The file loader lowers "json" to a raw body; the rules see the same string.
  const body = json === undefined ? {} : { raw_post_body: JSON.stringify(json), ...url };
  const isMap = typeof headers === 'object' && headers !== null;
  return { ...url, ...body, ...(isMap && Object.keys(headers).length > 0 ? { headers } : {}) };
}

function load(fields: Fields) {
  // JSON is valid YAML, but the file may contain characters that JSON escapes.
  const ascii = JSON.stringify(fields).replaceAll(/[^\x20-\x7e]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return loadText(`version: 1\nproject: shop\napps: { shop: '${HOST}' }\ntests:\n  home: ${ascii}\n`, {
    files: FILES,
  });
}

/**
 * Creates the test with its payload files and stops its run. Returns null, or the response that refuses it.
 */
async function refusalBy(rig: TestService, json: unknown): Promise<string | null> {
  const text = JSON.stringify(json);
  for (const [sha256, content] of CONTENTS) {
    if (!text.includes(sha256)) continue;
    const body = { raw: { type: 'application/octet-stream', body: content } };
    const sent = await rig.call('PUT', `/v2/payload-files/${sha256}`, body);
    if (sent.status !== 200) return sent.text;
  }
  const response = await rig.call('POST', '/v2/tests', { json });
  if (response.status !== 200) return response.text;
  await rig.call('PUT', `/v2/tests/${response.json.test_id}/stop`);
  return null;
}

async function verbsOf(desired: DesiredState): Promise<readonly string[]> {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, verified: [HOST] });
  return (await createMachine(service, { clock }).plan(declareState(desired))).actions.map(
    ({ verb }) => verb,
  );
}

/**
 * Applies the rules of the service without HTTP, store and apps. Returns no faults for an acceptable test.
 */
function faultsByRules(json: unknown): readonly string[] {
  const decoded = decodeCreate(json);
  if ('faults' in decoded) return decoded.faults;
  const { spec, bodyFaults } = decoded.value;
  const hosts = spec.targets.map(({ url }) => readUrl(url)?.authority);
  const rows = rowsOf(spec.targets);
  if (rows === null) return ['a payload file has no rows or does not exist'];
  return [
    ...[...bodyFaults, ...faultsOfTest(spec, CAPABILITIES, { readPattern, checkCertificates })].map(
      ({ message }) => message,
    ),
    ...faultsOfRows(spec, rows, CAPABILITIES).map(({ message }) => message),
    ...hosts.filter((host) => host !== HOST).map((host) => `${host ?? 'nothing'} is not a verified app`),
  ];
}

/** Returns the names of the payload files of a test; null if the service cannot read one of them. */
function rowsOf(targets: readonly TargetSpec[]): PayloadNames | null {
  const digests = targets.map(({ payloadFile }) => payloadFile?.sha256 ?? null);
  const files = new Map(
    digests.flatMap((sha256) =>
      sha256 === null ? [] : [[sha256, readRowsFile(CONTENTS.get(sha256) ?? '')] as const],
    ),
  );
  const read = [...files.values()].filter((file) => file.kind !== 'unusable');
  if (read.length < files.size) return null;
  return {
    variables: read.flatMap((file) =>
      file.kind === 'variable' ? listsOf(file).flatMap(({ names }) => names) : [],
    ),
    requests: digests.map((sha256) => sha256 !== null && files.get(sha256)?.kind === 'classic'),
    setup: [],
  };
}

const CAPABILITIES = ownCapabilities({
  schedules: false,
  canEmail: null,
  canCall: ({ authority, bareHost }) => authority === HOST || isLocalHost(bareHost),
});

/** Encodes a test as apply sends it: normalized, with a marker below the notes. */
function asSent({ spec }: DeclaredTest): unknown {
  return encodeTestCreate(spec, `${spec.notes ?? ''}\n[loadtests ${'x'.repeat(300)}]`);
}

/** Number of generated tests; TEST_SCALE=10 generates ten thousand. */
const CASES = scaleCount(1000);
const TIMEOUT_MS = TEST_TIMEOUT_MS + CASES * 60;
/** One of this number of tests is also sent over HTTP. */
const HTTP_INTERVAL = 40;

describe('rules of the file check and of the service', () => {
  test(
    'the rules of the embedded service accept every generated test that the check of configuration files accepts',
    async () => {
      const rig = await openTestService();
      await rig.verifiedApp(HOST);
      const totals = { accepted: 0, refused: 0, refusedByService: 0 };
      let count = 0;
      await fc.assert(
        fc.asyncProperty(writtenTest, async (fields) => {
          const isSent = count++ % HTTP_INTERVAL === 0;
          const json = forApi(fields);
          const faults = faultsByRules(json);
          if (faults.length > 0) totals.refusedByService++;
          // The service checks the file of a URL only after its download.
          const isCheckable = !JSON.stringify(fields).includes('payload_file_url');
          if (isSent && isCheckable) expect((await refusalBy(rig, json)) === null).toBe(faults.length === 0);
          const loaded = load(fields);
          if (!loaded.ok) {
            totals.refused++;
            // Each problem has a location.
            expectLocations(loaded.problems);
            return;
          }
          totals.accepted++;
          expect(faults).toEqual([]);
          const [declared] = loaded.value.desired.tests;
          if (declared === undefined) throw new Error('no test was loaded');
          expect(faultsByRules(asSent(declared))).toEqual([]);
          if (!isSent) return;
          expect(await verbsOf(loaded.value.desired)).toContain('create');
          expect(await refusalBy(rig, asSent(declared))).toBeNull();
        }),
        { numRuns: CASES },
      );
      const third = Math.floor(CASES / 3);
      expect(totals.accepted).toBeGreaterThan(third);
      expect(totals.refused).toBeGreaterThan(third / 2);
      expect(totals.refusedByService).toBeGreaterThan(third / 2);
    },
    TIMEOUT_MS,
  );
});

function expectLocations(problems: readonly Problem[]): void {
  expect(problems).not.toEqual([]);
  for (const { message, source } of problems) {
    expect(message).not.toBe('');
    expect(source?.line).toBeGreaterThan(0);
    expect(source?.column).toBeGreaterThan(0);
  }
}

describe('tests that the embedded service does not support', () => {
  const target = (fields: Fields) => ({ urls: [{ url: `${URL_OF}/`, ...fields }] });
  const variable = { name: 'a', property: 'X-A', source: 'header' };
  test.each<[string, Fields, RegExp]>([
    ['an empty URL', target({ url: '' }), /"url" is empty; write an http or https URL/],
    [
      'a variable from a header without a name',
      target({ variables: [{ ...variable, property: '' }] }),
      /"" is not a valid header name/,
    ],
    ['an undefined variable', target({ headers: { a: '{{x}}' } }), /"\{\{x\}\}" is not defined/],
    [
      'a variable used before it is defined',
      target({ url: `${URL_OF}/{{a}}`, variables: [variable] }),
      /used before/,
    ],
    ['a variable that is defined twice', target({ variables: [variable, variable] }), /is defined twice/],
    [
      'a variable in the name of a parameter',
      target({ request_params: { '{{a}}': '1' } }),
      /name of the parameter/,
    ],
    ['an email address', { callback_email: 'team@shop.example' }, /requires a service with a mail relay/],
    ['a callback to an unknown host', { callback: 'https://ci.example/hook' }, /has the host ci\.example/],
    [
      'a payload file on an unknown host',
      target({ payload_file_url: 'https://ci.example/' }),
      /has the host ci\.example/,
    ],
    ['a schedule', { scheduled_at: '2099-12-24 03:00:00' }, /requires a permanently running service/],
    ['a header with a control character', target({ headers: { a: '\u0085' } }), /control character/],
    ['a duration of a day and a second', { duration: 86_401 }, /"duration" must be at most 86400 s/],
    ['a million and one clients', { total: 1_000_001 }, /"total" must be at most 1000000/],
    [
      'too many connections to one host',
      { total: 100_001 },
      /100,001 connections on one host; the limit is 100,000/,
    ],
    [
      'a very large body',
      target({ request_type: 'POST', raw_post_body: '\0'.repeat(400_000) }),
      /larger than/,
    ],
    ['stages of a non-cycling test', stages([1, 5], { test_type: 'non-cycling' }), /cannot have stages/],
    ['stages that end with a step', stages([1, 5], [0, 9]), /the last stage has a duration of 0/],
    [
      'two consecutive steps',
      stages([0, 5], [0, 9], [1, 9]),
      /this stage and the next one have a duration of 0/,
    ],
    ['stages without a load', stages([1, 0]), /the stages generate no load/],
    [
      'stages that begin with a step in a test with "initial"',
      stages([0, 5], [1, 5], { initial: 2 }),
      /"initial" has no effect/,
    ],
    [
      'stages of a day and a second',
      stages([86_400, 1], [1, 1]),
      /the total duration of the stages must be at most 86400 s/,
    ],
    [
      'a warm-up of the whole test',
      { duration: 5, warmup: 5 },
      /"warmup" must be shorter than the test \(5s\)/,
    ],
    ['a warm-up of all stages', stages([2, 5], [1, 1], { warmup: 3 }), /"warmup" must be shorter/],
    [
      'a delay range in descending order',
      target({ delay: [2, 1] }),
      /write the shorter time first: \[1ms, 2ms\]/,
    ],
    ['a delay of over ten minutes', target({ delay: [1, 600_001] }), /"delay" must be at most 10m/],
    ['too many headers', target({ headers: createHeaders(101) }), /"headers" must have at most 100 entries/],
  ])('both the check of configuration files and the service refuse %s', async (_, changes, message) => {
    const rig = await openTestService();
    await rig.verifiedApp(HOST);
    const length = 'stages' in changes ? {} : { duration: 1 };
    const fields = { test_type: 'cycling', ...length, ...target({}), ...changes };
    expect(await refusalBy(rig, forApi(fields))).not.toBeNull();
    const loaded = load(fields);
    const problems = loaded.ok ? [] : loaded.problems;
    expect(linesOf(problems).join('\n')).toMatch(message);
    expect(problems.every(({ source }) => source !== null)).toBe(true);
  });
});

function stages(...entries: readonly (readonly [number, number] | Fields)[]): Fields {
  const isStage = (one: readonly [number, number] | Fields): one is readonly [number, number] =>
    Array.isArray(one);
  const all = entries.filter(isStage).map(([duration, to]) => ({ for: duration, to }));
  return Object.assign({ stages: all }, ...entries.filter((one) => !isStage(one))) as Fields;
}

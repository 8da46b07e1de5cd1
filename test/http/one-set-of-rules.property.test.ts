/** What is accepted of a file is accepted by the service: whatever a test says, both sides judge it alike. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeTestCreate } from '../../src/contract/test-codec.ts';
import type { DesiredState } from '../../src/core/model/state.ts';
import { OWN_LIMITS } from '../../src/core/model/abilities.ts';
import { machine } from '../rig/machine.ts';
import { memoryService } from '../rig/memory-service.ts';
import { scaled } from '../rig/scale.ts';
import { openRig, type ServiceRig } from '../rig/service.ts';
import { virtualClock } from '../rig/virtual-clock.ts';
import { world } from '../rig/world.ts';
import { linesOf, loadText } from '../unit/config/load-text.ts';

const HOST = '127.0.0.1:4080';
const URL_OF = `http://${HOST}`;

/** Fields of a test as JSON, by the names that the file and the API share. */
type Fields = Readonly<Record<string, unknown>>;

const LONG = 'a'.repeat(OWN_LIMITS.value + 1);

/** One of the first in most cases, else one of the second. */
function mostly<T>(usual: readonly T[], odd: readonly T[], times = 12): fc.Arbitrary<T> {
  return fc.oneof(
    { arbitrary: fc.constantFrom(...usual), weight: times },
    { arbitrary: fc.constantFrom(...odd), weight: 1 },
  );
}

/** One time in so many. */
function onceIn<T>(times: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ arbitrary: fc.constant(undefined), weight: times - 1 }, { arbitrary, weight: 1 });
}

/** Texts that mean something, or nearly do. Without `${`, which means something to the file alone. */
const piece = fc.oneof(
  {
    arbitrary: fc.constantFrom('plain', '%{1:9}', '%{*:1-9}', '%%7B1:9%7D', '{{}}', 'ü', '🛒', '%'),
    weight: 40,
  },
  { arbitrary: fc.constantFrom('{{token}}', '{{ user }}', '{{{token}}}', '%7B%7Btoken%7D%7D'), weight: 3 },
  { arbitrary: fc.constantFrom('%{', '%{x}', '%{1:{{token}}}', 'a b', '\\', ':', '#', '?', '@'), weight: 1 },
  {
    arbitrary: fc.constantFrom('', ' ', '\u0007', '\u0085', '\t', '\r\n', '\0', '\u2028', '\ud800', LONG),
    weight: 1,
  },
  {
    arbitrary: fc.string({ unit: 'binary', maxLength: 5 }).map((text) => text.replaceAll('$', '')),
    weight: 1,
  },
);
const sentText = fc.array(piece, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(''));

const ODD_URLS = [
  ...[
    `HTTP://${HOST}/`,
    'http://127.1:4080/',
    `${URL_OF}?a=b`,
    `${URL_OF}#top`,
    `https://${HOST}/`,
    ` ${URL_OF}/`,
  ],
  ...[
    `http://${HOST}\\@evil.example/`,
    `http://me@${HOST}/`,
    'http://{{token}}/',
    'http://%{1:9}/',
    'http://',
  ],
  ...['/', 'ftp://a/', 'http://127.0.0.1:0/', 'http://127.0.0.1:4081/', 'http://other.example/'],
];
const url = fc.oneof(
  { arbitrary: mostly([`${URL_OF}/`, `${URL_OF}/cart?a=%{1:9}`], ODD_URLS), weight: 3 },
  { arbitrary: sentText.map((text) => `${URL_OF}/${text}`), weight: 1 },
);
const OWN_HOSTS = [
  ...[
    `${URL_OF}/hook`,
    'http://localhost:4090/',
    'https://LOCALHOST/',
    'http://[::1]:4090/a?b=c',
    'http://127.0.0.2/',
  ],
  ...['http://[::ffff:127.0.0.1]/', 'http://ci.localhost/', 'http://127.1/', 'http://127.0.0.1./'],
];
const STRANGERS = [
  ...[
    'https://ci.example/hook',
    'http://10.0.0.1/',
    'http://me:pass@127.0.0.1/',
    '/hook',
    'http://127.0.0.1:0/',
  ],
  ...[
    'http://127.0.0.1/a b',
    'http://127.0.0.1/\r\n',
    'http://localhost.evil.example/',
    'http://[64:ff9b::7f00:1]/',
  ],
];
const headerName = mostly(
  ['accept', 'x-token', 'authorization', 'constructor'],
  ['Accept', 'Host', 'Content-Length', 'a b', '', 'X-Loadtests-Run', ':path', 'é'],
);
const parameter = mostly(['sku', 'q', 'constructor'], ['', 'a b', '{{token}}', '%{1:9}', '\0']);
const map = (keys: fc.Arbitrary<string>) =>
  fc.dictionary(keys, sentText, { maxKeys: 3, noNullPrototype: true });
const variable = fc.record({
  name: mostly(['token', 'user', 'a-b'], ['1a', 'é', 'a'.repeat(65)]),
  property: mostly(['X-Token', 'location', '/a/0', '/~1'], ['a b', 'é', '/~2', 'a'.repeat(201)]),
  source: mostly(['header', 'cookie', 'json'], ['xml', 'Header']),
});

const expected = fc.record({
  status: onceIn(2, fc.array(mostly([200, 302, 404, '2xx', '5xx'], [99, 600, 'ok']), { maxLength: 3 })),
  headers: onceIn(2, map(headerName)),
  body: onceIn(3, mostly(['paid'], ['', 'a'.repeat(65_537)])),
  json: onceIn(
    3,
    fc.dictionary(
      mostly(['/a', '', '/a~1b/0'], ['a', '/~2', '/~']),
      fc.constantFrom('paid', 42, true, null),
      {
        minKeys: 1,
        maxKeys: 2,
        noNullPrototype: true,
      },
    ),
  ),
});

const entry = fc.record({
  url,
  request_type: fc.constantFrom(undefined, 'GET', 'POST', 'POST', 'PUT', 'DELETE', 'HEAD'),
  credentials: onceIn(5, fc.record({ login: sentText, password: sentText })),
  headers: onceIn(3, map(headerName)),
  request_params: onceIn(4, map(parameter)),
  raw_post_body: onceIn(6, sentText),
  // Files that the service would fetch are judged by what stands in them.
  payload_file_url: onceIn(40, fc.constantFrom(...STRANGERS)),
  delay: onceIn(4, mostly([0, 1, 250, 600_000, [0, 1], [5, 5]], [600_001, [2, 1], [0, 600_001]], 1)),
  variables: onceIn(2, fc.array(variable, { maxLength: 3 })),
  expect: onceIn(5, expected),
});

const amount = (most: number) =>
  fc.oneof({ arbitrary: fc.integer({ min: 1, max: 90 }), weight: 20 }, odd(most));
const odd = (most: number) => fc.constantFrom(most, most + 1, 99_999, 100_000, 100_001);
const stage = fc.record({
  for: mostly([1, 5, 30], [0, 86_400]),
  to: mostly([1, 10, 80], [0, 100_001]),
});

const steady = fc.record({
  test_type: fc.constantFrom('cycling', 'non-cycling', 'per-second'),
  duration: mostly([1, 5, 90], [86_400, 86_401]),
  initial: onceIn(3, amount(1_000_000)),
  total: onceIn(2, amount(1_000_000)),
  timeout: onceIn(3, amount(600_000)),
  error_threshold: onceIn(3, fc.constantFrom(0, 0.5, 100)),
  callback: onceIn(4, mostly(OWN_HOSTS, STRANGERS, 1)),
  callback_email: onceIn(40, fc.constantFrom('team@shop.example', 'a@b', 'a b@c.example')),
  scheduled_at: onceIn(40, fc.constantFrom('2099-12-24 03:00:00', 'soon')),
  name: onceIn(4, sentText),
  notes: onceIn(4, sentText),
  tls_verify: fc.constantFrom(undefined, true, false),
  urls: fc.oneof(
    { arbitrary: fc.array(entry, { minLength: 1, maxLength: 3 }), weight: 60 },
    { arbitrary: entry.map((one) => Array.from({ length: OWN_LIMITS.targets + 1 }, () => one)), weight: 1 },
  ),
});

/** Stages in place of what they say, but for a few that say it too. */
const spec = fc
  .tuple(steady, onceIn(6, fc.array(stage, { minLength: 1, maxLength: 4 })), fc.nat(9))
  .map(([fields, stages, kept]) => {
    if (stages === undefined) return fields;
    const rest = kept === 0 ? fields : { ...fields, duration: undefined, total: undefined };
    return { ...rest, stages };
  });

/** As a client of the API has to write it: with what the stages amount to. */
function forApi(fields: Fields): Fields {
  const { stages, initial = 0 } = fields as { stages?: { for: number; to: number }[]; initial?: number };
  if (stages === undefined) return fields;
  const levels = [...(stages[0]?.for === 0 ? [] : [initial]), ...stages.map(({ to }) => to)];
  const duration = stages.reduce((sum, one) => sum + one.for, 0);
  return { ...fields, duration, total: Math.max(...levels) };
}

/** Without what is undefined, as JSON has it. */
function plain(fields: unknown): Fields {
  return JSON.parse(JSON.stringify(fields)) as Fields;
}

function load(fields: Fields) {
  // JSON is YAML; the file may hold what JSON escapes.
  const ascii = JSON.stringify(fields).replaceAll(/[^\x20-\x7e]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return loadText(`version: 1\nproject: shop\napps: { shop: '${HOST}' }\ntests:\n  home: ${ascii}\n`);
}

/** Null: the service took the test; else why it did not. What began is stopped. */
async function refusalBy(rig: ServiceRig, json: unknown): Promise<string | null> {
  const answer = await rig.call('POST', '/v2/tests', { json });
  if (answer.status !== 200) return answer.text;
  await rig.call('PUT', `/v2/tests/${answer.json.test_id}/stop`);
  return null;
}

async function verbsOf(desired: DesiredState): Promise<readonly string[]> {
  const clock = virtualClock();
  const service = memoryService({ clock, verified: [HOST] });
  return (await machine(service, { clock }).plan(world(desired))).actions.map(({ verb }) => verb);
}

describe('for any test', () => {
  test('what validate and plan accept for the embedded service, the service accepts', async () => {
    const rig = await openRig();
    await rig.verifiedApp(HOST);
    const seen = { accepted: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(spec, async (given) => {
        const fields = plain(given);
        const loaded = load(fields);
        const byService = await refusalBy(rig, forApi(fields));
        if (!loaded.ok) {
          seen.refused++;
          // What is refused is told where it stands.
          for (const problem of loaded.problems) expect(problem.source?.line).toBeGreaterThan(0);
          return;
        }
        seen.accepted++;
        expect(byService).toBeNull();
        const [declared] = loaded.value.desired.tests;
        if (declared === undefined) throw new Error('no test was loaded');
        expect(await verbsOf(loaded.value.desired)).toContain('create');
        // As apply sends it: respelt, with a mark below the notes.
        const sent = encodeTestCreate(
          declared.spec,
          `${declared.spec.notes ?? ''}\n[loadtests ${'x'.repeat(300)}]`,
        );
        expect(await refusalBy(rig, sent)).toBeNull();
      }),
      { numRuns: scaled(400) },
    );
    expect(seen.accepted).toBeGreaterThan(scaled(20));
    expect(seen.refused).toBeGreaterThan(scaled(20));
  });
});

describe('a test that the embedded service cannot take is refused with its place', () => {
  const target = (fields: Fields) => ({ urls: [{ url: `${URL_OF}/`, ...fields }] });
  const taken = { name: 'a', property: 'X-A', source: 'header' };
  test.each<[string, Fields, RegExp]>([
    ['an undefined variable', target({ headers: { a: '{{x}}' } }), /"\{\{x\}\}" is not defined/],
    [
      'a variable used before it is defined',
      target({ url: `${URL_OF}/{{a}}`, variables: [taken] }),
      /used before/,
    ],
    ['a variable taken twice', target({ variables: [taken, taken] }), /is defined twice/],
    [
      'a variable in the name of a parameter',
      target({ request_params: { '{{a}}': '1' } }),
      /name of the parameter/,
    ],
    ['mail', { callback_email: 'team@shop.example' }, /needs a service with a mail relay/],
    ['a callback to a stranger', { callback: 'https://ci.example/hook' }, /has the host ci\.example/],
    [
      'a payload file of a stranger',
      target({ payload_file_url: 'https://ci.example/' }),
      /has the host ci\.example/,
    ],
    ['a schedule', { scheduled_at: '2099-12-24 03:00:00' }, /needs a service that keeps running/],
    ['a header with a control character', target({ headers: { a: '\u0085' } }), /control character/],
    ['a day and a second', { duration: 86_401 }, /"duration" must be at most 86400 s/],
    ['a million clients and one', { total: 1_000_001 }, /"total" must be at most 1000000/],
    ['too much for one host', { total: 100_001 }, /100001 connections on one host; the limit is 100000/],
    [
      'a very large body',
      target({ request_type: 'POST', raw_post_body: '\0'.repeat(400_000) }),
      /larger than/,
    ],
    ['stages of clients of a fixed number', stages([1, 5], { test_type: 'non-cycling' }), /has no stages/],
    ['stages that end with a step', stages([1, 5], [0, 9]), /the last stage is a step/],
    ['a step behind a step', stages([0, 5], [0, 9], [1, 9]), /two steps follow each other/],
    ['stages without a load', stages([1, 0]), /the stages make no load/],
    [
      'a step at the start beside "initial"',
      stages([0, 5], [1, 5], { initial: 2 }),
      /"initial" has no effect/,
    ],
    ['stages of a day and a second', stages([86_400, 1], [1, 1]), /"duration" must be at most 86400 s/],
    ['a delay that goes down', target({ delay: [2, 1] }), /write the shorter time first: \[1ms, 2ms\]/],
    ['a delay of over ten minutes', target({ delay: [1, 600_001] }), /"delay" must be at most 10m/],
    ['too many headers', target({ headers: headers(101) }), /"headers" must be at most 100 entries/],
  ])('%s', async (_, changes, told) => {
    const rig = await openRig();
    await rig.verifiedApp(HOST);
    const length = 'stages' in changes ? {} : { duration: 1 };
    const fields = { test_type: 'cycling', ...length, ...target({}), ...changes };
    expect(await refusalBy(rig, forApi(fields))).not.toBeNull();
    const loaded = load(fields);
    const problems = loaded.ok ? [] : loaded.problems;
    expect(linesOf(problems).join('\n')).toMatch(told);
    expect(problems.every(({ source }) => source !== null)).toBe(true);
  });
});

function stages(...given: readonly (readonly [number, number] | Fields)[]): Fields {
  const isStage = (one: readonly [number, number] | Fields): one is readonly [number, number] =>
    Array.isArray(one);
  const all = given.filter(isStage).map(([lasts, to]) => ({ for: lasts, to }));
  return Object.assign({ stages: all }, ...given.filter((one) => !isStage(one))) as Fields;
}

function headers(count: number): Fields {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'a']));
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../../src/cli/files/sha256.ts';
import { testKey, type TestId, type TestKey } from '../../../../src/core/model/ids.ts';
import type { DeclaredTest, LoadTestSpec, ObservedTest } from '../../../../src/core/model/load-test.ts';
import { Secret } from '../../../../src/core/model/secret.ts';
import type { DesiredState, ObservedState } from '../../../../src/core/model/state.ts';
import { listedDifferences } from '../../../../src/core/reconcile/differences.ts';
import { matchTests } from '../../../../src/core/reconcile/match.ts';
import { normalizeObserved, normalizeSpec } from '../../../../src/core/reconcile/normalize.ts';
import { notesWithMarker, plainNotes, readMarker } from '../../../../src/core/reconcile/ownership-marker.ts';
import { createPossibleMatchFilter } from '../../../../src/core/reconcile/unmarked-matches.ts';
import { planFromLists } from '../../../../src/core/reconcile/plan.ts';
import { performSteps } from '../../../../src/core/steps.ts';
import { milliseconds, seconds } from '../../../../src/core/units.ts';
import { arbitrarySpec, arbitrarySpelling } from '../../../support/arbitrary-declarations.ts';
import { declareState } from '../../../support/declared-state.ts';
import { createMemoryService, type MemoryOptions } from '../../../support/memory-service.ts';
import { planOptions } from '../../../support/simulated-machine.ts';
import { scaleCount } from '../../../support/test-scale.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const shop = declareState().app('shop').app('search');

/** Returns the state of a service to which tests were added without the API. */
async function observe(
  specs: readonly LoadTestSpec[],
  options: Partial<MemoryOptions> = {},
): Promise<ObservedState> {
  const service = createMemoryService({
    clock: createVirtualClock(),
    verified: ['shop.example', 'search.example'],
    latency: 0,
    ...options,
  });
  for (const spec of specs) service.addTest(spec);
  const { items: apps } = await service.port.listApps();
  const { items: tests } = await service.port.listTests();
  return { apps, tests, maybeTruncated: false, firstStartTimes: new Map() };
}

/** Compares each test of an account with each declared test: the simplest form of the search. */
function compareAll({ tests }: ObservedState, desired: DesiredState): ReadonlyMap<TestKey, TestId> {
  const adopted = new Set(desired.tests.map(({ adopt }) => adopt));
  const searched = tests.filter(({ id }) => !adopted.has(id));
  const isMarked = ({ notes }: ObservedTest) => readMarker(notes).kind === 'marker';
  const sizesOf = ({ notes }: ObservedTest) => [notes?.length ?? 0, Buffer.byteLength(notes ?? '')] as const;
  const storesNotes = searched.some(({ notes }) => plainNotes(notes) !== null);
  const longest = [0, 1].map((unit) =>
    Math.max(0, ...searched.filter(isMarked).map((one) => sizesOf(one)[unit] ?? 0)),
  );
  const isShorter = (one: ObservedTest) =>
    sizesOf(one).every((size, unit) => size + 3 < (longest[unit] ?? 0));
  const mayBe = (one: ObservedTest, { spec }: DeclaredTest) => {
    const plain = plainNotes(one.notes);
    if (isMarked(one) || (plain === null ? storesNotes : isShorter(one))) return false;
    const sent = `${spec.notes ?? ''}\n[loadtests `.replaceAll(/\s+/g, ' ').trim();
    const isBeginning = plain === null || sent.startsWith(plain.replaceAll(/\s+/g, ' '));
    if (!isBeginning && readMarker(one.notes).kind !== 'damaged') return false;
    const { changes } = listedDifferences(normalizeObserved(one), normalizeSpec(spec));
    return changes.every(({ field, rotated }) => field === '/notes' || rotated === true);
  };
  return new Map(
    desired.tests.flatMap((declared) => {
      const found = searched.find((one) => mayBe(one, declared));
      return found === undefined ? [] : [[declared.key, found.id] as const];
    }),
  );
}

function search(observed: ObservedState, desired: DesiredState): ReadonlyMap<TestKey, TestId> {
  const { unmarked } = performSteps(matchTests(desired, observed, sha256));
  return performSteps(unmarked.findMatches(desired.tests));
}

function declare(specs: readonly LoadTestSpec[], adopt: TestId | null): DesiredState {
  const [template] = shop.test('template').state.tests;
  if (template === undefined) throw new Error('no test');
  const tests = specs.map((spec, at) => ({
    ...template,
    key: testKey(`test-${at}`),
    spec,
    adopt: at === 0 ? adopt : null,
  }));
  return { ...shop.state, tests };
}

/** Changes of one field, most of which a comparison must detect. */
const CHANGES: readonly ((spec: LoadTestSpec) => LoadTestSpec)[] = [
  (spec) => spec,
  (spec) => ({ ...spec, name: null }),
  (spec) => ({ ...spec, name: spec.targets[0]?.url ?? null }),
  (spec) => ({ ...spec, total: 60 }),
  (spec) => ({ ...spec, duration: seconds(7) }),
  (spec) => ({ ...spec, timeout: milliseconds(9) }),
  (spec) => ({ ...spec, errorThreshold: 9 }),
  (spec) => ({ ...spec, callback: 'https://ci.example/other' }),
  (spec) => ({ ...spec, targets: spec.targets.toReversed() }),
  (spec) => ({ ...spec, targets: spec.targets.slice(0, 1) }),
  (spec) => ({
    ...spec,
    targets: spec.targets.map((one) => ({ ...one, body: { kind: 'text', text: 'other' } as const })),
  }),
  (spec) => ({
    ...spec,
    targets: spec.targets.map((one) => ({
      ...one,
      body: { kind: 'text', text: withSecret('one') } as const,
    })),
  }),
  (spec) => ({
    ...spec,
    targets: spec.targets.map((one) => ({
      ...one,
      body: { kind: 'text', text: withSecret('two') } as const,
    })),
  }),
  (spec) => ({ ...spec, targets: spec.targets.map((one) => ({ ...one, headers: [] })) }),
];

function withSecret(value: string) {
  return { parts: ['key ', new Secret('KEY', value)] };
}

/** Notes that a service may show for a test whose own notes are these. */
const NOTES: readonly ((own: string | null, key: number) => string | null)[] = [
  () => null,
  (own) => own,
  () => 'By hand.',
  (own, key) => notesWithMarker(own, markerOf('shop', key)),
  (own, key) => notesWithMarker(own, markerOf('another', key)),
  (own, key) => notesWithMarker(own, markerOf('shop', key)).slice(0, -4),
  (own, key) => notesWithMarker(own, markerOf('shop', key)).slice(0, 20),
];

function markerOf(project: string, key: number) {
  const digests = { listed: '0123456789ab', unlisted: '50.01234567' };
  return { project, environment: null, key: `test-${key}`, ...digests, repetition: 0, nonce: 'planted1' };
}

const variant = fc.record({
  spec: fc.nat(2),
  change: fc.constantFrom(...CHANGES),
  notes: fc.constantFrom(...NOTES),
});

describe('the search for unmarked tests', () => {
  test('the search for unmarked tests finds the same tests as a comparison of all pairs, and the plan blocks the matched keys', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitrarySpec, { minLength: 1, maxLength: 3 }),
        fc.array(variant, { minLength: 1, maxLength: 5 }),
        fc.array(variant, { maxLength: 8 }),
        // A service that stores no notes is the reason for the search.
        fc.boolean(),
        arbitrarySpelling,
        fc.boolean(),
        async (specs, declared, listed, storesNotes, spelling, adopts) => {
          const specOf = ({ spec, change }: { spec: number; change: (typeof CHANGES)[number] }) => {
            const base = specs[spec % specs.length];
            if (base === undefined) throw new Error('no specs');
            return change(base);
          };
          const observed = await observe(
            listed.map((one) => {
              const spec = specOf(one);
              return { ...spec, notes: storesNotes ? one.notes(spec.notes, one.spec) : null };
            }),
            { spelling },
          );
          const desired = declare(declared.map(specOf), adopts ? (observed.tests[0]?.id ?? null) : null);
          const expected = compareAll(observed, desired);
          found += expected.size;
          expect(new Map(search(observed, desired))).toEqual(new Map(expected));
          const plan = planFromLists(desired, observed, { options: planOptions(0), sha256 });
          for (const action of plan.actions) {
            if (!('test' in action) || action.verb === 'run' || action.verb === 'no-op') continue;
            const id = expected.get(action.test.key);
            const isBlockedByMatch = action.verb === 'blocked' && action.reason.startsWith(`the test ${id} `);
            const isCreated = action.verb === 'create' || action.verb === 'replace';
            expect(isBlockedByMatch || (isCreated && id === undefined)).toBe(true);
          }
        },
      ),
      { numRuns: scaleCount(500) },
    );
    expect(found).toBeGreaterThan(0);
  });

  test('the search for unmarked tests ignores the values of secrets, but no other differences', async () => {
    const withHeader = (value: string | ReturnType<typeof withSecret>) =>
      shop.test('home', { urls: [{ url: 'http://shop.example/', headers: [{ name: 'X-Key', value }] }] });
    const specOf = (value: Parameters<typeof withHeader>[0]) => {
      const [declared] = withHeader(value).state.tests;
      if (declared === undefined) throw new Error('no test');
      return declared.spec;
    };
    const observed = await observe([specOf('another'), specOf('key one')]);
    const expected = observed.tests[1]?.id;
    expect(search(observed, withHeader(withSecret('two')).state).get(testKey('home'))).toBe(expected);
    expect(search(observed, withHeader('key one').state).get(testKey('home'))).toBe(expected);
    expect(search(observed, withHeader('key two').state).size).toBe(0);
  });

  const specOf = (changes: Partial<LoadTestSpec> = {}): LoadTestSpec => {
    const [declared] = shop.test('home', { name: 'Home', total: 5, duration: '1m' }).state.tests;
    if (declared === undefined) throw new Error('no test');
    return { ...declared.spec, ...changes };
  };

  test('each declared test is found by its fields, and only the first of several equal tests is found', async () => {
    const [home, slow] = [specOf(), specOf({ timeout: milliseconds(9000) })];
    const observed = await observe([slow, specOf({ timeout: milliseconds(8000) }), home, home]);
    const idOf = (ms: number) => observed.tests.find(({ timeout }) => timeout === ms)?.id;
    const [homeId, slowId] = [idOf(10_000), idOf(9000)];
    expect(search(observed, declare([home, slow], null))).toEqual(
      new Map([
        ['test-0', homeId],
        ['test-1', slowId],
      ]),
    );
    expect(search(observed, declare([home, home], null))).toEqual(
      new Map([
        ['test-0', homeId],
        ['test-1', homeId],
      ]),
    );
  });

  test('a test with truncated notes is found only for a declared test whose notes begin with this text', async () => {
    const [alpha, beta] = [specOf({ notes: 'alpha' }), specOf({ notes: 'beta' })];
    const observed = await observe([specOf({ notes: 'alp' }), specOf({ notes: 'gamma' })]);
    expect([...search(observed, declare([beta, alpha], null))]).toEqual([['test-1', observed.tests[0]?.id]]);
  });

  test('an unnamed test is found even if the service lists its first URL as its name', async () => {
    const unnamed = specOf({ name: null });
    const [target] = unnamed.targets;
    const observed = await observe([specOf({ name: String(target?.url) })]);
    expect(search(observed, declare([unnamed], null)).size).toBe(1);
  });

  test.each<readonly [string, Partial<LoadTestSpec>]>([
    ['the name', { name: 'Other' }],
    ['the duration', { duration: seconds(7) }],
    ['the number of connections', { total: 6 }],
    ['the type', { testType: 'per-second' }],
    ['the shape of the load', { stages: [{ duration: seconds(60), to: 5 }] }],
  ])('the search does not read the URLs of tests if %s differs', async (_, changes) => {
    const observed = await observe([specOf(changes)]);
    let reads = 0;
    const tests = observed.tests.map((one) => ({ ...one, targets: () => (reads++, one.targets()) }));
    expect([search({ ...observed, tests }, declare([specOf()], null)).size, reads]).toEqual([0, 0]);
    const own = declare([specOf(changes)], null);
    expect([search({ ...observed, tests }, own).size, reads > 0]).toEqual([1, true]);
  });

  test('the search ends when each declared test is found, and pauses after every 512 tests', async () => {
    const observed = await observe([specOf()]);
    const [listed] = observed.tests;
    if (listed === undefined) throw new Error('no test in the list');
    let reads = 0;
    const copies = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        ...listed,
        id: `copy-${at}` as TestId,
        targets: () => (reads++, listed.targets()),
      }));
    const found = search({ ...observed, tests: copies(20) }, declare([specOf()], null));
    expect([...found.values(), reads]).toEqual(['copy-0', 2]);
    const { unmarked } = performSteps(matchTests(shop.state, { ...observed, tests: copies(1100) }, sha256));
    const other = declare([specOf({ name: 'Other' })], null);
    expect([...unmarked.findMatches(other.tests)]).toEqual([undefined, undefined]);
  });

  test.each([
    ['does not read the URLs of the tests if the names differ', (at: number) => `value-${at}`, 0],
    ['reads the URLs of each test once if the names are equal', () => 'value', 1],
  ] as const)('the search for unmarked tests %s', async (_, nameOf, readsPerTest) => {
    const specs = Array.from({ length: 40 }, (__, at) => {
      const target = { url: 'http://shop.example/', params: [{ name: 'user', value: `user-${at}` }] };
      const [declared] = shop.test('home', { name: nameOf(at), urls: [target] }).state.tests;
      if (declared === undefined) throw new Error('no test');
      return declared.spec;
    });
    const reads = { notes: 0, targets: 0 };
    const observed = await observe(
      specs.map((spec, at) => ({
        ...spec,
        name: spec.name === 'value' ? 'value' : `other-${at}`,
        targets: spec.targets.map((target) => ({
          ...target,
          body: { kind: 'params', fields: [{ name: 'user', value: `ci-${at}` }] } as const,
        })),
      })),
    );
    const tests = observed.tests.map((one): ObservedTest => {
      const counted = {
        ...one,
        targets() {
          reads.targets++;
          return one.targets();
        },
      };
      return Object.defineProperty(counted, 'notes', {
        get() {
          reads.notes++;
          return one.notes;
        },
      });
    });
    expect(search({ ...observed, tests }, declare(specs, null)).size).toBe(0);
    expect(reads.targets).toBe(readsPerTest * tests.length);
    expect(reads.notes).toBeLessThanOrEqual(5 * tests.length);
  });
});

test('the matching of 12,000 tests pauses at least forty times', async () => {
  const keys = 20;
  const copies = 600;
  const { state } = shop.test('template');
  const [template] = state.tests;
  if (template === undefined) throw new Error('no test');
  const observed = await observe([template.spec]);
  const [listed] = observed.tests;
  if (listed === undefined) throw new Error('no test in the list');
  const tests = Array.from({ length: keys * copies }, (_, index) => ({
    ...listed,
    id: `${listed.id}-${index}` as TestId,
    notes: notesWithMarker(null, {
      ...markerOf(state.project, index % keys),
      environment: state.environment,
    }),
  }));
  const declared = Array.from({ length: keys }, (_, index) => ({
    ...template,
    key: testKey(`test-${index}`),
  }));
  const steps = matchTests({ ...state, tests: declared }, { ...observed, tests }, sha256);
  let pauses = 0;
  let result = steps.next();
  for (; result.done !== true; result = steps.next()) pauses++;
  expect(result.value.matches.map(({ superseded }) => superseded.length)).toEqual(
    Array.from({ length: keys }, () => copies),
  );
  expect(pauses).toBeGreaterThanOrEqual(40);
});

describe('tests that may be declared tests without their marker', () => {
  const specOf = (fields: Parameters<typeof shop.test>[1], notes: string | null = null) => {
    const [declared] = shop.test('home', fields).state.tests;
    if (declared === undefined) throw new Error('no test');
    return { ...declared.spec, notes };
  };
  const FIELDS = { duration: '1m', urls: ['http://shop.example/', 'http://shop.example/cart'] };
  const DECLARED = [specOf({ duration: '2m' }), specOf(FIELDS, 'other'), specOf(FIELDS, 'alpha')];

  test.each<readonly [string, LoadTestSpec, boolean]>([
    ['no notes', specOf(FIELDS), true],
    ['another name and load', specOf({ ...FIELDS, name: 'Other', total: 77 }), true],
    ['truncated notes of a declared test', specOf(FIELDS, 'alp'), true],
    ['other notes', specOf(FIELDS, 'By hand.'), false],
    ['a complete marker', specOf(FIELDS, notesWithMarker(null, markerOf('shop', 0))), false],
    ['a damaged marker', specOf(FIELDS, notesWithMarker(null, markerOf('shop', 0)).slice(0, -4)), true],
    ['another duration', specOf({ ...FIELDS, duration: '2m' }), false],
    ['URLs in another order', specOf({ ...FIELDS, urls: FIELDS.urls.toReversed() }), false],
    ['only the first URL', specOf({ ...FIELDS, urls: FIELDS.urls.slice(0, 1) }), false],
  ])('for a test with %s, the possible match is $2', async (_, spec, expected) => {
    const { tests } = await observe([spec]);
    expect(tests.map(createPossibleMatchFilter(declare(DECLARED, null).tests))).toEqual([expected]);
  });
});

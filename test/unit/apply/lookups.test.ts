/** Searches for the effect of a request whose outcome is unknown, and the evidence that they collect. */
import { describe, expect, test } from 'vitest';
import { performInTurns } from '../../../src/apply/turns.ts';
import { readEvidence } from '../../../src/apply/uncertainty/evidence.ts';
import type { CreateLine, JournalLine, StartLine } from '../../../src/apply/uncertainty/journal.ts';
import {
  pollUntilSettled,
  readExisting,
  remainingSettleTime,
} from '../../../src/apply/uncertainty/lookups.ts';
import { sha256 } from '../../../src/cli/files/sha256.ts';
import { CallError } from '../../../src/core/call-error.ts';
import type { Code } from '../../../src/core/codes.ts';
import { resultId, testAddress, testId, testKey } from '../../../src/core/model/ids.ts';
import { problem } from '../../../src/core/problem.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { createApplyContext } from '../../support/apply-context.ts';
import { declareState } from '../../support/declared-state.ts';
import { createMemoryService, type MemoryOptions } from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

function stage(options: Partial<MemoryOptions> = {}) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, verified: ['shop.example'], latency: 0, ...options });
  const context = createApplyContext({ service: service.port, clock, settle: milliseconds(60_000) });
  return { clock, service, context, laptop: createMachine(service, { clock }) };
}

const failure = (code: Code, status: number | null) =>
  new CallError(problem(code, 'failed'), { outcome: 'unknown', status, errors: [] });

describe('a search for the effect of a request', () => {
  test('a search for the effect of a request ends with the first match, after failed and empty reads', async () => {
    const { context } = stage();
    const reads: (string | Error | null)[] = [failure('LT_API_UNREACHABLE', 500), null, 'found', 'later'];
    const found = await pollUntilSettled(() => {
      const next = reads.shift() ?? null;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    }, context);
    expect([found, reads]).toEqual(['found', ['later']]);
  });

  test('if the effect of a request is not found, the search ends after the settle time, and the maximum pause between its reads doubles up to 10 seconds', async () => {
    const { clock, context } = stage();
    const from = clock.monotonic();
    const reads: number[] = [];
    const found = await pollUntilSettled(() => {
      reads.push(clock.monotonic() - from);
      return Promise.resolve(null);
    }, context);
    expect(found).toBeNull();
    expect(reads.at(-1)).toBe(60_000);
    const pauses = reads.slice(1, -1).map((at, index) => at - (reads[index] ?? 0));
    pauses.forEach((pause, index) => {
      const longest = Math.min(10_000, 500 * 2 ** index);
      expect(pause).toBeGreaterThanOrEqual(longest / 2);
      expect(pause).toBeLessThanOrEqual(longest);
    });
    expect(pauses.length).toBeGreaterThan(5);
  });

  test('a search for the effect of a request ends if the service rejects the key, and rethrows a TypeError', async () => {
    const { clock, context } = stage();
    const from = clock.monotonic();
    const rejected = pollUntilSettled(() => Promise.reject(failure('LT_API_KEY', 401)), context);
    expect(await rejected).toBeNull();
    expect(clock.monotonic()).toBe(from);
    await expect(pollUntilSettled(() => Promise.reject(new TypeError('bug')), context)).rejects.toThrow(
      'bug',
    );
  });
});

describe('a read of a test that existed', () => {
  test('the read of a test that is missing in three responses is repeated until the test is found', async () => {
    const { context } = stage();
    let reads = 0;
    const read = () =>
      ++reads < 4 ? Promise.reject(failure('LT_API_REFUSED', 404)) : Promise.resolve('test');
    expect(await readExisting(read, context)).toBe('test');
  });

  test('a read of a test that is missing for the settle time fails with status 404', async () => {
    const { clock, context } = stage();
    const from = clock.monotonic();
    const read = () => Promise.reject(failure('LT_API_REFUSED', 404));
    await expect(readExisting(read, context)).rejects.toMatchObject({ status: 404 });
    expect(clock.monotonic() - from).toBe(60_000);
  });

  test.each<[name: string, status: number, aborted: boolean]>([
    ['a 403 response', 403, false],
    ['a 404 response after a signal', 404, true],
  ])('readExisting throws the error of %s immediately', async (_, status, aborted) => {
    const { clock, context } = stage();
    const from = clock.monotonic();
    const interrupted = aborted ? AbortSignal.abort() : context.interrupted;
    const read = () => Promise.reject(failure('LT_API_REFUSED', status));
    await expect(readExisting(read, { ...context, interrupted })).rejects.toMatchObject({ status });
    expect(clock.monotonic()).toBe(from);
  });
});

/** A request was sent 20 s ago by the wall clock, and at the given time by the clock of the machine. */
test.each<[name: string, remaining: number, ago: number, upAgo: number | undefined]>([
  ['20 s after a request, with an unchanged wall clock', 40, 20, 20],
  ['20 s after a request, without a monotonic time in the journal', 40, 20, undefined],
  ['20 s after a request, with the wall clock set forward', 40, 3600, 20],
  ['20 s after a request, with the wall clock set back', 60, -3600, 20],
  ['20 s after a request, with the machine restarted in between', 60, 20, -3600],
  ['70 s after a request', -10, 70, 70],
])('%s, the rest of a settle time of 60 s is %i s', (_, remaining, ago, upAgo) => {
  const { clock, context } = stage();
  const at = clock.now() - ago * 1000;
  const line = { at, ...(upAgo === undefined ? {} : { up: clock.monotonic() - upAgo * 1000 }) };
  expect(remainingSettleTime(line, context)).toBe(remaining * 1000);
});

describe('the evidence for a request', () => {
  const shop = declareState().app('shop').test('home', { notes: 'Mine.' });

  /** An account after an apply, with the journal line of the create request. */
  async function account(options: Partial<MemoryOptions> = {}) {
    const at = stage(options);
    await at.laptop.apply(shop);
    const created = at.laptop.lines().find((line): line is CreateLine => line.op === 'create');
    if (created === undefined) throw new Error('Bug: no test was created');
    const evidenceOf = async (line: JournalLine) => {
      const list = await at.service.port.listTests();
      const found = await readEvidence(line, list, { service: at.service.port, sha256 });
      const ids = (tests: readonly { readonly id: string }[]) => tests.map(({ id }) => id);
      return {
        withNonce: ids(found.withNonce),
        sameKey: ids(found.sameKey),
        unmarkedMatches: ids(found.unmarkedMatches),
        newResults: found.newResults,
        maybeTruncated: found.maybeTruncated,
      };
    };
    return { ...at, created, evidenceOf, id: at.service.tests[0]?.id ?? testId('none') };
  }

  const NOTHING = {
    withNonce: [],
    sameKey: [],
    unmarkedMatches: [],
    newResults: null,
    maybeTruncated: false,
  };

  test('the evidence for a create request distinguishes a test with the nonce of the request from a test with only the same key', async () => {
    const { created, evidenceOf, id } = await account();
    expect(await evidenceOf(created)).toEqual({ ...NOTHING, withNonce: [id] });
    expect(await evidenceOf({ ...created, nonce: 'other' })).toEqual({ ...NOTHING, sameKey: [id] });
  });

  test.each<[name: string, change: Partial<CreateLine>]>([
    ['project', { p: 'blog' }],
    ['environment', { e: 'staging' }],
    ['key', { address: testAddress(testKey('cart')) }],
  ])('a test of another %s is not evidence for a create request', async (_, change) => {
    const { created, evidenceOf } = await account();
    expect(await evidenceOf({ ...created, ...change })).toEqual(NOTHING);
  });

  test('an unmarked test is evidence for a create request only if its fields equal the fields of the request', async () => {
    const { created, evidenceOf, service, id } = await account();
    const [made] = service.tests;
    if (made === undefined) throw new Error('Bug: no test was created');
    service.addTest({ ...made.spec, notes: 'Mine.', name: 'other' });
    service.edit(id, { notes: 'Mine.' });
    expect(await evidenceOf(created)).toEqual({ ...NOTHING, unmarkedMatches: [id] });
  });

  test('the evidence for a create request states that the list of tests may be incomplete', async () => {
    const { created, evidenceOf, service } = await account();
    service.configure({ maybeTruncated: true });
    expect((await evidenceOf(created)).maybeTruncated).toBe(true);
  });

  test('the evidence for a start request contains the results that did not exist before the request, and nothing if the test is missing', async () => {
    const { created, evidenceOf, service, id } = await account();
    await service.port.runTest(id, 'again');
    const [before, after] = (service.tests[0]?.runs ?? []).map((run) => resultId(run.id));
    if (before === undefined || after === undefined) throw new Error('Bug: the test has two runs');
    const { s: _s, w: _w, r: _r, notes: _notes, ...common } = created;
    const started: StartLine = { ...common, op: 'start', id, before: [before] };
    expect(await evidenceOf(started)).toEqual({ ...NOTHING, withNonce: [id], newResults: [after] });
    expect((await evidenceOf({ ...started, before: null })).newResults).toEqual([after, before]);
    const missing = { ...started, id: testId('missing') };
    expect(await evidenceOf(missing)).toEqual(NOTHING);
    service.configure({ results: 'missing' });
    expect((await evidenceOf(started)).newResults).toBeNull();
  });
});

test('performInTurns takes at least four turns of the event loop for four steps, and none for one step', async () => {
  function* steps(count: number): Generator<undefined, string, undefined> {
    for (let step = 1; step < count; step++) yield;
    return `${count} steps`;
  }
  const turnsOf = async (count: number) => {
    let turns = 0;
    let isDone = false;
    const countTurn = () => {
      if (isDone) return;
      turns++;
      setImmediate(countTurn);
    };
    setImmediate(countTurn);
    const value = await performInTurns(steps(count));
    isDone = true;
    return { value, turns };
  };
  expect(await turnsOf(1)).toEqual({ value: '1 steps', turns: 0 });
  const several = await turnsOf(4);
  expect(several.value).toBe('4 steps');
  expect(several.turns).toBeGreaterThanOrEqual(4);
});

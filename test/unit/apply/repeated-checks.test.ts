/** Checks that are repeated until the service can no longer execute a request: for duplicates, and for missing tests. */
import { describe, expect, it } from 'vitest';
import type { ApplyEvent } from '../../../src/apply/events.ts';
import { confirmMissing } from '../../../src/apply/observation/known-tests.ts';
import { Outcomes } from '../../../src/apply/outcomes.ts';
import { DuplicateWatch } from '../../../src/apply/uncertainty/duplicate-watch.ts';
import type { CreateLine } from '../../../src/apply/uncertainty/journal.ts';
import { CallError } from '../../../src/core/call-error.ts';
import { testAddress, testId, testKey } from '../../../src/core/model/ids.ts';
import { problem } from '../../../src/core/problem.ts';
import { notesWithMarker, type Marker } from '../../../src/core/reconcile/ownership-marker.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { createApplyContext } from '../../support/apply-context.ts';
import { declareState } from '../../support/declared-state.ts';
import { createMemoryService } from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { createVirtualClock, START_TIME } from '../../support/virtual-clock.ts';

const MARKER: Marker = {
  ...{ project: 'shop', environment: null, key: 'home', listed: 's', unlisted: 'w', repetition: 0 },
  nonce: 'nonce001',
};

function callError(status: number): CallError {
  const code = status === 401 ? 'LT_API_KEY' : 'LT_API_REFUSED';
  return new CallError(problem(code, `status ${status}`), { outcome: 'refused', status, errors: [] });
}

interface Scene {
  /** Time at which the test of this command appears in the list, in ms since the start. */
  readonly listedAt?: number;
  /** Error of each list request from a time on. */
  readonly fails?: { readonly from: number; readonly error: Error };
  readonly settle?: number;
  readonly interruptedAt?: number;
  readonly repeats?: boolean;
}

async function watch({ listedAt = 0, fails, settle = 20_000, interruptedAt, repeats = true }: Scene = {}) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, latency: 0 });
  const [declared] = declareState().app('shop').test('home').state.tests;
  if (declared === undefined) throw new Error('Bug: no test is declared');
  service.addTest({ ...declared.spec, notes: notesWithMarker(null, MARKER) }, { id: 't1' });
  const plan = await createMachine(service, { clock }).plan(declareState());
  const { items } = await service.port.listTests();
  const lists: number[] = [];
  const elapsed = () => clock.now() - START_TIME;
  const listTests = () => {
    lists.push(elapsed());
    if (fails !== undefined && elapsed() >= fails.from) return Promise.reject(fails.error);
    return Promise.resolve({ items: elapsed() >= listedAt ? items : [], maybeTruncated: false });
  };
  const signal = new AbortController();
  if (interruptedAt !== undefined) clock.at(START_TIME + interruptedAt, () => signal.abort());
  const context = createApplyContext({
    ...{ service: { ...service.port, listTests }, clock, settle: milliseconds(settle) },
    interrupted: signal.signal,
  });
  const outcomes = new Outcomes(plan, context);
  const watching = new DuplicateWatch(context, outcomes, repeats);
  return { watching, outcomes, lists, clock, items, service, elapsed };
}

describe('checks for duplicates', () => {
  it('a check for duplicates returns the listed tests, and is repeated with growing pauses until the settle time is over', async () => {
    const { watching, lists, clock, items } = await watch();
    watching.tests.add(MARKER, testId('t1'));
    expect(await watching.checkAfterRequest()).toBe(items);
    await clock.sleep(60_000);
    const pauses = lists.slice(1).map((at, index) => at - (lists[index] ?? 0));
    const growing = Array.from({ length: 6 }, (_, index) => 750 * 1.5 ** index);
    expect(pauses).toEqual([500, ...growing, 20_000 - 500 - growing.reduce((sum, one) => sum + one, 0)]);
    expect(lists.at(-1)).toBe(20_000);
  });

  it('the pauses between checks for duplicates start to grow after twice the time that the created test took to appear in the list', async () => {
    const { watching, lists, clock } = await watch({ listedAt: 1400 });
    watching.tests.add(MARKER, testId('t1'));
    expect(await watching.checkAfterRequest()).toEqual([]);
    await clock.sleep(6000);
    expect(lists).toEqual([0, 500, 1000, 1500, 2000, 2500, 3000, 3750, 4875]);
  });

  it('a later request restarts the checks for duplicates and ends the checks for the earlier request', async () => {
    const { watching, lists, clock } = await watch();
    watching.tests.add(MARKER, testId('t1'));
    await watching.checkAfterRequest();
    await clock.sleep(100);
    await watching.checkAfterRequest();
    await clock.sleep(1500);
    expect(lists).toEqual([0, 100, 600, 1350]);
  });

  it.each<[string, readonly number[], Scene]>([
    [
      'until the created test has been listed for as long as it took to appear',
      [0, 500, 1000, 1500, 2000, 2500, 3000, 3000],
      { listedAt: 1400 },
    ],
    ['once, if the test was listed immediately', [0, 0], {}],
    [
      'for the settle time, if the test is never listed',
      [0, 500, 1000, 1200, 1200],
      { listedAt: Infinity, settle: 1200 },
    ],
    ['until a signal', [0, 500, 800, 800], { listedAt: Infinity, interruptedAt: 800 }],
  ])(
    'without repeated checks during its execution, a command repeats the check for duplicates at its end %s',
    async (_, expected, scene) => {
      const { watching, lists, outcomes } = await watch({ ...scene, repeats: false });
      watching.tests.add(MARKER, testId('t1'));
      await watching.checkAfterRequest();
      await watching.end();
      expect(lists).toEqual(expected);
      expect(outcomes.problems).toEqual([]);
    },
  );

  it('a command checks for duplicates once at its end, and not afterward', async () => {
    const { watching, lists, clock } = await watch();
    watching.tests.add(MARKER, testId('t1'));
    await watching.checkAfterRequest();
    await clock.sleep(600);
    await watching.end();
    await clock.sleep(60_000);
    expect(lists).toEqual([0, 500, 600]);
  });

  it('the check for duplicates sends no request if the command has created no test and started no run', async () => {
    const { watching, lists } = await watch({ repeats: false });
    expect(await watching.checkAfterRequest()).toBeNull();
    await watching.end();
    expect(lists).toEqual([]);
  });

  it('failed checks for duplicates are repeated, and one warning is reported at the end of the command', async () => {
    const { watching, lists, outcomes, clock } = await watch({ fails: { from: 0, error: callError(503) } });
    watching.tests.add(MARKER, testId('t1'));
    expect(await watching.checkAfterRequest()).toBeNull();
    await clock.sleep(1200);
    expect(lists).toEqual([0, 500, 1000]);
    await watching.end();
    expect(outcomes.problems).toEqual([problem('LT_API_REFUSED', 'status 503', { severity: 'warning' })]);
    expect(outcomes.isHalted).toBe(false);
  });

  it('after the execution has halted, no check for duplicates is performed', async () => {
    const { watching, lists, outcomes, elapsed } = await watch();
    watching.tests.add(MARKER, testId('t1'));
    outcomes.haltForBug(new TypeError('bug'));
    expect(await watching.checkAfterRequest()).toBeNull();
    await watching.end();
    expect([lists, elapsed(), outcomes.problems]).toEqual([[], 0, []]);
  });

  it('an unexpected error of the first check for duplicates is thrown, and an unexpected error of a repeated check halts the execution', async () => {
    const repeated = await watch({ fails: { from: 500, error: new TypeError('bug') } });
    repeated.watching.tests.add(MARKER, testId('t1'));
    await repeated.watching.checkAfterRequest();
    await repeated.clock.sleep(60_000);
    expect([repeated.lists, repeated.outcomes.isHalted]).toEqual([[0, 500], true]);
    expect(() => repeated.outcomes.throwBug()).toThrow('bug');
    const first = await watch({ fails: { from: 0, error: new TypeError('bug') } });
    first.watching.tests.add(MARKER, testId('t1'));
    await expect(first.watching.checkAfterRequest()).rejects.toThrow('bug');
  });

  it('before it exits, a command reports duplicate tests and duplicate runs', async () => {
    const { watching, outcomes, items, service } = await watch({ repeats: false });
    const [first] = items;
    if (first !== undefined) (items as (typeof first)[]).push({ ...first, id: testId('t2') });
    watching.tests.add(MARKER, testId('t1'));
    await service.port.runTest(testId('t1'), 'again');
    watching.runs.add({ address: testAddress(testKey('cart')), id: testId('t1'), priorResults: [] });
    await watching.end();
    expect(outcomes.problems.map(({ code }) => code)).toEqual(['LT_PLAN_DUPLICATE', 'LT_RUN_DUPLICATE']);
  });
});

describe('checks for missing tests', () => {
  const LINE: CreateLine = {
    ...{ service: 'https://api.example', p: 'shop', e: null, address: testAddress(testKey('home')) },
    ...{ nonce: 'n1', phase: 'done', at: 1, op: 'create', s: 's', w: 'w', r: 0, id: testId('t9') },
  };
  const OTHER = { ...LINE, nonce: 'n2', id: testId('t8') };
  const CART = { ...LINE, nonce: 'n3', id: null, address: testAddress(testKey('cart')) };

  async function confirm(
    lines: readonly CreateLine[],
    scene: {
      readonly settle?: number;
      readonly errors?: readonly [from: number, error: Error | null][];
      readonly interruptedAt?: number;
    } = {},
  ) {
    const clock = { ...createVirtualClock(), random: () => 0 };
    const service = createMemoryService({ clock, latency: 0 });
    const [declared] = declareState().app('shop').test('home').state.tests;
    if (declared !== undefined) service.addTest(declared.spec, { id: 't9' });
    const events: ApplyEvent[] = [];
    const reads: number[] = [];
    const signal = new AbortController();
    if (scene.interruptedAt !== undefined) clock.at(START_TIME + scene.interruptedAt, () => signal.abort());
    const context = createApplyContext({
      service: {
        ...service.port,
        getTest: (id) => {
          const elapsed = clock.now() - START_TIME;
          reads.push(elapsed);
          const [, error = callError(404)] = (scene.errors ?? []).findLast(([from]) => from <= elapsed) ?? [];
          return error === null ? service.port.getTest(id) : Promise.reject(error);
        },
      },
      ...{ clock, settle: milliseconds(scene.settle ?? 1000), interrupted: signal.signal },
      emit: (event) => events.push(event),
    });
    for (const line of lines) context.journal.write(line);
    const found = await confirmMissing(lines, context).catch((error: unknown) => error);
    const texts = events.map((event) => (event.kind === 'note' ? event.text : event.kind));
    return { found, reads, texts, lines: context.journal.lines(), elapsed: clock.now() - START_TIME };
  }

  const noteOn = (tests: string) =>
    `the service does not list the test of ${tests}, which was created earlier; checking again before re-creating it`;

  it('tests that the service does not find for the settle time are recorded as gone in the journal', async () => {
    const { found, reads, texts, lines } = await confirm([LINE, OTHER, CART]);
    expect(found).toBe(false);
    expect(reads).toEqual([0, 0, 250, 250, 750, 750, 1000, 1000]);
    expect(texts).toEqual([noteOn('test.home, test.cart')]);
    expect(lines).toEqual(
      [LINE, OTHER, CART].map((line) => ({ ...line, phase: 'gone', at: START_TIME + 1000 })),
    );
  });

  it('without create lines in the journal, confirmMissing reads no test', async () => {
    expect(await confirm([])).toMatchObject({ found: false, reads: [], texts: [], elapsed: 0 });
  });

  it('with a settle time of 0, a missing test is read once and recorded as gone, without a note', async () => {
    const { found, reads, texts, lines } = await confirm([LINE], { settle: 0 });
    expect([found, reads, texts, lines[0]?.phase]).toEqual([false, [0], [], 'gone']);
  });

  it('a test that is found after a 404 and a 503 response is not recorded as gone', async () => {
    const errors = [
      [0, callError(404)],
      [200, callError(503)],
      [700, null],
    ] as const;
    const { found, reads, lines } = await confirm([LINE], {
      errors: errors.map(([from, error]) => [from, error]),
    });
    expect([found, reads]).toEqual([true, [0, 250, 750]]);
    expect(lines).toEqual([LINE]);
  });

  it('a signal ends the search for a missing test, and the test is not recorded as gone', async () => {
    const { found, reads, lines } = await confirm([LINE], { interruptedAt: 300 });
    expect([found, reads]).toEqual([false, [0, 250, 300]]);
    expect(lines).toEqual([LINE]);
  });

  it.each<[string, number, Error]>([
    ['a rejected key', 0, callError(401)],
    ['an unexpected error', 0, new TypeError('bug')],
    ['a failed read after the settle time', 1000, callError(503)],
  ])(
    '%s ends the search for missing tests after %i ms, and the error is thrown',
    async (_, elapsed, error) => {
      const found = await confirm([LINE], { errors: [[0, error]] });
      expect(found.found).toBe(error);
      expect(found.elapsed).toBe(elapsed);
      expect(found.lines).toEqual([LINE]);
    },
  );
});

/** Publication of verdicts to the service, which never affects the command. */
import { describe, expect, it } from 'vitest';
import type { ApplyEvent } from '../../../src/apply/events.ts';
import { VerdictPublisher } from '../../../src/apply/runs/verdict-publisher.ts';
import { readRunVerdict } from '../../../src/core/run-record/read-verdict.ts';
import { OWN_EXTENSIONS } from '../../../src/core/model/extensions.ts';
import { testId } from '../../../src/core/model/ids.ts';
import { haveSameVerdict, type RunVerdict } from '../../../src/core/model/run-verdict.ts';
import { createMachine, type MachineApplyResult } from '../../support/simulated-machine.ts';
import {
  faultOnCall,
  createMemoryService,
  type MemoryFault,
  type MemoryOptions,
} from '../../support/memory-service.ts';
import { createPastRun } from '../../support/past-run.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState, type TestFields } from '../../support/declared-state.ts';

function stage(options: Partial<MemoryOptions> = {}) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, verified: ['shop.example'], ...options });
  return { clock, service, laptop: createMachine(service, { clock }) };
}

const home = (fields: TestFields = {}) =>
  declareState()
    .app('shop')
    .test('home', { thresholds: { error_rate: '< 1%' }, ...fields });

/** Returns the stored verdict of each run. */
function storedVerdicts({ service }: ReturnType<typeof stage>): readonly (RunVerdict | null)[] {
  return service.tests.flatMap(({ runs }) => runs.map(({ verdict }) => readRunVerdict(verdict)));
}

/** Returns the verdicts of the command, without source locations. */
function commandVerdicts({ execution }: MachineApplyResult): readonly RunVerdict[] {
  return (execution?.runs ?? []).map(({ verdict }) => verdict);
}

function details({ events }: Pick<MachineApplyResult, 'events'>): readonly string[] {
  return events.flatMap((event) => (event.kind === 'detail' ? [event.text] : []));
}

describe('published verdicts', () => {
  it.each([
    ['pass', {}],
    ['fail', { thresholds: { avg_response_time: '< 1ms' } }],
    ['inconclusive', { thresholds: { p99: '< 1ms' } }],
  ] as const)('apply publishes the verdict "%s" unchanged', async (verdict, fields) => {
    const at = stage();
    const applied = await at.laptop.apply(home(fields));
    const [published] = storedVerdicts(at);
    expect(published?.verdict).toBe(verdict);
    expect(
      published !== null &&
        published !== undefined &&
        commandVerdicts(applied).map((one) => haveSameVerdict(one, published)),
    ).toEqual([true]);
    expect(details(applied)).toEqual([]);
  });

  it('apply publishes a separate verdict for the run of each round', async () => {
    const at = stage();
    const applied = await at.laptop.apply(home(), { plan: { repeat: 3 } });
    expect(commandVerdicts(applied)).toHaveLength(3);
    expect(storedVerdicts(at).map((one) => one?.verdict)).toEqual(['pass', 'pass', 'pass']);
  });

  it('apply publishes the verdict of an unchanged test again only if the verdict has changed', async () => {
    const at = stage();
    await at.laptop.apply(home());
    const published = at.service.count('saveVerdict');
    await at.laptop.apply(home());
    expect(at.service.count('saveVerdict')).toBe(published);
    const { exit } = await at.laptop.apply(home({ thresholds: { error_rate: '> 5%' } }));
    expect(exit).toBe(10);
    expect(at.service.count('saveVerdict')).toBe(published + 1);
    expect(storedVerdicts(at)).toMatchObject([{ verdict: 'fail', thresholds: [{ limit: '> 5%' }] }]);
  });

  it('apply publishes the thresholds of a started run before the verdict', async () => {
    const clock = createVirtualClock();
    const { port } = createMemoryService({ clock });
    const saved: RunVerdict[] = [];
    const publisher = new VerdictPublisher({
      service: { ...port, saveVerdict: (...[, , verdict]) => Promise.resolve(void saved.push(verdict)) },
      clock,
      emit: () => undefined,
    });
    const threshold = { metric: 'p95', limit: '< 1ms', value: null, verdict: 'inconclusive' } as const;
    const started: RunVerdict = { verdict: 'inconclusive', thresholds: [threshold], reason: 'has not ended' };
    const ended: RunVerdict = { verdict: 'pass', thresholds: [], reason: null };
    const [id, result] = [testId('t1'), createPastRun(10)];
    publisher.publishThresholds(id, result.id, started);
    publisher.publishThresholds(id, null, started);
    publisher.publishThresholds(id, result.id, ended);
    publisher.publish(id, result, ended);
    await publisher.end();
    expect(saved).toEqual([
      { verdict: 'none', thresholds: [threshold], reason: null, inProgress: true },
      ended,
    ]);
  });

  it.each([true, false])(
    'with "wait" set to %s, apply publishes the thresholds of a started run, and the verdict only if it waits',
    async (wait) => {
      const at = stage();
      await at.laptop.apply(home(), { execute: { wait } });
      const [run] = at.service.tests.flatMap(({ runs }) => runs);
      expect(run?.thresholds).toMatchObject({
        verdict: 'none',
        in_progress: true,
        thresholds: [{ metric: 'error_rate', limit: '< 1%', value: null }],
      });
      expect(run?.verdict === undefined).toBe(!wait);
    },
  );

  it('apply publishes no verdict for tests without thresholds', async () => {
    const at = stage();
    await at.laptop.apply(home({ thresholds: {} }));
    expect(at.service.count('listExtensions') + at.service.count('saveVerdict')).toBe(0);
  });
});

describe('failed publications', () => {
  it('apply publishes no verdict to a service without the extension "verdict"', async () => {
    const at = stage({ extensions: OWN_EXTENSIONS.filter((name) => name !== 'verdict') });
    const applied = await at.laptop.apply(home());
    expect([applied.exit, details(applied), at.service.count('saveVerdict')]).toEqual([0, [], 0]);
  });

  const faults: readonly MemoryFault[] = [
    { kind: 'refused', status: 422 },
    { kind: 'refused', status: 401 },
    { kind: 'lost' },
    { kind: 'broken', executed: false },
    { kind: 'not_sent' },
  ];
  const operations = ['listExtensions', 'saveVerdict'] as const;
  it.each(operations.flatMap((operation) => faults.map((fault) => [operation, fault] as const)))(
    'if the request %s fails with %j, apply exits with 0, sends no second request of this kind, and reports that verdicts were not published',
    async (operation, fault) => {
      const at = stage({ faults: faultOnCall(operation, 1, fault) });
      const applied = await at.laptop.apply(home().test('cart', { thresholds: { error_rate: '< 1%' } }));
      expect([applied.exit, applied.execution?.problems]).toEqual([0, []]);
      expect(at.service.count(operation)).toBe(1);
      expect(details(applied)).toEqual([expect.stringContaining('some verdicts were not published: ')]);
    },
  );

  it('at its end, a command waits two seconds for publications without a response, and reports that verdicts were not published', async () => {
    const clock = createVirtualClock();
    const events: ApplyEvent[] = [];
    const publisher = new VerdictPublisher({
      service: {
        ...createMemoryService({ clock }).port,
        saveVerdict: () => new Promise(() => undefined),
      },
      clock,
      emit: (event) => events.push(event),
    });
    const verdict: RunVerdict = { verdict: 'pass', thresholds: [], reason: null };
    for (const p95 of [10, 20]) publisher.publish(testId('t1'), createPastRun(p95), verdict);
    const before = clock.now();
    await publisher.end();
    expect(clock.now() - before).toBe(2000);
    expect(details({ events })).toEqual([
      'some verdicts were not published: the service did not respond in time',
    ]);
  });
});

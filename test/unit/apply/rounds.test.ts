import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../src/core/units.ts';
import { createMachine, type MachineApplyResult } from '../../support/simulated-machine.ts';
import { faultOnCall, createMemoryService, type MemoryOptions } from '../../support/memory-service.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState } from '../../support/declared-state.ts';

function stage(options: Partial<MemoryOptions> = {}) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, verified: ['shop.example', 'search.example'], ...options });
  return { clock, service, laptop: createMachine(service, { clock }) };
}

const shop = declareState().app('shop').app('search');
const both = shop.test('home', { name: 'home' }).test('cart', { name: 'cart', needs: ['home'] });

/** Returns the runs in their order, such as `home 1`. */
function listRuns({ execution }: MachineApplyResult): readonly string[] {
  return (execution?.runs ?? []).map(
    ({ address, round }) => `${address.slice('test.'.length)} ${String(round)}`,
  );
}

/** Returns the names of runs in the order of their starts, and whether any two overlapped. */
function listStarts({ service }: ReturnType<typeof stage>) {
  const runs = service.tests
    .flatMap((one) => one.runs.map(({ startedAt, endsAt }) => ({ name: one.spec.name, startedAt, endsAt })))
    .sort((a, b) => a.startedAt - b.startedAt);
  const overlap = runs.some(({ startedAt }, index) => startedAt < (runs[index - 1]?.endsAt ?? 0));
  return { names: runs.map(({ name }) => name), overlap };
}

describe('rounds', () => {
  it('two tests run one after the other in each round, and each test is created only once', async () => {
    const at = stage();
    const applied = await at.laptop.apply(both, { plan: { repeat: 3 } });
    expect(applied.exit).toBe(0);
    expect(listRuns(applied)).toEqual(['home 1', 'cart 1', 'home 2', 'cart 2', 'home 3', 'cart 3']);
    expect(listStarts(at)).toEqual({
      names: ['home', 'cart', 'home', 'cart', 'home', 'cart'],
      overlap: false,
    });
    expect(at.service.count('createTest')).toBe(2);
    expect(at.service.count('runTest')).toBe(4);
  });

  it('the load that a plan states includes all rounds', async () => {
    const at = stage();
    const once = (await at.laptop.plan(both)).load;
    const thrice = (await at.laptop.plan(both, { repeat: 3 })).load;
    expect(thrice).toEqual({ ...once, starts: 3 * once.starts, seconds: 3 * once.seconds, rounds: 3 });
  });

  it('each round has one run of each test even if the response to a start request is lost', async () => {
    const at = stage({ faults: faultOnCall('runTest', 1, { kind: 'answer_lost' }) });
    const applied = await at.laptop.apply(both, { plan: { repeat: 2 } });
    expect(applied.exit).toBe(0);
    expect(at.service.tests.map(({ runs }) => runs.length)).toEqual([2, 2]);
    expect(listRuns(applied)).toEqual(['home 1', 'cart 1', 'home 2', 'cart 2']);
  });

  it('no further round starts if a run cannot be started', async () => {
    const at = stage({ faults: faultOnCall('runTest', 1, { kind: 'refused', status: 422 }) });
    const applied = await at.laptop.apply(both, { plan: { repeat: 3 } });
    expect(applied.exit).toBe(7);
    expect(listRuns(applied)).not.toContain('home 3');
    expect(applied.execution?.roundsLeft).toBe(2);
  });

  it('no further round or run starts after a signal', async () => {
    const at = stage();
    const interruption = new AbortController();
    const applying = at.laptop.apply(both, { plan: { repeat: 5 }, interrupted: interruption.signal });
    await at.clock.sleep(milliseconds(20_000));
    interruption.abort();
    const applied = await applying;
    expect(at.service.count('runTest')).toBe(0);
    expect(applied.execution?.roundsLeft).toBe(5);
  });

  it('no further round starts if apply has started no test in the first round', async () => {
    const at = stage();
    await at.laptop.apply(both);
    const applied = await at.laptop.apply(both, { plan: { repeat: 3 } });
    expect(at.service.count('runTest')).toBe(0);
    expect(applied.execution?.roundsLeft).toBe(0);
  });

  it('each round is evaluated with the thresholds, and only the last round with the regression thresholds', async () => {
    const at = stage();
    const limit = { metric: 'avg_response_time', allowed: 0.1, limit: '10%', source: null } as const;
    const { state } = shop.test('home', { thresholds: { error_rate: '< 1%' } });
    const tests = state.tests.map((one) => ({
      ...one,
      regression: {
        thresholds: [limit],
        baseline: { kind: 'missing', path: 'baselines/home.json' } as const,
      },
    }));
    const applied = await at.laptop.apply(declareState({ ...state, tests }), { plan: { repeat: 2 } });
    const evaluated = (applied.execution?.runs ?? []).map(({ verdict }) => [
      verdict.verdict,
      verdict.thresholds.map(({ metric }) => metric),
    ]);
    expect(evaluated).toEqual([
      ['pass', ['error_rate']],
      ['inconclusive', ['error_rate', 'avg_response_time']],
    ]);
    expect(applied.exit).toBe(11);
  });
});

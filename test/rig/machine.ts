/** One machine with its journal: plans and applies on a service, as the command line does. */
import { exitCodeOfExecution, type ExecuteOptions } from '../../src/apply/execute.ts';
import { closeDoubles } from '../../src/apply/doubles.ts';
import { settleIntents } from '../../src/apply/intents.ts';
import { sourcesOfState } from '../../src/apply/places.ts';
import type { JournalFile, JournalLine } from '../../src/apply/journal.ts';
import { executeRounds, type RepeatedExecution } from '../../src/apply/rounds.ts';
import { observeAndPlan } from '../../src/apply/observe.ts';
import type { ApplyEvent } from '../../src/apply/events.ts';
import type { World } from '../../src/apply/world.ts';
import type { DesiredState } from '../../src/core/model/state.ts';
import type { Problem } from '../../src/core/problem.ts';
import type { Plan, PlanOptions } from '../../src/core/reconcile/plan.ts';
import { milliseconds } from '../../src/core/units.ts';
import { applyWorld, journalIn } from './apply-world.ts';
import type { DeclaredWorld } from './world.ts';
import type { MemoryService } from './memory-service.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface Applied {
  readonly exit: number;
  /** Of the open intents of earlier commands. */
  readonly settled: readonly Problem[];
  readonly plan: Plan;
  /** Null: an open intent forbade it. */
  readonly execution: RepeatedExecution | null;
  readonly events: readonly ApplyEvent[];
}

export interface ApplyGiven {
  readonly plan?: Partial<PlanOptions>;
  readonly execute?: Partial<ExecuteOptions>;
  readonly interrupted?: AbortSignal;
}

export interface Machine {
  readonly world: World;
  plan(declared: DeclaredWorld, options?: Partial<PlanOptions>): Promise<Plan>;
  apply(declared: DeclaredWorld, given?: ApplyGiven): Promise<Applied>;
  /** As `recover` does; gives the ids. */
  closeDoubles(declared: DeclaredWorld): Promise<readonly string[]>;
  /** Every line of what was sent, as `OP PHASE`. */
  phases(): readonly string[];
  lines(): readonly JournalLine[];
  /** Everything but the journal is forgotten; the journal as well, when asked. */
  elsewhere(): Machine;
}

export const EXECUTE: ExecuteOptions = {
  parallelism: 4,
  wait: true,
  timeout: null,
  onInterrupt: 'stop',
  requireVerdict: false,
  allowUnmarked: false,
};

export function planOptions(now: number, options: Partial<PlanOptions> = {}): PlanOptions {
  return {
    now,
    start: true,
    maxAge: null,
    replace: [],
    onDrift: 'report',
    only: [],
    exclude: [],
    allowLimits: [],
    allowUnmarked: false,
    ...options,
  };
}

export interface MachineGiven {
  readonly clock: VirtualClock;
  readonly settle?: number;
  readonly name?: string;
  /** Called with each line before it is kept; throws when the disk refuses. */
  readonly disk?: (line: JournalLine) => void;
}

export function machine(service: MemoryService, given: MachineGiven): Machine {
  const { clock, name = 'a' } = given;
  const texts: string[] = [];
  const file: JournalFile = {
    read: () => texts.join(''),
    append: (text) => {
      given.disk?.(JSON.parse(text) as JournalLine);
      texts.push(text);
    },
  };
  let nonces = 0;
  const worldOf = (declared: DesiredState | null, quiet: Pick<World, 'emit' | 'interrupted'>): World =>
    applyWorld({
      service: service.port,
      journal: journalIn(file, declared ?? undefined),
      clock,
      nonce: () => `${name}${String(++nonces).padStart(7, '0')}`,
      verificationIdOf: (id) => `memory-${id}`,
      settle: milliseconds(given.settle ?? 65_000),
      ...quiet,
    });

  async function plan(
    declared: DeclaredWorld,
    options: Partial<PlanOptions> = {},
    applying: World | null = null,
  ): Promise<Plan> {
    const desired = declared.state;
    const given = { options: planOptions(clock.now(), options), parallelism: 1, world: applying };
    return (await observeAndPlan(desired, worldOf(desired, QUIET), given)).plan;
  }

  return {
    world: worldOf(null, QUIET),
    plan: async (declared, options) => await plan(declared, options),
    apply: async (declared, { plan: options, execute: executeOptions, interrupted } = {}) => {
      const events: ApplyEvent[] = [];
      const world = worldOf(declared.state, {
        emit: (event) => events.push(event),
        interrupted: interrupted ?? QUIET.interrupted,
      });
      const settled = await settleIntents(world, sourcesOfState(declared.state));
      const made = await plan(declared, options, world);
      if (settled.some((one) => one.severity === 'error')) {
        return { exit: 8, settled, plan: made, execution: null, events };
      }
      const execution = await executeRounds(made, declared.state.apps, {
        world,
        rounds: options?.repeat ?? 1,
        options: { ...EXECUTE, ...executeOptions },
      });
      return { exit: exitCodeOfExecution(execution, null), settled, plan: made, execution, events };
    },
    closeDoubles: async (declared) => {
      const { items } = await service.port.listTests();
      const closed = await closeDoubles(items, worldOf(declared.state, QUIET));
      return closed.map(({ id }) => id);
    },
    phases: () =>
      linesOf(texts)
        .filter(({ phase, result }) => phase !== 'done' || result === undefined)
        .map(({ op, phase }) => `${op} ${phase}`),
    lines: () => linesOf(texts),
    elsewhere: () => machine(service, { ...given, name: 'z' }),
  };
}

const QUIET: Pick<World, 'emit' | 'interrupted'> = {
  emit: () => undefined,
  interrupted: new AbortController().signal,
};

function linesOf(texts: readonly string[]): readonly JournalLine[] {
  return texts.map((text) => JSON.parse(text) as JournalLine);
}

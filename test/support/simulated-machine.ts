/** One machine with its journal: plans and applies on a service, as the command line does. */
import { exitCodeOfExecution, type ExecuteOptions } from '../../src/apply/execute.ts';
import { closeDuplicates } from '../../src/apply/duplicates.ts';
import { settleIntents } from '../../src/apply/intents.ts';
import { sourcesOfState } from '../../src/apply/source-locations.ts';
import type { JournalFile, JournalLine } from '../../src/apply/journal.ts';
import { executeRounds, type RepeatedExecution } from '../../src/apply/rounds.ts';
import { observeAndPlan } from '../../src/apply/observe.ts';
import type { ApplyEvent } from '../../src/apply/events.ts';
import type { ApplyContext } from '../../src/apply/apply-context.ts';
import type { DesiredState } from '../../src/core/model/state.ts';
import type { Problem } from '../../src/core/problem.ts';
import type { Plan, PlanOptions } from '../../src/core/reconcile/plan.ts';
import { milliseconds } from '../../src/core/units.ts';
import { createApplyContext, openJournal } from './apply-context.ts';
import type { DeclaredStateBuilder } from './declared-state.ts';
import type { MemoryService } from './memory-service.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface MachineApplyResult {
  readonly exit: number;
  /** Of the open intents of earlier commands. */
  readonly settled: readonly Problem[];
  readonly plan: Plan;
  /** Null: an open intent forbade it. */
  readonly execution: RepeatedExecution | null;
  readonly events: readonly ApplyEvent[];
}

export interface MachineApplyOptions {
  readonly plan?: Partial<PlanOptions>;
  readonly execute?: Partial<ExecuteOptions>;
  readonly interrupted?: AbortSignal;
}

export interface SimulatedMachine {
  readonly context: ApplyContext;
  plan(declared: DeclaredStateBuilder, options?: Partial<PlanOptions>): Promise<Plan>;
  apply(declared: DeclaredStateBuilder, given?: MachineApplyOptions): Promise<MachineApplyResult>;
  /** As `recover` does; gives the ids. */
  closeDuplicates(declared: DeclaredStateBuilder): Promise<readonly string[]>;
  /** Every line of what was sent, as `OP PHASE`. */
  phases(): readonly string[];
  lines(): readonly JournalLine[];
  /** Everything but the journal is forgotten; the journal as well, when asked. */
  withoutState(): SimulatedMachine;
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

export interface MachineOptions {
  readonly clock: VirtualClock;
  readonly settle?: number;
  readonly name?: string;
  /** Called with each line before it is kept; throws when the disk refuses. */
  readonly disk?: (line: JournalLine) => void;
}

export function createMachine(service: MemoryService, given: MachineOptions): SimulatedMachine {
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
  const worldOf = (
    declared: DesiredState | null,
    quiet: Pick<ApplyContext, 'emit' | 'interrupted'>,
  ): ApplyContext =>
    createApplyContext({
      service: service.port,
      journal: openJournal(file, declared ?? undefined),
      clock,
      nonce: () => `${name}${String(++nonces).padStart(7, '0')}`,
      verificationIdOf: (id) => `memory-${id}`,
      settle: milliseconds(given.settle ?? 65_000),
      ...quiet,
    });

  async function plan(
    declared: DeclaredStateBuilder,
    options: Partial<PlanOptions> = {},
    applying: ApplyContext | null = null,
  ): Promise<Plan> {
    const desired = declared.state;
    const given = { options: planOptions(clock.now(), options), parallelism: 1, context: applying };
    return (await observeAndPlan(desired, worldOf(desired, NO_EVENTS), given)).plan;
  }

  return {
    context: worldOf(null, NO_EVENTS),
    plan: async (declared, options) => await plan(declared, options),
    apply: async (declared, { plan: options, execute: executeOptions, interrupted } = {}) => {
      const events: ApplyEvent[] = [];
      const context = worldOf(declared.state, {
        emit: (event) => events.push(event),
        interrupted: interrupted ?? NO_EVENTS.interrupted,
      });
      const settled = await settleIntents(context, sourcesOfState(declared.state));
      const made = await plan(declared, options, context);
      if (settled.some((one) => one.severity === 'error')) {
        return { exit: 8, settled, plan: made, execution: null, events };
      }
      const execution = await executeRounds(made, declared.state.apps, {
        context,
        rounds: options?.repeat ?? 1,
        options: { ...EXECUTE, ...executeOptions },
      });
      return { exit: exitCodeOfExecution(execution, null), settled, plan: made, execution, events };
    },
    closeDuplicates: async (declared) => {
      const { items } = await service.port.listTests();
      const closed = await closeDuplicates(items, worldOf(declared.state, NO_EVENTS));
      return closed.map(({ id }) => id);
    },
    phases: () =>
      journalLinesOf(texts)
        .filter(({ phase, result }) => phase !== 'done' || result === undefined)
        .map(({ op, phase }) => `${op} ${phase}`),
    lines: () => journalLinesOf(texts),
    withoutState: () => createMachine(service, { ...given, name: 'z' }),
  };
}

const NO_EVENTS: Pick<ApplyContext, 'emit' | 'interrupted'> = {
  emit: () => undefined,
  interrupted: new AbortController().signal,
};

function journalLinesOf(texts: readonly string[]): readonly JournalLine[] {
  return texts.map((text) => JSON.parse(text) as JournalLine);
}

/** A machine with its journal, which plans and applies like the CLI. */
import { exitCodeOfExecution, type ExecuteOptions } from '../../src/apply/execute.ts';
import { closeDuplicates } from '../../src/apply/uncertainty/duplicates.ts';
import { settleIntents } from '../../src/apply/uncertainty/intents.ts';
import { sourcesOfState } from '../../src/apply/source-locations.ts';
import type { JournalFile, JournalLine } from '../../src/apply/uncertainty/journal.ts';
import { executeRounds, type RepeatedExecution } from '../../src/apply/rounds.ts';
import { observeAndPlan } from '../../src/apply/observation/observe.ts';
import type { ApplyEvent } from '../../src/apply/events.ts';
import type { ApplyContext } from '../../src/apply/apply-context.ts';
import type { DesiredState } from '../../src/core/model/state.ts';
import type { Problem } from '../../src/core/problem.ts';
import type { Plan } from '../../src/core/reconcile/plan.ts';
import type { PlanOptions } from '../../src/core/reconcile/plan-input.ts';
import { milliseconds } from '../../src/core/units.ts';
import { createApplyContext, openJournal } from './apply-context.ts';
import type { DeclaredStateBuilder } from './declared-state.ts';
import type { MemoryService } from './memory-service.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface MachineApplyResult {
  readonly exit: number;
  /** Problems of settling the open intents of earlier commands. */
  readonly settled: readonly Problem[];
  readonly plan: Plan;
  /** Null if an open intent prevented it. */
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
  apply(declared: DeclaredStateBuilder, options?: MachineApplyOptions): Promise<MachineApplyResult>;
  /** Closes duplicates like `recover`, and returns their ids. */
  closeDuplicates(declared: DeclaredStateBuilder): Promise<readonly string[]>;
  /** Every line about a sent operation, as `OP PHASE`. */
  phases(): readonly string[];
  lines(): readonly JournalLine[];
  /** Forgets everything except the journal, and the journal on request. */
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
  /** Called with each line before it is stored; throws if the disk rejects it. */
  readonly disk?: (line: JournalLine) => void;
}

export function createMachine(service: MemoryService, machine: MachineOptions): SimulatedMachine {
  const { clock, name = 'a' } = machine;
  const texts: string[] = [];
  const file: JournalFile = {
    read: () => texts.join(''),
    append: (text) => {
      machine.disk?.(JSON.parse(text) as JournalLine);
      texts.push(text);
    },
  };
  let nonces = 0;
  const contextFor = (
    declared: DesiredState | null,
    quiet: Pick<ApplyContext, 'emit' | 'interrupted'>,
  ): ApplyContext =>
    createApplyContext({
      service: service.port,
      journal: openJournal(file, declared ?? undefined),
      clock,
      nonce: () => `${name}${String(++nonces).padStart(7, '0')}`,
      verificationIdOf: (id) => `memory-${id}`,
      settle: milliseconds(machine.settle ?? 65_000),
      ...quiet,
    });

  async function plan(
    declared: DeclaredStateBuilder,
    options: Partial<PlanOptions> = {},
    applying: ApplyContext | null = null,
  ): Promise<Plan> {
    const desired = declared.state;
    const observeOptions = { options: planOptions(clock.now(), options), parallelism: 1, context: applying };
    return (await observeAndPlan(desired, contextFor(desired, NO_EVENTS), observeOptions)).plan;
  }

  return {
    context: contextFor(null, NO_EVENTS),
    plan: async (declared, options) => await plan(declared, options),
    apply: async (declared, { plan: options, execute: executeOptions, interrupted } = {}) => {
      const events: ApplyEvent[] = [];
      const context = contextFor(declared.state, {
        emit: (event) => events.push(event),
        interrupted: interrupted ?? NO_EVENTS.interrupted,
      });
      const settled = await settleIntents(context, sourcesOfState(declared.state));
      const planned = await plan(declared, options, context);
      if (settled.some((problem) => problem.severity === 'error')) {
        return { exit: 8, settled, plan: planned, execution: null, events };
      }
      const execution = await executeRounds(planned, declared.state.apps, {
        context,
        rounds: options?.repeat ?? 1,
        options: { ...EXECUTE, ...executeOptions },
      });
      return { exit: exitCodeOfExecution(execution, null), settled, plan: planned, execution, events };
    },
    closeDuplicates: async (declared) => {
      const { items } = await service.port.listTests();
      const closed = await closeDuplicates(items, contextFor(declared.state, NO_EVENTS));
      return closed.map(({ id }) => id);
    },
    phases: () =>
      journalLinesOf(texts)
        .filter(({ phase, result }) => phase !== 'done' || result === undefined)
        .map(({ op, phase }) => `${op} ${phase}`),
    lines: () => journalLinesOf(texts),
    withoutState: () => createMachine(service, { ...machine, name: 'z' }),
  };
}

const NO_EVENTS: Pick<ApplyContext, 'emit' | 'interrupted'> = {
  emit: () => undefined,
  interrupted: new AbortController().signal,
};

function journalLinesOf(texts: readonly string[]): readonly JournalLine[] {
  return texts.map((text) => JSON.parse(text) as JournalLine);
}

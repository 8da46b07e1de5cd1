import type { Address, ResultId } from '../core/model/ids.ts';
import { ProblemError, type Problem } from '../core/problem.ts';
import type { Action } from '../core/reconcile/action.ts';
import type { Plan } from '../core/reconcile/plan.ts';
import type { ActionEnd } from '../core/report/plan-document.ts';
import type { ActionOutcome } from './events.ts';
import { problemsOfFailure, withSourceLocation, sourcesOfPlan, type SourceOf } from './source-locations.ts';
import type { ApplyContext } from './apply-context.ts';

export interface DoneAction extends ActionEnd {
  readonly resultId: ResultId | null;
}

export class Outcomes {
  readonly problems: Problem[] = [];
  readonly #plan: Plan;
  readonly #sourceOf: SourceOf;
  readonly #context: Pick<ApplyContext, 'emit' | 'interrupted' | 'locateField'>;
  readonly #done = new Map<Action, DoneAction>();
  /** True after a rejected API key or a bug. */
  #halted = false;
  #bug: { readonly error: unknown } | null = null;

  constructor(plan: Plan, context: Pick<ApplyContext, 'emit' | 'interrupted' | 'locateField'>) {
    this.#plan = plan;
    this.#sourceOf = sourcesOfPlan(plan);
    this.#context = context;
  }

  get isHalted(): boolean {
    return this.#halted;
  }

  /** True if no further action may start. */
  get isStopping(): boolean {
    return this.#halted || this.#context.interrupted.aborted;
  }

  /** Stores the error of a bug in a concurrent task, and prevents further actions. */
  haltForBug(error: unknown): void {
    this.#bug ??= { error };
    this.#halted = true;
  }

  throwBug(): void {
    if (this.#bug !== null) throw this.#bug.error;
  }

  actions(): readonly DoneAction[] {
    return this.#plan.actions.map((action) => this.#done.get(action) ?? toNotAttempted(action));
  }

  of(action: Action): ActionOutcome | undefined {
    return this.#done.get(action)?.outcome;
  }

  end(action: Action, done: Partial<DoneAction> & { readonly outcome: ActionOutcome }, text: string): void {
    this.#done.set(action, { action, id: null, resultId: null, ...done });
    const { verb, address } = action;
    this.#context.emit({ kind: 'end', verb, address, outcome: done.outcome, text });
  }

  /** Records a ProblemError as the outcome of an action. Rethrows other errors. */
  fail(action: Action, error: unknown): void {
    const { code, message } = this.record(action.address, error);
    this.end(action, { outcome: OUTCOME_BY_CODE[code] ?? 'failed' }, message);
  }

  add(address: Address, ...problems: readonly Problem[]): void {
    this.problems.push(...problems.map((one) => withSourceLocation(one, address, this.#sourceOf)));
  }

  /** Records a ProblemError and returns its problem. Rethrows other errors. */
  record(address: Address, error: unknown): Problem {
    if (!(error instanceof ProblemError)) throw error;
    const { problem } = error;
    // The command reports the interruption once, not for each action.
    if (problem.code !== 'LT_CLI_INTERRUPTED') {
      const { locateField } = this.#context;
      this.problems.push(...problemsOfFailure(error, address, { sourceOf: this.#sourceOf, locateField }));
    }
    if (problem.code === 'LT_API_KEY') this.#halted = true;
    return problem;
  }
}

/** Outcomes of failed actions by problem code. The default is `failed`. */
const OUTCOME_BY_CODE: Partial<Record<Problem['code'], ActionOutcome>> = {
  LT_API_UNKNOWN: 'unknown',
  LT_CLI_INTERRUPTED: 'not_attempted',
};

function toNotAttempted(action: Action): DoneAction {
  return {
    action,
    outcome: action.verb === 'no-op' ? 'done' : 'not_attempted',
    id: 'observed' in action ? action.observed.id : null,
    resultId: null,
  };
}

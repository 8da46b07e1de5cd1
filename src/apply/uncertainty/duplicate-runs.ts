/**
 * Detects and stops duplicate runs, which result from a start request that was delivered twice.
 * @see docs/internals/reconciler.md, section 4.1
 */
import type { Address, ResultId, TestId } from '../../core/model/ids.ts';
import type { RunResult } from '../../core/run-record/run-result.ts';
import { isStoppable } from '../../core/model/test-state.ts';
import { ProblemError, problem, type Problem } from '../../core/problem.ts';
import { stopTest } from '../tests/stop-test.ts';
import type { ApplyContext } from '../apply-context.ts';

export interface SentStart {
  readonly address: Address;
  readonly id: TestId;
  /** Results that existed before the start request; null if the service does not provide results. */
  readonly priorResults: readonly ResultId[] | null;
}

export class DuplicateRuns {
  readonly #context: ApplyContext;
  readonly #sent: SentStart[] = [];
  readonly #problems = new Map<ResultId, { readonly address: Address; readonly problem: Problem }>();

  constructor(context: ApplyContext) {
    this.#context = context;
  }

  add(start: SentStart): void {
    if (start.priorResults !== null) this.#sent.push(start);
  }

  get hasAny(): boolean {
    return this.#sent.length > 0;
  }

  /**
   * The runs since a start request are duplicates, except the earliest run. Reports the duplicates, and stops active
   * ones.
   * @throws CallError
   */
  async check(): Promise<void> {
    for (const start of this.#sent) {
      const results = (await this.#context.service.listResults(start.id)) ?? [];
      const started = results
        .filter(({ id }) => start.priorResults?.includes(id) === false)
        .sort((a, b) => (a.record.startedAt ?? Infinity) - (b.record.startedAt ?? Infinity));
      for (const duplicate of started.slice(1)) {
        if (!this.#problems.has(duplicate.id)) await this.#stop(start, started, duplicate);
      }
    }
  }

  async #stop(
    { address, id }: SentStart,
    started: readonly RunResult[],
    duplicate: RunResult,
  ): Promise<void> {
    const ids = started.map((run) => run.id);
    const isPair = ids.length === 2;
    const head = isPair
      ? `${address} was started twice (runs ${ids.join(' and ')})`
      : `${address} was started ${ids.length} times (runs ${ids.join(', ')})`;
    const run = isPair ? 'the second run' : `the run ${duplicate.id}`;
    const report = (text: string, hint: string | null = null) => {
      const found = problem('LT_RUN_DUPLICATE', `${head}; ${run} ${text}`, { hint });
      this.#problems.set(duplicate.id, { address, problem: found });
    };
    if (duplicate.status === 'ready') {
      report('has ended');
      return;
    }
    const hint = `to stop it: loadtests stop id:${id}`;
    try {
      const after = await stopTest({ id, resultId: duplicate.id }, this.#context, 10_000);
      if (isStoppable(after.state)) report('did not stop', hint);
      else report('was stopped');
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      report(`could not be stopped: ${error.problem.message}`, hint);
    }
  }

  problems(): readonly { readonly address: Address; readonly problem: Problem }[] {
    return [...this.#problems.values()];
  }
}

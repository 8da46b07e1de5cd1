/**
 * One start, several runs: a request may be delivered twice on its way.
 *
 * Source: docs/internals/reconciler.md, section 4.1.
 */
import type { Address, ResultId, TestId } from '../core/model/ids.ts';
import type { RunResult } from '../core/model/run-result.ts';
import { isStoppable } from '../core/model/test-state.ts';
import { ProblemError, problem, type Problem } from '../core/problem.ts';
import { stopTest } from './stop-test.ts';
import type { ApplyContext } from './apply-context.ts';

export interface SentStart {
  readonly address: Address;
  readonly id: TestId;
  /** Results that were there before; null where the service has none to list. */
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

  /** Stops the runs that began after the first one since a start was sent. Errors: CallError. */
  async check(): Promise<void> {
    for (const start of this.#sent) {
      const results = (await this.#context.service.listResults(start.id)) ?? [];
      const began = results
        .filter(({ id }) => start.priorResults?.includes(id) === false)
        .sort((a, b) => (a.startedAt ?? Infinity) - (b.startedAt ?? Infinity));
      for (const second of began.slice(1)) {
        if (!this.#problems.has(second.id)) await this.#stop(start, began, second);
      }
    }
  }

  async #stop({ address, id }: SentStart, began: readonly RunResult[], second: RunResult): Promise<void> {
    const head = `${began.length} runs of ${address} began where one was started: ${began.map((run) => run.id).join(', ')}`;
    const tell = (text: string, hint: string | null = null) => {
      const told = problem('LT_RUN_DUPLICATE', `${head}; ${text}`, { hint });
      this.#problems.set(second.id, { address, problem: told });
    };
    if (second.status === 'ready') {
      tell('the second has ended');
      return;
    }
    const hint = `to stop it: loadtests stop id:${id}`;
    try {
      const after = await stopTest({ id, resultId: second.id }, this.#context, 10_000);
      if (isStoppable(after.state)) tell('the second did not stop', hint);
      else tell('the second was stopped');
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      tell(`the second could not be stopped: ${error.problem.message}`, hint);
    }
  }

  problems(): readonly { readonly address: Address; readonly problem: Problem }[] {
    return [...this.#problems.values()];
  }
}

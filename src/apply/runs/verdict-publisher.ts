/**
 * Publishes verdicts to the service, so that its web UI shows the same verdicts as the terminal.
 * @remarks Verdicts are sent in the background, one after another and without retries. The first error of the service
 * is reported as a detail and ends the publication.
 */
import { CallError } from '../../core/call-error.ts';
import { VERDICT_EXTENSION } from '../../core/model/extensions.ts';
import type { ResultId, TestId } from '../../core/model/ids.ts';
import type { RunnableTest } from '../../core/model/load-test.ts';
import { baselineIdsOf } from '../../core/model/regression.ts';
import { haveSameVerdict, type RunVerdict } from '../../core/model/run-verdict.ts';
import type { RunResult } from '../../core/run-record/run-result.ts';
import type { ApplyContext } from '../apply-context.ts';

/** Maximum wait at the end of the execution, in ms. */
const MAX_WAIT_MS = 2000;

export class VerdictPublisher {
  readonly #context: Pick<ApplyContext, 'service' | 'clock' | 'emit'>;
  #sending: Promise<void> | null = null;
  /** Resolves to true if the service stores verdicts; null before the first verdict is sent. */
  #isSupported: Promise<boolean> | null = null;
  #isAbandoned = false;

  constructor(context: Pick<ApplyContext, 'service' | 'clock' | 'emit'>) {
    this.#context = context;
  }

  publishThresholds(test: TestId, id: ResultId | null, verdict: RunVerdict): void {
    if (id !== null && verdict.thresholds.length > 0)
      this.#enqueue(test, id, { ...verdict, verdict: 'none', reason: null, inProgress: true });
  }

  publish(test: TestId, result: RunResult | null, verdict: RunVerdict): void {
    if (result?.status === 'ready' && hasChanged(result.verdict, verdict))
      this.#enqueue(test, result.id, verdict);
  }

  #enqueue(test: TestId, id: ResultId, verdict: RunVerdict): void {
    const previous = this.#sending ?? Promise.resolve();
    this.#sending = previous.then(() => this.#send(test, id, verdict));
    // Prevents an unhandled rejection. `end()` rethrows the error.
    this.#sending.catch(() => undefined);
  }

  /** Waits until pending verdicts have been sent, for at most MAX_WAIT_MS. Only bugs throw. */
  async end(): Promise<void> {
    if (this.#sending === null) return;
    const sent = new AbortController();
    const sending = this.#sending.finally(() => sent.abort());
    const timeout = this.#context.clock.sleep(MAX_WAIT_MS, sent.signal).then(() => {
      if (!sent.signal.aborted) this.#abandon('the service did not respond in time');
    });
    await Promise.race([sending, timeout]);
  }

  async #send(test: TestId, id: ResultId, verdict: RunVerdict): Promise<void> {
    if (this.#isAbandoned) return;
    const { service } = this.#context;
    try {
      this.#isSupported ??= service
        .listExtensions({ within: 0 })
        .then((names) => names.has(VERDICT_EXTENSION));
      if (!(await this.#isSupported)) return;
      await service.saveVerdict(test, id, verdict);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      this.#abandon(error.problem.message);
    }
  }

  #abandon(reason: string): void {
    if (this.#isAbandoned) return;
    this.#isAbandoned = true;
    this.#context.emit({ kind: 'detail', text: `some verdicts were not published: ${reason}` });
  }
}

function hasChanged(stored: RunVerdict | null, verdict: RunVerdict): boolean {
  return stored === null ? verdict.verdict !== 'none' : !haveSameVerdict(stored, verdict);
}

/** Returns the verdict with data from the configuration file that the web UI needs. */
export function publishedVerdict(
  { urlNames, urlGroups = [], regression }: Pick<RunnableTest, 'urlNames' | 'urlGroups' | 'regression'>,
  verdict: RunVerdict,
): RunVerdict {
  return { ...verdict, urlNames, urlGroups, baseline: baselineIdsOf(regression) };
}

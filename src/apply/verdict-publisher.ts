/**
 * Tells the service what its runs were judged to be, for those who look there: the page shows the verdict that the
 * terminal did.
 *
 * Shape:  for show. Each is sent once, one after another, beside everything else. Only the end of the command waits
 *         for them, and not for long; nothing depends on them, and a failure is a detail.
 */
import { CallError } from '../core/call-error.ts';
import { VERDICT_EXTENSION } from '../core/model/extensions.ts';
import type { TestId } from '../core/model/ids.ts';
import { haveSameVerdict, type RunVerdict } from '../core/model/run-verdict.ts';
import type { RunResult } from '../core/model/run-result.ts';
import type { ApplyContext } from './apply-context.ts';

/** How long the end of a command waits for what is under way, in ms. */
const MAX_WAIT_MS = 2000;

export class VerdictPublisher {
  readonly #context: Pick<ApplyContext, 'service' | 'clock' | 'emit'>;
  #sending: Promise<void> | null = null;
  /** Whether the service keeps them; asked once, and only where there is something to tell. */
  #isSupported: Promise<boolean> | null = null;
  #isAbandoned = false;

  constructor(context: Pick<ApplyContext, 'service' | 'clock' | 'emit'>) {
    this.#context = context;
  }

  /** @param result of the run, which has ended; null: it has none */
  publish(id: TestId, result: RunResult | null, verdict: RunVerdict): void {
    if (result?.status !== 'ready' || !hasChanged(result.verdict, verdict)) return;
    const before = this.#sending ?? Promise.resolve();
    this.#sending = before.then(() => this.#send(id, result, verdict));
    // A bug is for whoever waits for the end; until then it must not end the process.
    this.#sending.catch(() => undefined);
  }

  /** Errors: none but bugs. */
  async end(): Promise<void> {
    if (this.#sending === null) return;
    const sent = new AbortController();
    const sending = this.#sending.finally(() => {
      sent.abort();
    });
    const late = this.#context.clock.sleep(MAX_WAIT_MS, sent.signal).then(() => {
      if (!sent.signal.aborted) this.#giveUp('it did not respond in time');
    });
    await Promise.race([sending, late]);
  }

  async #send(id: TestId, result: RunResult, verdict: RunVerdict): Promise<void> {
    if (this.#isAbandoned) return;
    const { service } = this.#context;
    try {
      this.#isSupported ??= service
        .listExtensions({ within: 0 })
        .then((names) => names.has(VERDICT_EXTENSION));
      if (!(await this.#isSupported)) return;
      await service.saveVerdict(id, result.id, verdict);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      this.#giveUp(error.problem.message);
    }
  }

  #giveUp(why: string): void {
    if (this.#isAbandoned) return;
    this.#isAbandoned = true;
    this.#context.emit({ kind: 'detail', text: `the service does not have all verdicts: ${why}` });
  }
}

/** Whether it says anything beyond what the service has. */
function hasChanged(there: RunVerdict | null, verdict: RunVerdict): boolean {
  return there === null ? verdict.verdict !== 'none' : !haveSameVerdict(there, verdict);
}

/**
 * Tells the service what its runs were judged to be, for those who look there: the page shows the verdict that the
 * terminal did.
 *
 * Shape:  for show. Each is sent once, one after another, beside everything else. Only the end of the command waits
 *         for them, and not for long; nothing depends on them, and a failure is a detail.
 */
import { CallError } from '../core/call-error.ts';
import { KEEPS_JUDGEMENTS } from '../core/model/extensions.ts';
import type { TestId } from '../core/model/ids.ts';
import { sameJudgement, type Judgement } from '../core/model/judgement.ts';
import type { RunResult } from '../core/model/run.ts';
import type { World } from './world.ts';

/** How long the end of a command waits for what is under way, in ms. */
const PATIENCE = 2000;

export class ToldJudgements {
  readonly #world: Pick<World, 'service' | 'clock' | 'emit'>;
  #sending: Promise<void> | null = null;
  /** Whether the service keeps them; asked once, and only where there is something to tell. */
  #kept: Promise<boolean> | null = null;
  #over = false;

  constructor(world: Pick<World, 'service' | 'clock' | 'emit'>) {
    this.#world = world;
  }

  /** @param result of the run, which has ended; null: it has none */
  tell(id: TestId, result: RunResult | null, judgement: Judgement): void {
    if (result?.status !== 'ready' || !isNews(result.judgement, judgement)) return;
    const before = this.#sending ?? Promise.resolve();
    this.#sending = before.then(() => this.#send(id, result, judgement));
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
    const late = this.#world.clock.sleep(PATIENCE, sent.signal).then(() => {
      if (!sent.signal.aborted) this.#giveUp('it did not respond in time');
    });
    await Promise.race([sending, late]);
  }

  async #send(id: TestId, result: RunResult, judgement: Judgement): Promise<void> {
    if (this.#over) return;
    const { service } = this.#world;
    try {
      this.#kept ??= service.listExtensions({ within: 0 }).then((names) => names.has(KEEPS_JUDGEMENTS));
      if (!(await this.#kept)) return;
      await service.judgeResult(id, result.id, judgement);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      this.#giveUp(error.problem.message);
    }
  }

  #giveUp(why: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#world.emit({ kind: 'detail', text: `the service does not have all verdicts: ${why}` });
  }
}

/** Whether it says anything beyond what the service has. */
function isNews(there: Judgement | null, judgement: Judgement): boolean {
  return there === null ? judgement.verdict !== 'none' : !sameJudgement(there, judgement);
}

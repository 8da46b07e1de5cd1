/** Stops a test and waits until the service says so: a stop is asynchronous. */
import { CallError } from '../core/call-error.ts';
import type { ResultId, TestId } from '../core/model/ids.ts';
import { isStoppable, stateOf, type TestState } from '../core/model/test-state.ts';
import type { RetryBounds } from '../core/ports/service-port.ts';
import { computeBackoff, isKeyRefusal } from './write-retry.ts';
import type { ApplyContext } from './apply-context.ts';

/** What is to be stopped. */
export interface StopTarget {
  readonly id: TestId;
  /** The run that is meant; none: whichever goes on at first. */
  readonly resultId?: ResultId | null;
}

type StopContext = Pick<ApplyContext, 'service' | 'clock' | 'settle'>;

/**
 * @param patience ms
 *
 * Shape:  tried for half of the patience, and only while the run that is meant is the current one: the next one may
 *         belong to somebody else.
 * Errors: CallError. Works after an interruption too: stopping is what an interruption asks for.
 */
export async function stopTest(what: StopTarget, world: StopContext, patience: number): Promise<StopOutcome> {
  const stopping = new StopOperation(what, world, patience);
  const before = await stopping.send();
  return isStoppable(before)
    ? { state: await stopping.waitUntilStopped(), sent: true }
    : { state: before, sent: false };
}

export interface StopOutcome {
  /** `running` or `scheduled`: it did not stop within the patience. */
  readonly state: TestState;
  /** False: the run that was meant did not go on any more, so nothing was sent. */
  readonly sent: boolean;
}

/** One stop, and what was seen of its test meanwhile. */
class StopOperation {
  readonly #id: TestId;
  readonly #context: StopContext;
  #resultId: ResultId | null;
  /** When the service began to say that there is no such test; of the monotonic clock. */
  #missingSince: number | null = null;

  readonly #begin: number;
  readonly #timeout: number;

  constructor({ id, resultId = null }: StopTarget, world: StopContext, patience: number) {
    this.#id = id;
    this.#resultId = resultId;
    this.#context = world;
    this.#begin = world.clock.monotonic();
    this.#timeout = patience;
  }

  /** However long the service asks to wait, the patience counts. */
  #bounds(): RetryBounds {
    return { within: Math.max(0, this.#begin + this.#timeout - this.#context.clock.monotonic()) };
  }

  /** Gives the state before the service took it: not armed where there was nothing to stop any more. */
  async send(): Promise<TestState> {
    const { clock, service } = this.#context;
    const latest = this.#begin + this.#timeout / 2;
    let failure: CallError | null = null;
    for (let attempt = 1; ; attempt++) {
      const state = await this.#readState();
      if (state !== null && !isStoppable(state)) return state;
      // What cannot be seen is stopped once, as it was meant, and never again unseen.
      if (state === null && failure !== null) throw failure;
      try {
        await service.stopTest(this.#id);
        return 'running';
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        failure = error;
        // A refused stop may mean that it has stopped already: its status tells.
        if (error.outcome === 'refused' && !error.transient && !isKeyRefusal(error)) return 'running';
        const pause = Math.max(error.retryAfter ?? 0, computeBackoff(attempt, this.#context));
        const hopeless = isKeyRefusal(error) || (error.outcome === 'not_sent' && !error.transient);
        if (hopeless || clock.monotonic() + pause > latest) throw error;
        await clock.sleep(pause);
      }
    }
  }

  /** Waits until the run that is meant does not go on. Errors: CallError. */
  async waitUntilStopped(): Promise<TestState> {
    const { clock, settle } = this.#context;
    const deadline = this.#begin + this.#timeout;
    for (let interval = 100; ; interval = Math.min(2000, interval * 2)) {
      const state = await this.#stateOfRun();
      const now = clock.monotonic();
      const latest = this.#missingSince === null ? deadline : Math.max(deadline, this.#missingSince + settle);
      if (!isStoppable(state) || now >= latest) return state;
      await clock.sleep(interval);
    }
  }

  /** Null: it cannot be seen now. */
  async #readState(): Promise<TestState | null> {
    try {
      return await this.#stateOfRun();
    } catch (error) {
      if (error instanceof CallError) return null;
      throw error;
    }
  }

  /** Of the run that is meant. Errors: CallError. */
  async #stateOfRun(): Promise<TestState> {
    const { service, clock, settle } = this.#context;
    try {
      const { test } = await service.getTest(this.#id, this.#bounds());
      this.#missingSince = null;
      const state = stateOf(test, clock.now());
      return state === 'running' && !(await this.#isCurrent()) ? 'ended' : state;
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 404) throw error;
      // One such answer is not believed.
      this.#missingSince ??= clock.monotonic();
      return clock.monotonic() >= this.#missingSince + settle ? 'ended' : 'running';
    }
  }

  /** Where there are no results, the status is all there is. Errors: CallError. */
  async #isCurrent(): Promise<boolean> {
    const results = (await this.#context.service.listResults(this.#id, this.#bounds())) ?? [];
    this.#resultId ??= results.find(({ status }) => status !== 'ready')?.id ?? null;
    const meant = results.find(({ id }) => id === this.#resultId);
    if (meant === undefined) return true;
    const later = results.some(({ startedAt }) => (startedAt ?? 0) > (meant.startedAt ?? Infinity));
    return meant.status !== 'ready' && !later;
  }
}

import { CallError } from '../../core/call-error.ts';
import type { ResultId, TestId } from '../../core/model/ids.ts';
import { isStoppable, stateOf, type TestState } from '../../core/model/test-state.ts';
import type { RetryBounds } from '../../core/ports/service-port.ts';
import { computeBackoff, isKeyRefusal } from '../uncertainty/sending.ts';
import type { ApplyContext } from '../apply-context.ts';

export interface StopTarget {
  readonly id: TestId;
  /**
   * ID of the result of the run to stop. If missing or null, the run that is in progress at the first read is stopped.
   */
  readonly resultId?: ResultId | null;
}

type StopContext = Pick<ApplyContext, 'service' | 'clock' | 'settle'>;

/**
 * A signal does not interrupt this function, because commands also call it after a signal.
 * @param timeout - Maximum time for the whole operation, in ms. Retries of the stop request end after half of this
 * time.
 * @throws CallError
 */
export async function stopTest(
  target: StopTarget,
  context: StopContext,
  timeout: number,
): Promise<StopOutcome> {
  const operation = new StopOperation(target, context, timeout);
  const before = await operation.send();
  return isStoppable(before)
    ? { state: await operation.waitUntilStopped(), sent: true }
    : { state: before, sent: false };
}

export interface StopOutcome {
  /** State of the test after the operation; `running` or `scheduled` if the test did not stop within the timeout. */
  readonly state: TestState;
  /** False if no request was necessary. */
  readonly sent: boolean;
}

class StopOperation {
  readonly #id: TestId;
  readonly #context: StopContext;
  #resultId: ResultId | null;
  /** Monotonic time of the first 404 response since the last successful read; null if there was none. */
  #missingSince: number | null = null;

  readonly #begin: number;
  readonly #timeout: number;

  constructor({ id, resultId = null }: StopTarget, context: StopContext, timeout: number) {
    this.#id = id;
    this.#resultId = resultId;
    this.#context = context;
    this.#begin = context.clock.monotonic();
    this.#timeout = timeout;
  }

  #bounds(): RetryBounds {
    return { within: Math.max(0, this.#begin + this.#timeout - this.#context.clock.monotonic()) };
  }

  /** Sends the stop request, if necessary. Returns `running` after a request; otherwise, the state of the test. */
  async send(): Promise<TestState> {
    const { clock, service } = this.#context;
    const latest = this.#begin + this.#timeout / 2;
    let failure: CallError | null = null;
    for (let attempt = 1; ; attempt++) {
      const state = await this.#readState();
      if (state !== null && !isStoppable(state)) return state;
      // If the state cannot be read, the request is sent only once.
      if (state === null && failure !== null) throw failure;
      try {
        await service.stopTest(this.#id);
        return 'running';
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        failure = error;
        // A refusal may mean that the test has already stopped, which `waitUntilStopped` checks.
        if (error.outcome === 'refused' && !error.transient && !isKeyRefusal(error)) return 'running';
        const pause = Math.max(error.retryAfter ?? 0, computeBackoff(attempt, this.#context));
        const isPermanent = isKeyRefusal(error) || (error.outcome === 'not_sent' && !error.transient);
        if (isPermanent || clock.monotonic() + pause > latest) throw error;
        await clock.sleep(pause);
      }
    }
  }

  /** Waits for the end of the run or the timeout. Returns the state of the test. @throws CallError */
  async waitUntilStopped(): Promise<TestState> {
    const { clock, settle } = this.#context;
    const deadline = this.#begin + this.#timeout;
    for (let interval = 100; ; interval = Math.min(2000, interval * 2)) {
      const state = await this.#stateOfRun();
      const now = clock.monotonic();
      const latest = this.#missingSince === null ? deadline : Math.max(deadline, this.#missingSince + settle);
      if (!isStoppable(state) || now >= latest) return state;
      await clock.sleep(Math.min(interval, latest - now));
    }
  }

  async #readState(): Promise<TestState | null> {
    try {
      return await this.#stateOfRun();
    } catch (error) {
      if (error instanceof CallError) return null;
      throw error;
    }
  }

  /** Returns `ended` if the run is no longer in progress; otherwise, the state of the test. @throws CallError */
  async #stateOfRun(): Promise<TestState> {
    const { service, clock, settle } = this.#context;
    try {
      const { test } = await service.getTest(this.#id, this.#bounds());
      this.#missingSince = null;
      const state = stateOf(test, clock.now());
      return state === 'running' && !(await this.#isCurrent()) ? 'ended' : state;
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 404) throw error;
      this.#missingSince ??= clock.monotonic();
      return clock.monotonic() >= this.#missingSince + settle ? 'ended' : 'running';
    }
  }

  /**
   * Reports whether the run to stop is still in progress. Returns true if the result of the run is not listed.
   * @throws CallError
   */
  async #isCurrent(): Promise<boolean> {
    const results = (await this.#context.service.listResults(this.#id, this.#bounds())) ?? [];
    this.#resultId ??= results.find(({ status }) => status !== 'ready')?.id ?? null;
    const target = results.find(({ id }) => id === this.#resultId);
    if (target === undefined) return true;
    const hasSuccessor = results.some(
      ({ record }) => (record.startedAt ?? 0) > (target.record.startedAt ?? Infinity),
    );
    return target.status !== 'ready' && !hasSuccessor;
  }
}

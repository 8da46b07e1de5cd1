/**
 * Retries of writes, decided per operation.
 * @remarks The client sends a write once and reports what is known about its outcome. Every further attempt
 * is decided here.
 * @see docs/internals/reconciler.md, section 4
 */
import { CallError } from '../../core/call-error.ts';
import { ProblemError, problem } from '../../core/problem.ts';
import type { JournalLine } from './journal.ts';
import type { Clock, ApplyContext } from '../apply-context.ts';

export type WriteOutcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** Possibly executed. */
  | { readonly kind: 'doubt'; readonly error: CallError };

/**
 * Maximum number of attempts for a write. With the pauses, they cover an outage of the service of about four
 * seconds.
 */
const MAX_ATTEMPTS = 5;

/** Time after the first attempt at which no further attempt starts, in ms. */
const MAX_WRITE_MS = 130_000;

/** Decision after a failed attempt. `done`: other evidence shows that the write was executed. */
export type RetryDecision<T> = 'again' | 'end' | { readonly done: T };

export interface Write<T> {
  readonly send: () => Promise<T>;
  /** @param uncertain - Error of the latest attempt that may have been executed; null if none was. */
  readonly decide: (
    error: CallError,
    uncertain: CallError | null,
  ) => RetryDecision<T> | Promise<RetryDecision<T>>;
  /** Ends a write that is not executed yet; null if the write itself is the response to an interruption. */
  readonly interrupted: AbortSignal | null;
  /**
   * Time after the first attempt at which no further attempt starts, in ms. Default: the maximum for writes.
   */
  readonly timeout?: number;
}

/**
 * Sends a write and repeats it as its operation decides.
 *
 * @throws CallError if it was certainly not executed. After one attempt with unknown outcome, the outcome
 * stays unknown, even if later attempts are refused.
 */
export async function sendWithRetries<T>(write: Write<T>, clock: Clock): Promise<WriteOutcome<T>> {
  const { send, decide, interrupted } = write;
  const latest = clock.monotonic() + Math.min(MAX_WRITE_MS, write.timeout ?? MAX_WRITE_MS);
  let uncertain: CallError | null = null;
  for (let attempt = 1; ; attempt++) {
    let failure: CallError;
    try {
      return { kind: 'done', value: await send() };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      failure = error;
    }
    if (failure.outcome === 'unknown') uncertain = failure;
    const decision = isKeyRefusal(failure) ? 'end' : await decide(failure, uncertain);
    if (typeof decision === 'object') return { kind: 'done', value: decision.done };
    const pause = Math.max(failure.retryAfter ?? 0, computeBackoff(attempt, { clock }));
    if (decision === 'again' && attempt < MAX_ATTEMPTS && clock.monotonic() + pause < latest) {
      await clock.sleep(pause, interrupted ?? undefined);
      if (interrupted?.aborted !== true) continue;
    }
    if (uncertain === null) throw failure;
    return { kind: 'doubt', error: uncertain };
  }
}

/**
 * Sends a request that must not be executed twice. Repeats it only if no earlier attempt can have been
 * executed, or if the service supports the nonce as an idempotency key.
 * @throws CallError if it was certainly not executed.
 */
export async function sendOnce<T>(
  sendIt: (isRetry: boolean) => Promise<T>,
  context: ApplyContext,
): Promise<WriteOutcome<T>> {
  const { clock, interrupted, service } = context;
  let attempts = 0;
  const send = () => sendIt(attempts++ > 0);
  const decide = (error: CallError, uncertain: CallError | null): RetryDecision<T> => {
    const repeatable = uncertain === null ? isRejectedForNow(error) : service.supportsIdempotency();
    return repeatable ? 'again' : 'end';
  };
  return await sendWithRetries({ send, decide, interrupted }, clock);
}

/**
 * Same as `sendWithRetries`, for writes whose outcome is not checked afterwards.
 * @throws CallError, including for an unknown outcome.
 */
export async function sendOrThrow<T>(write: Write<T>, clock: Clock): Promise<T> {
  const sent = await sendWithRetries(write, clock);
  if (sent.kind === 'doubt') throw sent.error;
  return sent.value;
}

/**
 * Reports whether a request was certainly not executed but may succeed later: not sent, or refused with a
 * retry delay.
 */
export function isRejectedForNow({ outcome, transient, retryAfter }: CallError): boolean {
  return transient && (outcome === 'not_sent' || (outcome === 'refused' && retryAfter !== null));
}

/**
 * Looks for the effect of a write with unknown outcome, with backoff, until the settle time has passed.
 * Returns null if it is not found.
 *
 * @remarks A failed read proves nothing. A signal does not end the search, because a started run must be
 * known to be stopped.
 */
export async function pollUntilSettled<T>(
  find: () => Promise<T | null>,
  context: ApplyContext,
): Promise<T | null> {
  const deadline = context.clock.monotonic() + context.settle;
  for (let attempt = 1; ; attempt++) {
    try {
      const found = await find();
      if (found !== null) return found;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (isKeyRefusal(error)) return null;
    }
    const remaining = deadline - context.clock.monotonic();
    if (remaining <= 0) return null;
    await context.clock.sleep(Math.min(remaining, computeBackoff(attempt, context)));
  }
}

/**
 * Reads a test that was seen before. A single "not found" response is not treated as proof.
 *
 * @throws CallError; with status 404 only after the settle time, or after a signal.
 */
export async function readExisting<T>(
  read: () => Promise<T>,
  context: Pick<ApplyContext, 'clock' | 'settle' | 'interrupted'>,
): Promise<T> {
  let deadline: number | null = null;
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 404) throw error;
      deadline ??= context.clock.monotonic() + context.settle;
      const remaining = deadline - context.clock.monotonic();
      if (remaining <= 0 || context.interrupted.aborted) throw error;
      await context.clock.sleep(Math.min(remaining, computeBackoff(attempt, context)), context.interrupted);
    }
  }
}

export function isKeyRefusal(error: CallError): boolean {
  return error.problem.code === 'LT_API_KEY';
}

/**
 * Returns the time in ms during which a service may still act on an operation of the journal.
 *
 * @remarks Uses the larger value of the wall clock and the monotonic clock. Either may have jumped, the
 * latter at a restart of the machine.
 */
export function remainingSettleTime(
  { at, up }: Pick<JournalLine, 'at' | 'up'>,
  { clock, settle }: Pick<ApplyContext, 'clock' | 'settle'>,
): number {
  const byWall = Math.min(at, clock.now()) + settle - clock.now();
  const byMachine = up === undefined ? byWall : up + settle - clock.monotonic();
  return Math.min(settle, Math.max(byWall, byMachine));
}

/** Throws before the first byte of a write if a signal has arrived. */
export function throwIfInterrupted(context: Pick<ApplyContext, 'interrupted'>): void {
  if (!context.interrupted.aborted) return;
  throw new ProblemError(problem('LT_CLI_INTERRUPTED', 'interrupted before the request was sent'));
}

/** Returns a delay that doubles from 500 ms to 10 s, half of it jitter. */
export function computeBackoff(attempt: number, context: Pick<ApplyContext, 'clock'>): number {
  const full = Math.min(10_000, 500 * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * context.clock.random();
}

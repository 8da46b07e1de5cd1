/**
 * When a write is sent again: decided by operation, here and in nobody's client.
 *
 * Shape:  the client sends a write once and says what is known of it; every further send is a decision of this layer.
 * Source: docs/internals/reconciler.md, section 4.
 */
import { CallError } from '../core/call-error.ts';
import { ProblemError, problem } from '../core/problem.ts';
import type { JournalLine } from './journal.ts';
import type { Clock, ApplyContext } from './apply-context.ts';

export type WriteOutcome<T> =
  | { readonly kind: 'answer'; readonly value: T }
  /** Perhaps executed. */
  | { readonly kind: 'doubt'; readonly error: CallError };

/** Sends of one write, at most: with the pauses between them, a service may take four seconds to come back. */
const MAX_ATTEMPTS = 5;

/** No further send begins when this has passed since the first one, in ms. */
const MAX_WRITE_MS = 130_000;

/** What follows from a send that failed. `done`: what was looked for shows that it was executed. */
export type RetryDecision<T> = 'again' | 'end' | { readonly done: T };

export interface Write<T> {
  readonly send: () => Promise<T>;
  /** @param doubt of the latest send that was perhaps executed; null: surely none was */
  readonly decide: (
    error: CallError,
    doubt: CallError | null,
  ) => RetryDecision<T> | Promise<RetryDecision<T>>;
  /** Ends a write that is not executed yet; null: an interruption asks for it. */
  readonly interrupted: AbortSignal | null;
  /** No further send begins so many ms after the first one; left out: what a write has at most. */
  readonly timeout?: number;
}

/**
 * Sends a write, and again as its operation decides.
 *
 * Errors: CallError when it surely was not executed. A doubt stays one, however later sends are turned away.
 */
export async function sendWithRetries<T>(write: Write<T>, clock: Clock): Promise<WriteOutcome<T>> {
  const { send, decide, interrupted } = write;
  const latest = clock.monotonic() + Math.min(MAX_WRITE_MS, write.timeout ?? MAX_WRITE_MS);
  let doubt: CallError | null = null;
  for (let attempt = 1; ; attempt++) {
    let failure: CallError;
    try {
      return { kind: 'answer', value: await send() };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      failure = error;
    }
    if (failure.outcome === 'unknown') doubt = failure;
    const decision = isKeyRefusal(failure) ? 'end' : await decide(failure, doubt);
    if (typeof decision === 'object') return { kind: 'answer', value: decision.done };
    const pause = Math.max(failure.retryAfter ?? 0, computeBackoff(attempt, { clock }));
    if (decision === 'again' && attempt < MAX_ATTEMPTS && clock.monotonic() + pause < latest) {
      await clock.sleep(pause, interrupted ?? undefined);
      if (interrupted?.aborted !== true) continue;
    }
    if (doubt === null) throw failure;
    return { kind: 'doubt', error: doubt };
  }
}

/**
 * Sends what must not happen twice: again only while nothing can have happened, or where the service takes the nonce
 * for a key. Errors: CallError when it surely was not executed.
 */
export async function sendOnce<T>(
  sendIt: (again: boolean) => Promise<T>,
  context: ApplyContext,
): Promise<WriteOutcome<T>> {
  const { clock, interrupted, service } = context;
  let tries = 0;
  const send = () => sendIt(tries++ > 0);
  const decide = (error: CallError, doubt: CallError | null): RetryDecision<T> => {
    const repeatable = doubt === null ? isRejectedForNow(error) : service.supportsIdempotency();
    return repeatable ? 'again' : 'end';
  };
  return await sendWithRetries({ send, decide, interrupted }, clock);
}

/** As `sendWithRetries`, for what nobody looks for afterwards. Errors: CallError, also of a doubt. */
export async function sendOrThrow<T>(write: Write<T>, clock: Clock): Promise<T> {
  const sent = await sendWithRetries(write, clock);
  if (sent.kind === 'doubt') throw sent.error;
  return sent.value;
}

/** Surely not executed, for now: not reached, or told when to come again. */
export function isRejectedForNow({ outcome, transient, retryAfter }: CallError): boolean {
  return transient && (outcome === 'not_sent' || (outcome === 'refused' && retryAfter !== null));
}

/**
 * Looks for what a write in doubt has done, with back-off, until the service has had its time. Null: not found.
 *
 * Shape:  a read that fails proves nothing. A signal does not end it: what was started must be known to be stopped.
 */
export async function pollUntilSettled<T>(
  look: () => Promise<T | null>,
  context: ApplyContext,
): Promise<T | null> {
  const deadline = context.clock.monotonic() + context.settle;
  for (let attempt = 1; ; attempt++) {
    try {
      const found = await look();
      if (found !== null) return found;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (isKeyRefusal(error)) return null;
    }
    const left = deadline - context.clock.monotonic();
    if (left <= 0) return null;
    await context.clock.sleep(Math.min(left, computeBackoff(attempt, context)));
  }
}

/**
 * Reads something of a test that was seen: one answer that it is not there is not believed.
 *
 * Errors: CallError; of status 404 only after the service has said so for its settling time, or at a signal.
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
      const left = deadline - context.clock.monotonic();
      if (left <= 0 || context.interrupted.aborted) throw error;
      await context.clock.sleep(Math.min(left, computeBackoff(attempt, context)), context.interrupted);
    }
  }
}

export function isKeyRefusal(error: CallError): boolean {
  return error.problem.code === 'LT_API_KEY';
}

/**
 * How long a service may still act on an operation of the journal, in ms.
 *
 * Shape:  what the wall clock says or what the monotonic one says, whichever is more: either may have leapt, the latter
 *         at a restart of the machine.
 */
export function remainingSettleTime(
  { at, up }: Pick<JournalLine, 'at' | 'up'>,
  { clock, settle }: Pick<ApplyContext, 'clock' | 'settle'>,
): number {
  const byWall = Math.min(at, clock.now()) + settle - clock.now();
  const byMachine = up === undefined ? byWall : up + settle - clock.monotonic();
  return Math.min(settle, Math.max(byWall, byMachine));
}

/** Before the first byte of a write: a signal that came meanwhile means that nothing new begins. */
export function throwIfInterrupted(context: Pick<ApplyContext, 'interrupted'>): void {
  if (!context.interrupted.aborted) return;
  throw new ProblemError(problem('LT_CLI_INTERRUPTED', 'interrupted before the request was sent'));
}

/** Doubling from 500 ms to 10 s, half of it jitter. */
export function computeBackoff(attempt: number, context: Pick<ApplyContext, 'clock'>): number {
  const full = Math.min(10_000, 500 * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * context.clock.random();
}

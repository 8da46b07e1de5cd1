/**
 * Retries of writes.
 * @see docs/internals/reconciler.md, section 4
 */
import { backoffOf, MAX_RETRY_MS, withRetries } from '../../retry/bounded-retry.ts';
import { CallError } from '../../core/call-error.ts';
import { ProblemError, problem } from '../../core/problem.ts';
import type { ApplyContext } from '../apply-context.ts';

export type WriteOutcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** The write was possibly executed. */
  | { readonly kind: 'doubt'; readonly error: CallError };

/** Decision after a failed attempt. `done`: other evidence shows that the write was executed. */
export type RetryDecision<T> = 'again' | 'end' | { readonly done: T };

export interface Write<T> {
  readonly send: () => Promise<T>;
  /** @param uncertain - Latest error of an attempt that may have been executed; null if there is none. */
  readonly decide: (
    error: CallError,
    uncertain: CallError | null,
  ) => RetryDecision<T> | Promise<RetryDecision<T>>;
}

type SendContext = Pick<ApplyContext, 'clock' | 'interrupted'>;

/**
 * Sends a write and repeats it according to its `decide` function, unless a signal has arrived. If one attempt has an
 * unknown outcome, the refusal of a later attempt does not make the outcome known.
 * @throws CallError if the write was certainly not executed.
 */
async function sendWithRetries<T>(
  { send, decide }: Write<T>,
  { clock, interrupted }: SendContext,
): Promise<WriteOutcome<T>> {
  const known: { uncertain: CallError | null; executed: { readonly done: T } | null } = {
    uncertain: null,
    executed: null,
  };
  try {
    const value = await withRetries(send, {
      within: MAX_RETRY_MS,
      monotonic: () => clock.monotonic(),
      pauseAfter: async (error, attempt) => {
        if (!(error instanceof CallError)) return null;
        if (error.outcome === 'unknown') known.uncertain = error;
        const decision = isKeyRefusal(error) ? 'end' : await decide(error, known.uncertain);
        if (typeof decision === 'object') known.executed = decision;
        if (decision !== 'again') return null;
        return Math.max(error.retryAfter ?? 0, computeBackoff(attempt, { clock }));
      },
      wait: async (pause) => {
        await clock.sleep(pause, interrupted);
        return !interrupted.aborted;
      },
    });
    return { kind: 'done', value };
  } catch (error) {
    if (known.executed !== null) return { kind: 'done', value: known.executed.done };
    if (known.uncertain === null || !(error instanceof CallError)) throw error;
    return { kind: 'doubt', error: known.uncertain };
  }
}

/**
 * Sends a create or start request. Repeats the request only if no attempt can have been executed, or if the service
 * supports idempotency keys.
 * @throws CallError if the request was certainly not executed.
 */
export async function sendOnce<T>(
  sendIt: (isRetry: boolean) => Promise<T>,
  context: ApplyContext,
): Promise<WriteOutcome<T>> {
  let attempts = 0;
  const send = () => sendIt(attempts++ > 0);
  const decide = (error: CallError, uncertain: CallError | null): RetryDecision<T> => {
    const repeatable = uncertain === null ? isRejectedForNow(error) : context.service.supportsIdempotency();
    return repeatable ? 'again' : 'end';
  };
  return await sendWithRetries({ send, decide }, context);
}

/** @throws CallError, including for an unknown outcome. */
export async function sendOrThrow<T>(write: Write<T>, context: SendContext): Promise<T> {
  const sent = await sendWithRetries(write, context);
  if (sent.kind === 'doubt') throw sent.error;
  return sent.value;
}

export function isRejectedForNow({ outcome, transient, retryAfter }: CallError): boolean {
  return transient && (outcome === 'not_sent' || (outcome === 'refused' && retryAfter !== null));
}

export function isKeyRefusal(error: CallError): boolean {
  return error.problem.code === 'LT_API_KEY';
}

/** @throws ProblemError LT_CLI_INTERRUPTED if a signal has arrived. */
export function throwIfInterrupted(context: Pick<ApplyContext, 'interrupted'>): void {
  if (!context.interrupted.aborted) return;
  throw new ProblemError(problem('LT_CLI_INTERRUPTED', 'interrupted before the request was sent'));
}

/**
 * Returns a random pause in ms, from half of a maximum to the maximum. The maximum doubles with each attempt, from 500
 * ms to 10 s.
 */
export function computeBackoff(attempt: number, { clock }: Pick<ApplyContext, 'clock'>): number {
  return backoffOf(attempt, { first: 500, max: 10_000 }, clock.random());
}

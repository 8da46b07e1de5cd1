/**
 * When a write is sent again: decided by operation, here and in nobody's client.
 *
 * Shape:  the client sends a write once and says what is known of it; every further send is a decision of this layer.
 * Source: docs/design/reconciler.md, section 4.
 */
import { CallError } from '../core/call-error.ts';
import { ProblemError, problem } from '../core/problem.ts';
import type { JournalLine } from './journal.ts';
import type { Clock, World } from './world.ts';

export type Sent<T> =
  | { readonly kind: 'answer'; readonly value: T }
  /** Perhaps executed. */
  | { readonly kind: 'doubt'; readonly error: CallError };

/** Sends of one write, at most: with the pauses between them, a service may take four seconds to come back. */
const TRIES = 5;

/** No further send begins when this has passed since the first one, in ms. */
const LONGEST_WRITE = 130_000;

/** What follows from a send that failed. `done`: what was looked for shows that it was executed. */
export type Decision<T> = 'again' | 'end' | { readonly done: T };

export interface Write<T> {
  readonly send: () => Promise<T>;
  /** @param doubt of the latest send that was perhaps executed; null: surely none was */
  readonly decide: (error: CallError, doubt: CallError | null) => Decision<T> | Promise<Decision<T>>;
  /** Ends a write that is not executed yet; null: an interruption asks for it. */
  readonly interrupted: AbortSignal | null;
  /** No further send begins so many ms after the first one; left out: what a write has at most. */
  readonly patience?: number;
}

/**
 * Sends a write, and again as its operation decides.
 *
 * Errors: CallError when it surely was not executed. A doubt stays one, however later sends are turned away.
 */
export async function sendAsDecided<T>(write: Write<T>, clock: Clock): Promise<Sent<T>> {
  const { send, decide, interrupted } = write;
  const latest = clock.monotonic() + Math.min(LONGEST_WRITE, write.patience ?? LONGEST_WRITE);
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
    const decision = refusesKey(failure) ? 'end' : await decide(failure, doubt);
    if (typeof decision === 'object') return { kind: 'answer', value: decision.done };
    const pause = Math.max(failure.retryAfter ?? 0, backOff(attempt, { clock }));
    if (decision === 'again' && attempt < TRIES && clock.monotonic() + pause < latest) {
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
export async function sendOnce<T>(sendIt: (again: boolean) => Promise<T>, world: World): Promise<Sent<T>> {
  const { clock, interrupted, service } = world;
  let tries = 0;
  const send = () => sendIt(tries++ > 0);
  const decide = (error: CallError, doubt: CallError | null): Decision<T> => {
    const repeatable = doubt === null ? isTurnedAway(error) : service.honoursIdempotency();
    return repeatable ? 'again' : 'end';
  };
  return await sendAsDecided({ send, decide, interrupted }, clock);
}

/** As `sendAsDecided`, for what nobody looks for afterwards. Errors: CallError, also of a doubt. */
export async function sendOrThrow<T>(write: Write<T>, clock: Clock): Promise<T> {
  const sent = await sendAsDecided(write, clock);
  if (sent.kind === 'doubt') throw sent.error;
  return sent.value;
}

/** Surely not executed, for now: not reached, or told when to come again. */
export function isTurnedAway({ outcome, passing, retryAfter }: CallError): boolean {
  return passing && (outcome === 'not_sent' || (outcome === 'refused' && retryAfter !== null));
}

/**
 * Looks for what a write in doubt has done, with back-off, until the service has had its time. Null: not found.
 *
 * Shape:  a read that fails proves nothing. A signal does not end it: what was started must be known to be stopped.
 */
export async function lookThroughSettle<T>(look: () => Promise<T | null>, world: World): Promise<T | null> {
  const deadline = world.clock.monotonic() + world.settle;
  for (let attempt = 1; ; attempt++) {
    try {
      const found = await look();
      if (found !== null) return found;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (refusesKey(error)) return null;
    }
    const left = deadline - world.clock.monotonic();
    if (left <= 0) return null;
    await world.clock.sleep(Math.min(left, backOff(attempt, world)));
  }
}

/**
 * Reads something of a test that was seen: one answer that it is not there is not believed.
 *
 * Errors: CallError; of status 404 only after the service has said so for its settling time, or at a signal.
 */
export async function readSeen<T>(
  read: () => Promise<T>,
  world: Pick<World, 'clock' | 'settle' | 'interrupted'>,
): Promise<T> {
  let deadline: number | null = null;
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 404) throw error;
      deadline ??= world.clock.monotonic() + world.settle;
      const left = deadline - world.clock.monotonic();
      if (left <= 0 || world.interrupted.aborted) throw error;
      await world.clock.sleep(Math.min(left, backOff(attempt, world)), world.interrupted);
    }
  }
}

export function refusesKey(error: CallError): boolean {
  return error.problem.code === 'LT_API_KEY';
}

/**
 * How long a service may still act on an operation of the journal, in ms.
 *
 * Shape:  what the wall clock says or what the monotonic one says, whichever is more: either may have leapt, the latter
 *         at a restart of the machine.
 */
export function settleLeft(
  { at, up }: Pick<JournalLine, 'at' | 'up'>,
  { clock, settle }: Pick<World, 'clock' | 'settle'>,
): number {
  const byWall = Math.min(at, clock.now()) + settle - clock.now();
  const byMachine = up === undefined ? byWall : up + settle - clock.monotonic();
  return Math.min(settle, Math.max(byWall, byMachine));
}

/** Before the first byte of a write: a signal that came meanwhile means that nothing new begins. */
export function throwIfInterrupted(world: Pick<World, 'interrupted'>): void {
  if (!world.interrupted.aborted) return;
  throw new ProblemError(problem('LT_CLI_INTERRUPTED', 'interrupted before the request was sent'));
}

/** Doubling from 500 ms to 10 s, half of it jitter. */
export function backOff(attempt: number, world: Pick<World, 'clock'>): number {
  const full = Math.min(10_000, 500 * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * world.clock.random();
}

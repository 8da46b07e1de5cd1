/**
 * What creating and starting have in common: writes that must not happen twice.
 *
 * Source: docs/design/reconciler.md, section 4.
 */
import { CallError } from '../core/call-error.ts';
import { ProblemError, problem } from '../core/problem.ts';
import type { World } from './world.ts';

export type Sent<T> =
  | { readonly kind: 'answer'; readonly value: T }
  /** Perhaps executed. */
  | { readonly kind: 'doubt'; readonly error: CallError };

/** Tries of a write that surely was not sent, or that the service promises to take once. */
const TRIES = 4;

/**
 * Sends once, and again only while nothing can have happened, or where the service takes the nonce for a key.
 *
 * Errors: CallError when it surely was not executed. A doubt stays one, however later tries are turned away.
 */
export async function sendOnce<T>(send: () => Promise<T>, world: World): Promise<Sent<T>> {
  let doubt: CallError | null = null;
  for (let attempt = 1; ; attempt++) {
    try {
      return { kind: 'answer', value: await send() };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.outcome === 'unknown') doubt = error;
      const passing = error.problem.code === 'LT_API_UNREACHABLE' && error.outcome === 'not_sent';
      const repeatable = doubt === null ? passing : !refusesKey(error) && world.service.honoursIdempotency();
      if (!repeatable || attempt === TRIES || world.interrupted.aborted) {
        if (doubt === null) throw error;
        return { kind: 'doubt', error: doubt };
      }
    }
    await world.clock.sleep(backOff(attempt, world), world.interrupted);
  }
}

/**
 * Looks for what a write in doubt has done, with back-off, until the service has had its time. Null: not found.
 *
 * Shape:  a read that fails proves nothing. A signal does not end it: what was started must be known to be stopped.
 */
export async function lookThroughSettle<T>(look: () => Promise<T | null>, world: World): Promise<T | null> {
  const deadline = world.clock.now() + world.settle;
  for (let attempt = 1; ; attempt++) {
    try {
      const found = await look();
      if (found !== null) return found;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (refusesKey(error)) return null;
    }
    const left = deadline - world.clock.now();
    if (left <= 0) return null;
    await world.clock.sleep(Math.min(left, backOff(attempt, world)));
  }
}

export function refusesKey(error: CallError): boolean {
  return error.problem.code === 'LT_API_KEY';
}

/** Before the first byte of a write: a signal that came meanwhile means that nothing new begins. */
export function throwIfInterrupted(world: World): void {
  if (!world.interrupted.aborted) return;
  throw new ProblemError(problem('LT_CLI_INTERRUPTED', 'interrupted before it was sent'));
}

/** Doubling from 250 ms to 10 s, half of it jitter. */
export function backOff(attempt: number, world: Pick<World, 'clock'>): number {
  const full = Math.min(10_000, 250 * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * world.clock.random();
}

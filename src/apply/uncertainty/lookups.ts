import { CallError } from '../../core/call-error.ts';
import type { ApplyContext } from '../apply-context.ts';
import type { JournalLine } from './journal.ts';
import { computeBackoff, isKeyRefusal } from './sending.ts';

/**
 * Searches for the effect of a request with an unknown outcome, until the settle time has passed. Returns null if there
 * is no effect or the key is rejected.
 * @remarks A signal does not end the search, because the command must find a started run to stop it.
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

/** Returns null for a 404 response. @throws The error otherwise. */
export function nullOnNotFound(error: unknown): null {
  if (error instanceof CallError && error.status === 404) return null;
  throw error;
}

/**
 * Repeats a read after 404 responses until the settle time has passed, because a single 404 response does not prove
 * that a test is gone.
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

/**
 * Returns the remaining time in which a service may execute an operation, in ms; 0 or less if this time has passed.
 * @remarks Uses two clocks, because the wall clock may have jumped and the monotonic clock restarts with the machine.
 */
export function remainingSettleTime(
  { at, up }: Pick<JournalLine, 'at' | 'up'>,
  { clock, settle }: Pick<ApplyContext, 'clock' | 'settle'>,
): number {
  const byWall = Math.min(at, clock.now()) + settle - clock.now();
  const byMachine = up === undefined ? byWall : up + settle - clock.monotonic();
  return Math.min(settle, Math.max(byWall, byMachine));
}

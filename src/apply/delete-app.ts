/** Deletes an app with all that lives there. */
import type { CallError } from '../core/call-error.ts';
import type { AppId } from '../core/model/ids.ts';
import { sendOrThrow, type Decision } from './sending.ts';
import type { World } from './world.ts';

/**
 * Deleting may be repeated: an app that is gone after a doubt was deleted by us.
 *
 * Errors: CallError.
 */
export async function deleteApp(id: AppId, world: Pick<World, 'service' | 'clock'>): Promise<void> {
  const decide = (error: CallError, doubt: CallError | null): Decision<void> => {
    if (doubt !== null && error.status === 404) return { done: undefined };
    return error.passing ? 'again' : 'end';
  };
  const send = () => world.service.deleteApp(id);
  await sendOrThrow({ send, decide, interrupted: null }, world.clock);
}

/**
 * Registers an app, publishes its token, and verifies it.
 *
 * Source: the reconciler's design, section 3.
 */
import { CallError } from '../core/call-error.ts';
import { hostNames, type DeclaredApp } from '../core/model/app.ts';
import type { AppId } from '../core/model/ids.ts';
import { appAddress } from '../core/model/ids.ts';
import { ProblemError, problem } from '../core/problem.ts';
import type { World } from './world.ts';

export interface RegisteredApp {
  readonly id: AppId;
  /** The text to publish; null where the service did not say and the app was found by listing. */
  readonly verificationId: string | null;
}

const TRIES = 3;

/** Registering is repeatable as long as the list is read before each repetition. Errors: CallError. */
export async function registerApp(app: DeclaredApp, world: World): Promise<RegisteredApp> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await world.service.registerApp(app.host);
    } catch (error) {
      if (!(error instanceof CallError) || error.outcome === 'refused') throw error;
      const { items } = await world.service.listApps();
      const there = items.find((one) => hostNames(app.host).includes(one.host));
      if (there !== undefined) return { id: there.id, verificationId: null };
      if (attempt === TRIES || world.interrupted.aborted) throw error;
    }
  }
}

/** Seconds between tries; the last one repeats. */
const PAUSES = [1, 1, 3, 5, 10, 20];

/**
 * Publishes and verifies, slowly and boundedly: each try makes the service call the customer's host.
 *
 * Errors: ProblemError LT_PLAN_BLOCKED when the app is not verified within its `wait`; CallError.
 */
export async function verifyApp(app: DeclaredApp, registered: RegisteredApp, world: World): Promise<void> {
  const verificationId = registered.verificationId ?? world.verificationIdOf(registered.id);
  await publishToken(app, registered.id, verificationId, world);
  const deadline = world.clock.now() + app.wait;
  let reason = '';
  for (let attempt = 0; ; attempt++) {
    const answer = await world.service.verifyApp(registered.id, app.method);
    if (answer.verified) return;
    reason = answer.errors.join('; ');
    const pause = (PAUSES[attempt] ?? 20) * 1000;
    const left = deadline - world.clock.now();
    if (left <= 0 || world.interrupted.aborted) break;
    await world.clock.sleep(Math.min(pause, left), world.interrupted);
  }
  throw new ProblemError(
    problem('LT_PLAN_BLOCKED', `"${app.host}" is not verified: ${reason}`, {
      source: app.source,
      hint: publishHint(app, verificationId),
    }),
  );
}

async function publishToken(
  app: DeclaredApp,
  id: AppId,
  verificationId: string,
  world: World,
): Promise<void> {
  if (app.publish.kind !== 'manual') {
    await world.publish(app, { appId: id, verificationId });
    return;
  }
  // Where the service needs no token (our own, for this machine), nobody should be told to publish one.
  const answer = await world.service.getApp(id);
  if (answer.status === 'verified') return;
  world.emit({ kind: 'publish', app, verificationId, text: publishHint(app, verificationId) });
}

function publishHint(app: DeclaredApp, verificationId: string): string {
  if (app.method === 'dns') {
    const [prefix, ...token] = verificationId.split('-');
    return `add a TXT record "${prefix ?? ''}=${token.join('-')}" to ${app.host}`;
  }
  return `publish the text ${verificationId} at http://${app.host}/${verificationId}.txt (${appAddress(app.key)})`;
}

/**
 * Registers an app, publishes its token, and verifies it.
 *
 * Source: docs/design/reconciler.md, section 3.
 */
import { CallError } from '../core/call-error.ts';
import { observedApp, type DeclaredApp, type ObservedApp } from '../core/model/app.ts';
import type { AppId } from '../core/model/ids.ts';
import { appAddress } from '../core/model/ids.ts';
import { ProblemError, problem } from '../core/problem.ts';
import type { VerifyAnswer } from '../core/ports/service-port.ts';
import type { Milliseconds } from '../core/units.ts';
import { NOTHING_LISTENS, START_IT } from './listening-targets.ts';
import { isTurnedAway, sendOrThrow, type Decision } from './sending.ts';
import type { World } from './world.ts';

export interface RegisteredApp {
  readonly id: AppId;
  /** The text to publish; null where the service did not say and the app was found by listing. */
  readonly verificationId: string | null;
}

/**
 * Registering may be repeated once the list was read: a doubt, and a refusal too, may mean that the app is there
 * already. Errors: CallError.
 */
export async function registerApp(app: DeclaredApp, world: World): Promise<RegisteredApp> {
  const decide = async (error: CallError): Promise<Decision<RegisteredApp>> => {
    if (isTurnedAway(error)) return 'again';
    const there = await registeredApp(app, world).catch(() => {
      // What went wrong with registering says more than what went wrong with looking.
      throw error;
    });
    if (there !== undefined) return { done: { id: there.id, verificationId: null } };
    return error.outcome === 'unknown' ? 'again' : 'end';
  };
  const send = () => world.service.registerApp(app.host);
  return await sendOrThrow({ send, decide, interrupted: world.interrupted }, world.clock);
}

async function registeredApp(app: DeclaredApp, world: World): Promise<ObservedApp | undefined> {
  const { items } = await world.service.listApps();
  return observedApp(items, app);
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
  const { publish } = app;
  if (publish.kind !== 'manual') await world.publish(app, { appId: registered.id, verificationId });
  const deadline = world.clock.monotonic() + app.wait;
  let told: string | null = null;
  for (let attempt = 0; ; attempt++) {
    const answer = await tryVerify(registered.id, app.method, world);
    if (answer.verified) return;
    // No wait helps there, and no token.
    if (await world.nothingListens(app.host)) throw unverified(app, START_IT, [NOTHING_LISTENS]);
    // Whoever has published it already, or needs not to, is not asked to.
    if (publish.kind === 'manual' && attempt === 0)
      world.emit({ kind: 'publish', app, verificationId, text: publishHint(app, verificationId) });
    const pause = (PAUSES[attempt] ?? 20) * 1000;
    const left = deadline - world.clock.monotonic();
    const reason = answer.errors.join('; ');
    if (left > 0) {
      if (reason !== told) world.emit({ kind: 'note', text: `${app.host} is not verified yet: ${reason}` });
      told = reason;
      await world.clock.sleep(Math.min(Math.max(pause, answer.retryAfter ?? 0), left), world.interrupted);
    }
    if (left <= 0 || world.interrupted.aborted) {
      throw unverified(app, publishHint(app, verificationId), answer.errors);
    }
  }
}

type Tried = VerifyAnswer & {
  /** What a service that cannot answer now asks to wait. */
  readonly retryAfter: Milliseconds | null;
};

function unverified(app: DeclaredApp, hint: string, errors: readonly string[]): ProblemError {
  const text = `"${app.host}" is not verified: ${errors.join('; ')}`;
  return new ProblemError(problem('LT_PLAN_BLOCKED', text, { source: app.source, hint }));
}

/** Verifying may be sent again, so a try that got no answer is one that failed. Errors: CallError of a refusal. */
async function tryVerify(id: AppId, method: string, world: World): Promise<Tried> {
  try {
    return { ...(await world.service.verifyApp(id, method)), retryAfter: null };
  } catch (error) {
    if (!(error instanceof CallError) || (error.outcome !== 'unknown' && !error.passing)) throw error;
    return { verified: false, errors: [error.message], retryAfter: error.retryAfter };
  }
}

function publishHint(app: DeclaredApp, verificationId: string): string {
  if (app.method === 'dns') {
    // The word of the service may hold hyphens itself; the token holds none.
    const at = verificationId.lastIndexOf('-');
    return `add a TXT record "${verificationId.slice(0, at)}=${verificationId.slice(at + 1)}" to ${app.host}`;
  }
  return `publish the text ${verificationId} at http://${app.host}/${verificationId}.txt (${appAddress(app.key)})`;
}

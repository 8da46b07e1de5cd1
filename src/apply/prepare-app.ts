/**
 * Registers an app, publishes its token, and verifies it.
 *
 * Source: docs/internals/reconciler.md, section 3.
 */
import { CallError } from '../core/call-error.ts';
import { findObservedApp, type DeclaredApp, type ObservedApp } from '../core/model/app.ts';
import type { AppId } from '../core/model/ids.ts';
import { appAddress } from '../core/model/ids.ts';
import { ProblemError, problem } from '../core/problem.ts';
import type { VerifyResult } from '../core/ports/service-port.ts';
import type { Milliseconds } from '../core/units.ts';
import { NOTHING_LISTENS, START_HINT } from './listening-targets.ts';
import { isRejectedForNow, sendOrThrow, type RetryDecision } from './write-retry.ts';
import type { ApplyContext } from './apply-context.ts';

export interface RegisteredApp {
  readonly id: AppId;
  /** The text to publish; null where the service did not say and the app was found by listing. */
  readonly verificationId: string | null;
}

/**
 * Registering may be repeated once the list was read: a doubt, and a refusal too, may mean that the app is there
 * already. Errors: CallError.
 */
export async function registerApp(app: DeclaredApp, context: ApplyContext): Promise<RegisteredApp> {
  const decide = async (error: CallError): Promise<RetryDecision<RegisteredApp>> => {
    if (isRejectedForNow(error)) return 'again';
    const there = await findRegisteredApp(app, context).catch(() => {
      // What went wrong with registering says more than what went wrong with looking.
      throw error;
    });
    if (there !== undefined) return { done: { id: there.id, verificationId: null } };
    return error.outcome === 'unknown' ? 'again' : 'end';
  };
  const send = () => context.service.registerApp(app.host);
  return await sendOrThrow({ send, decide, interrupted: context.interrupted }, context.clock);
}

async function findRegisteredApp(app: DeclaredApp, context: ApplyContext): Promise<ObservedApp | undefined> {
  const { items } = await context.service.listApps();
  return findObservedApp(items, app);
}

/** Seconds between tries; the last one repeats. */
const RETRY_DELAYS = [1, 1, 3, 5, 10, 20];

/**
 * Publishes and verifies, slowly and boundedly: each try makes the service call the customer's host.
 *
 * Errors: ProblemError LT_PLAN_BLOCKED when the app is not verified within its `wait`; CallError.
 */
export async function verifyApp(
  app: DeclaredApp,
  registered: RegisteredApp,
  context: ApplyContext,
): Promise<void> {
  const verificationId = registered.verificationId ?? context.verificationIdOf(registered.id);
  const { publish } = app;
  if (publish.kind !== 'manual') await context.publish(app, { appId: registered.id, verificationId });
  const deadline = context.clock.monotonic() + app.wait;
  let told: string | null = null;
  for (let attempt = 0; ; attempt++) {
    const response = await tryVerify(registered.id, app.method, context);
    if (response.verified) return;
    // No wait helps there, and no token.
    if (await context.isSilent(app.host)) throw toUnverifiedProblem(app, START_HINT, [NOTHING_LISTENS]);
    // Whoever has published it already, or needs not to, is not asked to.
    if (publish.kind === 'manual' && attempt === 0)
      context.emit({ kind: 'publish', app, verificationId, text: publishHint(app, verificationId) });
    const pause = (RETRY_DELAYS[attempt] ?? 20) * 1000;
    const left = deadline - context.clock.monotonic();
    const reason = response.errors.join('; ');
    if (left > 0) {
      if (reason !== told) context.emit({ kind: 'note', text: `${app.host} is not verified yet: ${reason}` });
      told = reason;
      await context.clock.sleep(
        Math.min(Math.max(pause, response.retryAfter ?? 0), left),
        context.interrupted,
      );
    }
    if (left <= 0 || context.interrupted.aborted) {
      throw toUnverifiedProblem(app, publishHint(app, verificationId), response.errors);
    }
  }
}

type VerifyAttempt = VerifyResult & {
  /** What a service that cannot answer now asks to wait. */
  readonly retryAfter: Milliseconds | null;
};

function toUnverifiedProblem(app: DeclaredApp, hint: string, errors: readonly string[]): ProblemError {
  const text = `"${app.host}" is not verified: ${errors.join('; ')}`;
  return new ProblemError(problem('LT_PLAN_BLOCKED', text, { source: app.source, hint }));
}

/** Verifying may be sent again, so a try that got no answer is one that failed. Errors: CallError of a refusal. */
async function tryVerify(id: AppId, method: string, context: ApplyContext): Promise<VerifyAttempt> {
  try {
    return { ...(await context.service.verifyApp(id, method)), retryAfter: null };
  } catch (error) {
    if (!(error instanceof CallError) || (error.outcome !== 'unknown' && !error.transient)) throw error;
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

/**
 * Registration and verification of an app.
 * @see docs/internals/reconciler.md, section 3
 */
import { CallError } from '../../core/call-error.ts';
import { findObservedApp, type DeclaredApp, type ObservedApp } from '../../core/model/app.ts';
import type { AppId } from '../../core/model/ids.ts';
import { withKnownTexts } from '../../core/model/connection.ts';
import { appAddress } from '../../core/model/ids.ts';
import { ProblemError, problem } from '../../core/problem.ts';
import type { VerifyResult } from '../../core/ports/service-port.ts';
import { readUrl } from '../../core/model/url.ts';
import type { Milliseconds } from '../../core/units.ts';
import { NAME_HINT, NOTHING_LISTENS, START_HINT } from './available-targets.ts';
import { pollUntilSettled } from '../uncertainty/lookups.ts';
import { isKeyRefusal, isRejectedForNow, sendOrThrow, type RetryDecision } from '../uncertainty/sending.ts';
import type { ApplyContext } from '../apply-context.ts';

export interface RegisteredApp {
  readonly id: AppId;
  /** Verification ID; null if the service did not return it. Lists of apps omit this ID. */
  readonly verificationId: string | null;
}

/**
 * Refuses an app whose host name cannot be resolved. Checks nothing if the file sets the addresses, or if a command
 * publishes the token, because the command may create the DNS record.
 * @throws ProblemError LT_PLAN_BLOCKED
 */
export async function refuseUnresolvedApp(app: DeclaredApp, context: ApplyContext): Promise<void> {
  if (app.publish.kind === 'command' || app.connection?.resolve !== undefined) return;
  const reason = await context.resolutionFailure(app.host);
  if (reason !== null)
    throw new ProblemError(problem('LT_PLAN_BLOCKED', reason, { source: app.source, hint: NAME_HINT }));
}

/**
 * After any failure except a temporary rejection, searches the list, because the app may exist. After a refusal,
 * repeats the search for the settle time if the list may be outdated.
 * @throws CallError
 */
export async function registerApp(app: DeclaredApp, context: ApplyContext): Promise<RegisteredApp> {
  const decide = async (error: CallError): Promise<RetryDecision<RegisteredApp>> => {
    if (isRejectedForNow(error)) return 'again';
    const existing = await findRegisteredApp(app, context).catch(() => {
      throw error;
    });
    if (existing !== undefined) return { done: { id: existing.id, verificationId: null } };
    if (error.outcome === 'unknown') return 'again';
    // A service that supports idempotency is a loadtests service, whose lists are always current.
    if (error.outcome !== 'refused' || isKeyRefusal(error) || context.service.supportsIdempotency())
      return 'end';
    const text = `the service refused to register ${app.host}; checking whether this host is already registered`;
    context.emit({ kind: 'note', text });
    const found = await pollUntilSettled(
      async () => (await findRegisteredApp(app, context)) ?? null,
      context,
    );
    return found === null ? 'end' : { done: { id: found.id, verificationId: null } };
  };
  const send = () => context.service.registerApp(app.host);
  return await sendOrThrow({ send, decide }, context);
}

async function findRegisteredApp(app: DeclaredApp, context: ApplyContext): Promise<ObservedApp | undefined> {
  const { items } = await context.service.listApps();
  return findObservedApp(items, app);
}

/** Delays between attempts, in s. The last delay repeats. */
const RETRY_DELAYS = [1, 1, 3, 5, 10, 20];

/**
 * Publishes the token and verifies the app, with increasing delays between attempts.
 * @throws ProblemError LT_PLAN_BLOCKED if the name cannot be resolved, the token cannot be published, the host refuses
 * connections, or the app is not verified within its `wait`; CallError
 */
export async function verifyApp(
  app: DeclaredApp,
  registered: RegisteredApp,
  context: ApplyContext,
): Promise<void> {
  const verificationId = registered.verificationId ?? context.verificationIdOf(registered.id);
  const { publish } = app;
  const hint = publishHint(app, { id: registered.id, verificationId });
  await refuseUnresolvedApp(app, context);
  if (publish.kind !== 'manual') await context.publish(app, { appId: registered.id, verificationId });
  const deadline = context.clock.monotonic() + app.wait;
  let lastReason: string | null = null;
  for (let attempt = 0; ; attempt++) {
    const response = await tryVerify(registered.id, app, context);
    if (response.verified) return;
    if (app.method !== 'dns' && (await context.isSilent(app.host)))
      throw toUnverifiedProblem(app, START_HINT, [NOTHING_LISTENS]);
    // Shown only after the first failed attempt, because the token may already be published.
    if (publish.kind === 'manual' && attempt === 0)
      context.emit({ kind: 'publish', app, verificationId, text: hint });
    const pause = (RETRY_DELAYS[attempt] ?? 20) * 1000;
    const remaining = deadline - context.clock.monotonic();
    const unresolved =
      app.connection?.resolve === undefined ? await context.resolutionFailure(app.host) : null;
    const reason = unresolved ?? response.errors.join('; ');
    if (remaining > 0) {
      if (reason !== lastReason)
        context.emit({ kind: 'note', text: `${app.host} is not verified yet: ${reason}` });
      lastReason = reason;
      await context.clock.sleep(
        Math.min(Math.max(pause, response.retryAfter ?? 0), remaining),
        context.interrupted,
      );
    }
    if (remaining <= 0 || context.interrupted.aborted) {
      throw toUnverifiedProblem(app, hint, [reason]);
    }
  }
}

type VerifyAttempt = VerifyResult & {
  /** Delay that the service requires, in ms; null if there is none. */
  readonly retryAfter: Milliseconds | null;
};

function toUnverifiedProblem(app: DeclaredApp, hint: string, errors: readonly string[]): ProblemError {
  const text = `"${app.host}" is not verified: ${errors.join('; ')}`;
  return new ProblemError(problem('LT_PLAN_BLOCKED', text, { source: app.source, hint }));
}

/**
 * A transient error or an unknown outcome counts as a failed attempt.
 * @throws CallError for other errors.
 */
async function tryVerify(
  id: AppId,
  { method, connection }: DeclaredApp,
  context: ApplyContext,
): Promise<VerifyAttempt> {
  try {
    return {
      ...(await context.service.verifyApp(id, method, connection && withKnownTexts(connection))),
      retryAfter: null,
    };
  } catch (error) {
    if (!(error instanceof CallError) || (error.outcome !== 'unknown' && !error.transient)) throw error;
    return { verified: false, errors: [error.message], retryAfter: error.retryAfter };
  }
}

function publishHint(
  app: DeclaredApp,
  { id, verificationId }: { readonly id: AppId; readonly verificationId: string },
): string {
  if (app.method === 'dns') {
    // Separates the prefix from the app ID. If the verification ID does not end with the app ID, splits at the last
    // hyphen.
    const hasId = verificationId.endsWith(`-${id}`);
    const separator = hasId ? verificationId.length - id.length - 1 : verificationId.lastIndexOf('-');
    return `add a TXT record "${verificationId.slice(0, separator)}=${verificationId.slice(separator + 1)}" to ${readUrl(`http://${app.host}/`)?.bareHost ?? app.host}`;
  }
  return `publish a text file that contains only ${verificationId} at http://${app.host}/${verificationId}.txt (${appAddress(app.key)})`;
}

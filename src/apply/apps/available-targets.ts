import { resolvedHostsOf } from '../../core/model/connection.ts';
import { allTargetsOf } from '../../core/model/phase.ts';
import { readUrl } from '../../core/model/url.ts';
import type { RunnableTest } from '../../core/model/load-test.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import type { ApplyContext } from '../apply-context.ts';

export const NOTHING_LISTENS = 'connection refused: no local process is listening on that port';
export const START_HINT =
  'start the target first, or declare "web_server" in the file to start it automatically';

export const NAME_HINT = 'check the spelling of the host name and the DNS settings of this machine';

/**
 * Refuses a test if a target cannot be resolved, or is on loopback and refuses connections. Checks nothing for other
 * services, which verify hosts themselves and may run on another machine.
 * @throws ProblemError LT_PLAN_BLOCKED
 */
export async function refuseUnavailableTargets(
  test: RunnableTest,
  context: Pick<ApplyContext, 'isEmbedded' | 'isSilent' | 'resolutionFailure'>,
): Promise<void> {
  if (!context.isEmbedded) return;
  const hosts = allTargetsOf<{ readonly url: string }>(test.spec).flatMap(({ url }) => {
    const read = readUrl(url);
    const resolved = resolvedHostsOf(test.spec.connection, url);
    if (resolved.length > 0) return resolved;
    return read === null ? [] : [`${read.bareHost}:${read.port}`];
  });
  for (const host of new Set(hosts)) {
    const isSilent = await context.isSilent(host);
    const reason = isSilent ? NOTHING_LISTENS : await context.resolutionFailure(host);
    if (reason === null) continue;
    const text = `"${test.key}" is not started: its target "${host}" is not available: ${reason}`;
    const hint = isSilent ? START_HINT : NAME_HINT;
    throw new ProblemError(problem('LT_PLAN_BLOCKED', text, { source: test.source, hint }));
  }
}

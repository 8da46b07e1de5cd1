/** Whether somebody listens where load is about to go. Sends nothing. */
import { readUrl } from '../core/model/url.ts';
import type { RunnableTest } from '../core/model/load-test.ts';
import { problem, ProblemError } from '../core/problem.ts';
import type { ApplyContext } from './apply-context.ts';

export const NOTHING_LISTENS = 'nothing listens there on this machine; the connection is refused';
export const START_HINT = 'start it first, or declare "web_server" in the file, and the command starts it';

/**
 * Only with the embedded service, which asks loopback hosts for no token: any other one has asked them for theirs, and
 * what it calls loopback may be another machine.
 *
 * Errors: ProblemError LT_PLAN_BLOCKED where a host of the test, on this machine, refuses connections.
 */
export async function refuseSilentTargets(
  test: RunnableTest,
  context: Pick<ApplyContext, 'isEmbedded' | 'isSilent'>,
): Promise<void> {
  if (!context.isEmbedded) return;
  const hosts = test.spec.targets.flatMap(({ url }) => {
    const read = readUrl(url);
    return read === null ? [] : [`${read.bareHost}:${read.port}`];
  });
  for (const host of new Set(hosts)) {
    if (!(await context.isSilent(host))) continue;
    const text = `"${test.key}" is not started: it sends load to "${host}", and ${NOTHING_LISTENS}`;
    throw new ProblemError(problem('LT_PLAN_BLOCKED', text, { source: test.source, hint: START_HINT }));
  }
}

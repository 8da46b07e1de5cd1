/** The base of the pull request for which a CI job runs. */
import { readRegular } from '../../disk/regular-file.ts';
import { objectOf } from '../../core/unknown-value.ts';
import type { Context } from '../terminal/context.ts';

export interface PullRequestBase {
  /** Git revisions of the base, in order of preference. Which of them exist depends on the depth of the clone. */
  readonly revisions: readonly string[];
  /** Name of the base for messages. */
  readonly name: string;
}

/** Maximum size of the event of a job. GitHub limits it to 25 MB. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;

/** Returns the base of the pull request; null if the job runs for something else, or outside CI. */
export function pullRequestBaseOf({ env }: Pick<Context, 'env'>): PullRequestBase | null {
  const { GITHUB_BASE_REF: github = '', CI_MERGE_REQUEST_TARGET_BRANCH_NAME: gitlab = '' } = env;
  if (github !== '') return baseOf(eventBase(env['GITHUB_EVENT_PATH'] ?? ''), github);
  if (gitlab !== '') return baseOf(env['CI_MERGE_REQUEST_DIFF_BASE_SHA'] ?? '', gitlab);
  const jenkins = env['CHANGE_TARGET'] ?? '';
  return jenkins === '' ? null : baseOf('', jenkins);
}

function baseOf(commit: string, branch: string): PullRequestBase {
  const commits = /^[0-9a-f]{40,64}$/.test(commit) ? [commit] : [];
  return { revisions: [...commits, `refs/remotes/origin/${branch}`], name: commits[0] ?? `origin/${branch}` };
}

/** Returns the commit of the base from the event of a GitHub job; empty if the event does not contain it. */
function eventBase(path: string): string {
  if (path === '') return '';
  try {
    const event: unknown = JSON.parse(readRegular(path, MAX_EVENT_BYTES).toString('utf8'));
    const sha = objectOf(objectOf(objectOf(event)['pull_request'])['base'])['sha'];
    return typeof sha === 'string' ? sha : '';
  } catch {
    return '';
  }
}

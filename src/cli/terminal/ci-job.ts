import { join } from 'node:path';
import { isCommit, pullRequestCommit } from '../../core/pull-request-event.ts';
import { formatRfc3339 } from '../../core/instant.ts';
import type { Origin } from '../../core/report/generated/documents.ts';
import { readRegular } from '../../disk/regular-file.ts';
import type { Context } from './context.ts';

type Job = Pick<Context, 'env'>;

/** Variables of pull request jobs. `null` matches any value except an empty string and `false`. */
const PULL_REQUEST_VARIABLES: readonly (readonly [name: string, value: RegExp | null])[] = [
  ['GITHUB_EVENT_NAME', /^(pull_request|issue_comment|workflow_run)/],
  ['CI_MERGE_REQUEST_IID', null],
  ['CI_EXTERNAL_PULL_REQUEST_IID', null],
  ['CHANGE_ID', null],
  ['BUILD_REASON', /^PullRequest$/],
  ['CIRCLE_PULL_REQUEST', null],
  ['BUILDKITE_PULL_REQUEST', null],
  ['BITBUCKET_PR_ID', null],
  ['TRAVIS_PULL_REQUEST', null],
  ['DRONE_PULL_REQUEST', null],
  ['CI_COMMIT_PULL_REQUEST', null],
  ['APPVEYOR_PULL_REQUEST_NUMBER', null],
  ['SYSTEM_PULLREQUEST_PULLREQUESTID', null],
  ['SEMAPHORE_GIT_PR_NUMBER', null],
  ['BITRISE_PULL_REQUEST', null],
  ['CIRRUS_PR', null],
  ['CODEBUILD_WEBHOOK_TRIGGER', /^pr\//],
];

export function isPullRequestJob({ env }: Job): boolean {
  return PULL_REQUEST_VARIABLES.some(([name, value]) => {
    const text = env[name] ?? '';
    return value === null ? !['', 'false'].includes(text) : value.test(text);
  });
}

export interface PullRequestBase {
  /** Git revisions of the base, in order of preference. A shallow clone may lack some. */
  readonly revisions: readonly string[];
  readonly name: string;
}

/** Returns the base of the pull request on GitHub, GitLab or Jenkins; null for other jobs. */
export function pullRequestBaseOf(job: Job): PullRequestBase | null {
  const { env } = job;
  const { GITHUB_BASE_REF: github = '', CI_MERGE_REQUEST_TARGET_BRANCH_NAME: gitlab = '' } = env;
  if (github !== '') return baseOf(pullRequestCommit(eventOf(job), 'base'), github);
  if (gitlab !== '') return baseOf(env['CI_MERGE_REQUEST_DIFF_BASE_SHA'] ?? null, gitlab);
  const jenkins = env['CHANGE_TARGET'] ?? '';
  return jenkins === '' ? null : baseOf(null, jenkins);
}

function baseOf(commit: string | null, branch: string): PullRequestBase {
  const commits = commit !== null && isCommit(commit) ? [commit] : [];
  return { revisions: [...commits, `refs/remotes/origin/${branch}`], name: commits[0] ?? `origin/${branch}` };
}

/** Events for which GITHUB_SHA is the commit under test. */
const COMMIT_EVENTS = ['push', 'schedule', 'workflow_dispatch', 'merge_group'];

/**
 * Returns the commit under test, which is the head commit for a pull request. Returns an empty object if the variables
 * and files of the job contain no commit.
 */
export function commitOfJob(job: Job): Pick<Origin, 'commit' | 'files_url'> {
  const { env } = job;
  const valueOf = (name: string) => env[name] ?? '';
  const event = valueOf('GITHUB_EVENT_NAME');
  if (event !== '') {
    const commit = COMMIT_EVENTS.includes(event)
      ? valueOf('GITHUB_SHA')
      : (pullRequestCommit(eventOf(job), 'head') ?? checkedOutCommit(valueOf('GITHUB_WORKSPACE')));
    return commitWithFiles(commit, `${valueOf('GITHUB_SERVER_URL')}/${valueOf('GITHUB_REPOSITORY')}/blob`);
  }
  const project = valueOf('CI_MERGE_REQUEST_SOURCE_PROJECT_URL') || valueOf('CI_PROJECT_URL');
  // A merge request pipeline can run on a temporary merge commit.
  const head = valueOf('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA') || valueOf('CI_COMMIT_SHA');
  return commitWithFiles(head, `${project}/-/blob`);
}

export function originOfJob(job: Job, now: number): Origin | null {
  const commit = commitOfJob(job);
  return commit.commit === undefined ? null : { created_at: formatRfc3339(now), ...commit };
}

function commitWithFiles(commit: string | null, files: string): Pick<Origin, 'commit' | 'files_url'> {
  if (commit === null || !isCommit(commit)) return {};
  return /^https?:/.test(files) && URL.canParse(files)
    ? { commit, files_url: `${files}/${commit}/` }
    : { commit };
}

/** Returns the content of HEAD, which is a commit unless a branch is checked out; null if HEAD cannot be read. */
function checkedOutCommit(directory: string): string | null {
  try {
    return readRegular(join(directory, '.git/HEAD'), MAX_HEAD_BYTES).toString('utf8').trim();
  } catch {
    return null;
  }
}

const MAX_HEAD_BYTES = 1000;

/** Maximum size of the event file, in bytes. GitHub limits events to 25 MB. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;

/** Returns the event that started a GitHub job; null if it cannot be read. */
function eventOf({ env }: Job): unknown {
  const path = env['GITHUB_EVENT_PATH'] ?? '';
  if (path === '') return null;
  try {
    return JSON.parse(readRegular(path, MAX_EVENT_BYTES).toString('utf8'));
  } catch {
    return null;
  }
}

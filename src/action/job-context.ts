/** What the runner says of the job: in variables, and in the event that started it. */
import { relative, resolve, sep } from 'node:path';
import type { CommentSubject } from './pull-request-comment.ts';
import { member, type PullRequest } from './github-api.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The pull request that the job is for, or why there is none to comment on.
 *
 * @param event what GITHUB_EVENT_PATH holds
 */
export function pullRequestOf(env: Variables, event: unknown): PullRequest | string {
  const number = member(member(event, 'pull_request'), 'number') ?? issueNumberOf(event);
  if (typeof number !== 'number') return 'the job was not started by a pull request';
  const token = env['INPUT_TOKEN'] ?? '';
  if (token === '') return 'there is no token';
  const repository = env['GITHUB_REPOSITORY'] ?? '';
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) return 'GITHUB_REPOSITORY names no repository';
  const apiUrl = env['GITHUB_API_URL'] ?? 'https://api.github.com';
  return { apiUrl, graphqlUrl: env['GITHUB_GRAPHQL_URL'] ?? `${apiUrl}/graphql`, repository, number, token };
}

/** Of a comment on a pull request: to FakeGitHub that is an issue. */
function issueNumberOf(event: unknown): unknown {
  const issue = member(event, 'issue');
  return member(issue, 'pull_request') === undefined ? undefined : member(issue, 'number');
}

export function subjectOf(env: Variables, command: string, directory: string): CommentSubject {
  const { INPUT_FILE: file = '', INPUT_ENVIRONMENT: environment = '', GITHUB_WORKSPACE: root = '' } = env;
  const path = resolve(directory, file === '' ? 'loadtests.yaml' : file);
  return { file: relative(root === '' ? directory : root, path).replaceAll(sep, '/'), environment, command };
}

/** What the comment says, and that again where it is too long. */
export function commentTexts(env: Variables, markdown: string) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  const job =
    server === undefined || run === undefined ? null : `${server}/${repository ?? ''}/actions/runs/${run}`;
  const place = job === null ? 'the summary of the job' : `[the summary of the job](${job})`;
  const heading = markdown.split('\n', 1)[0] ?? '';
  return {
    markdown: job === null ? markdown : `${markdown}\n<sub>[The job](${job}) that wrote this.</sub>\n`,
    instead: `${heading}\n\nThe report is too long for a comment: see ${place}.\n`,
  };
}

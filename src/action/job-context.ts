/** Data of a GitHub Actions job: variables, event, plan document and comment report. */
import { relative, resolve, sep } from 'node:path';
import type { CommentSubject, PlanFindings } from './pull-request-comment.ts';
import { member, type PullRequest } from './github-api.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the pull request of the job, or the reason why no comment can be written. */
export async function pullRequestOf(env: Variables, event: unknown): Promise<PullRequest | string> {
  const number = member(member(event, 'pull_request'), 'number') ?? issueNumberOf(event);
  if (typeof number !== 'number') return 'the event that started the job does not refer to a pull request';
  const token = env['INPUT_TOKEN'] ?? '';
  if (token === '') return 'the input "token" is empty';
  const repository = env['GITHUB_REPOSITORY'] ?? '';
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository))
    return 'GITHUB_REPOSITORY does not contain a name of the form "owner/repository"';
  const apiUrl = env['GITHUB_API_URL'] ?? 'https://api.github.com';
  const graphqlUrl = env['GITHUB_GRAPHQL_URL'] ?? `${apiUrl}/graphql`;
  return { apiUrl, graphqlUrl, repository, number, token, ...(await proxyOf(env)) };
}

/** Returns an agent for the configured proxy, if any. Lowercase variables take precedence over uppercase variables. */
async function proxyOf(env: Variables): Promise<Pick<PullRequest, 'proxyAgent'>> {
  const valueOf = (name: string) => env[name] ?? env[name.toUpperCase()] ?? '';
  const [httpProxy, httpsProxy] = [valueOf('http_proxy'), valueOf('https_proxy')];
  if (httpProxy === '' && httpsProxy === '') return {};
  const { EnvHttpProxyAgent } = await import('undici');
  return { proxyAgent: new EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy: valueOf('no_proxy') }) };
}

/** Returns the number from a comment event, in which GitHub represents a pull request as an issue. */
function issueNumberOf(event: unknown): unknown {
  const issue = member(event, 'issue');
  return member(issue, 'pull_request') === undefined ? undefined : member(issue, 'number');
}

export function subjectOf(env: Variables, command: string, directory: string): CommentSubject {
  const { INPUT_FILE: file = '', INPUT_ENVIRONMENT: environment = '', GITHUB_WORKSPACE: root = '' } = env;
  const path = resolve(directory, file === '' ? 'loadtests.yaml' : file);
  return { file: relative(root === '' ? directory : root, path).replaceAll(sep, '/'), environment, command };
}

export interface CommentReport extends CommentSubject {
  readonly markdown: string;
  /** Null if the command created no plan. */
  readonly plan: PlanFindings | null;
}

/** Returns the findings of a plan document, combined for its projects; null if the document contains no plan. */
export function planFindings(document: unknown): PlanFindings | null {
  const projects = listOf(member(document, 'projects'));
  if (projects !== null) {
    const plans = projects.map((project) => planFindings(member(project, 'report')));
    const known = plans.filter((plan) => plan !== null);
    return known.length === 0
      ? null
      : {
          startsLoad: known.some(({ startsLoad }) => startsLoad),
          danger: [...new Set(known.flatMap(({ danger }) => danger))],
          quiet: known.length === plans.length && known.every(({ quiet }) => quiet),
        };
  }
  const [load, danger, changes, actions, drift, problems] = [
    member(document, 'load'),
    ...['danger', 'changes', 'actions', 'drift', 'problems'].map((name) => listOf(member(document, name))),
  ] as const;
  if (member(document, 'command') !== 'plan' || danger == null || changes == null) return null;
  const kinds = danger.map((one) => String(member(one, 'kind')));
  const acting = (actions ?? []).some((action) => member(action, 'verb') !== 'no-op');
  const others = [...changes, ...(drift ?? []), ...(problems ?? [])];
  return {
    startsLoad: Number(member(load, 'starts')) > 0,
    danger: [...new Set(kinds)],
    quiet: !acting && others.length === 0,
  };
}

function listOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

function readFindings(value: unknown): PlanFindings | null {
  const danger = listOf(member(value, 'danger'));
  if (danger === null) return null;
  return {
    startsLoad: member(value, 'startsLoad') === true,
    danger: danger.slice(0, 50).map(String),
    quiet: member(value, 'quiet') === true,
  };
}

const MAX_NAME_LENGTH = 1000;

/**
 * Returns the report; null if the value is invalid. The report is untrusted, because another job may have written it.
 */
export function readReport(value: unknown): CommentReport | null {
  const memberText = (name: string) => {
    const text = member(value, name);
    return typeof text === 'string' ? text : null;
  };
  const [file, environment, command, markdown] = ['file', 'environment', 'command', 'markdown'].map(
    memberText,
  );
  if (file == null || environment == null || command == null || markdown == null) return null;
  if ([file, environment, command].some((name) => name.length > MAX_NAME_LENGTH)) return null;
  return { file, environment, command, markdown, plan: readFindings(member(value, 'plan')) };
}

/** `instead` replaces a report that is too long for a comment. */
export function commentTexts(env: Variables, markdown: string) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  const job =
    server === undefined || run === undefined ? null : `${server}/${repository ?? ''}/actions/runs/${run}`;
  const location = job === null ? 'the job summary' : `[the job summary](${job})`;
  const heading = markdown.split('\n', 1)[0] ?? '';
  return {
    markdown: job === null ? markdown : `${markdown}\n<sub>Written by [this job](${job}).</sub>\n`,
    instead: `${heading}\n\nThe report is too long for a comment: see ${location}.\n`,
  };
}

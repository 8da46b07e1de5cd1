/** GitHub API calls for the comments and labels of a pull request. */
import type { Dispatcher } from 'undici';
import { objectOf } from '../core/unknown-value.ts';

export interface PullRequest {
  /** GITHUB_API_URL of the job, or `https://api.github.com`. */
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly number: number;
  readonly token: string;
  /** Agent for the configured proxy; absent if no proxy is configured. */
  readonly proxyAgent?: Dispatcher;
}

export interface Comment {
  readonly id: number;
  readonly body: string;
  readonly author: { readonly login: string; readonly isBot: boolean } | null;
}

/** A failed request: no response (status 0), a status other than 2xx, or an unexpected body. */
export class GitHubError extends Error {
  readonly status: number;
  /** Minimum delay before a retry, in ms; null if the request must not be retried. */
  readonly retryAfter: number | null;

  constructor(status: number, retryAfter: number | null, message: string) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

const PAGE_SIZE = 100;
const MAX_PAGES = 50;
const TIMEOUT_MS = 30_000;
const MINUTE_MS = 60_000;

/**
 * Returns the login of the token's user. Uses the GraphQL API, because `GET /user` rejects job tokens.
 * @throws GitHubError
 */
export async function fetchLogin(pull: PullRequest): Promise<string> {
  const response = await sendRequest(pull, 'POST', pull.graphqlUrl, { query: '{ viewer { login } }' });
  const login = member(member(member(response, 'data'), 'viewer'), 'login');
  if (typeof login !== 'string')
    throw new GitHubError(200, null, 'GitHub did not return the user name for the token');
  return login;
}

/** Returns at most 5,000 comments, oldest first. @throws GitHubError */
export async function listComments(pull: PullRequest): Promise<readonly Comment[]> {
  const comments: Comment[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const path = `issues/${pull.number}/comments?per_page=${PAGE_SIZE}&page=${page}`;
    const list = await sendRequest(pull, 'GET', urlOf(pull, path), null);
    if (!Array.isArray(list)) throw new GitHubError(200, null, 'GitHub did not return a list of comments');
    comments.push(...list.map(toComment));
    if (list.length < PAGE_SIZE) break;
  }
  return comments;
}

/** @throws GitHubError */
export async function createComment(pull: PullRequest, body: string): Promise<void> {
  await sendRequest(pull, 'POST', urlOf(pull, `issues/${pull.number}/comments`), { body });
}

/** @throws GitHubError */
export async function updateComment(pull: PullRequest, id: number, body: string): Promise<void> {
  await sendRequest(pull, 'PATCH', urlOf(pull, `issues/comments/${id}`), { body });
}

/** @throws GitHubError */
export async function addLabel(pull: PullRequest, label: string): Promise<void> {
  await sendRequest(pull, 'POST', urlOf(pull, `issues/${pull.number}/labels`), { labels: [label] });
}

/** Does nothing if the pull request does not have the label. @throws GitHubError */
export async function removeLabel(pull: PullRequest, label: string): Promise<void> {
  try {
    const path = `issues/${pull.number}/labels/${encodeURIComponent(label)}`;
    await sendRequest(pull, 'DELETE', urlOf(pull, path), null);
  } catch (error) {
    if (!(error instanceof GitHubError) || error.status !== 404) throw error;
  }
}

function urlOf({ apiUrl, repository }: PullRequest, path: string): string {
  return `${apiUrl}/repos/${repository}/${path}`;
}

function toComment(value: unknown): Comment {
  const user = member(value, 'user');
  const login = member(user, 'login');
  const body = member(value, 'body');
  return {
    id: Number(member(value, 'id')),
    body: typeof body === 'string' ? body : '',
    author: typeof login === 'string' ? { login, isBot: member(user, 'type') === 'Bot' } : null,
  };
}

async function sendRequest(
  { token, proxyAgent }: PullRequest,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  body: unknown,
): Promise<unknown> {
  // Loaded here, because the step that runs the command sends no request.
  const { request } = await import('undici');
  let response: Dispatcher.ResponseData;
  let text: string;
  try {
    response = await request(url, {
      method,
      ...(proxyAgent === undefined ? {} : { dispatcher: proxyAgent }),
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'user-agent': 'loadtests-action',
        'x-github-api-version': '2022-11-28',
        ...(body === null ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    });
    text = await response.body.text();
  } catch {
    throw new GitHubError(0, 0, 'GitHub cannot be reached');
  }
  const document = parseJson(text);
  const { statusCode: status } = response;
  if (status >= 200 && status < 300) return document;
  throw new GitHubError(status, retryAfter(response, text), `GitHub responded with status ${status}`);
}

/**
 * Returns the delay before a retry, in ms; null if the request must not be retried. Status 403 or 429 can mean that a
 * rate limit was exceeded.
 * @see "Rate limits for the REST API" in GitHub's documentation
 */
function retryAfter({ statusCode: status, headers }: Dispatcher.ResponseData, text: string): number | null {
  if (status >= 500) return 0;
  const seconds = Number(headers['retry-after'] ?? NaN);
  if (status !== 429 && status !== 403) return null;
  if (Number.isFinite(seconds)) return seconds * 1000;
  if (headers['x-ratelimit-remaining'] === '0')
    return Math.max(0, Number(headers['x-ratelimit-reset']) * 1000 - Date.now());
  return status === 429 || /secondary rate limit/i.test(text) ? MINUTE_MS : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns a member of an object; undefined if the value is not an object or has no such member. */
export function member(value: unknown, name: string): unknown {
  return objectOf(value)[name];
}

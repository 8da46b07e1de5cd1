/** A server with GitHub's routes for comments, with the access of a job token. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface GitHubComment {
  readonly id: number;
  readonly body: string;
  readonly user: { readonly login: string; readonly type: string } | null;
}

/** A fault of one request: before or after its execution. */
export interface GitHubFault {
  readonly when: (method: string, path: string) => boolean;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly executed?: boolean;
}

export const TOKEN = 'ghs_0123456789abcdef';
/** Name of the job token in comments. */
export const JOB_USER = { login: 'github-actions[bot]', type: 'Bot' };

const MAX_CHARACTERS = 65_536;

export interface FakeGitHub {
  readonly url: string;
  /** Oldest first. */
  readonly comments: GitHubComment[];
  readonly requests: string[];
  /** Labels of the pull request. */
  readonly labels: Set<string>;
  /** Each fault is used once, in order. */
  readonly faults: GitHubFault[];
}

interface RequestBody {
  readonly body?: string;
  readonly query?: string;
  readonly labels?: readonly string[];
}

/**
 * Opens the server.
 * @param options - `viewer`: name of the token's user
 */
export async function openFakeGitHub(
  options: { readonly readOnly?: boolean; readonly viewer?: string } = {},
): Promise<FakeGitHub> {
  const { readOnly = false, viewer = 'github-actions[bot]' } = options;
  const comments: GitHubComment[] = [];
  const requests: string[] = [];
  const labels = new Set<string>();
  const faults: GitHubFault[] = [];
  let nextId = 1000;

  const execute = (method: string, url: URL, body: RequestBody) => {
    const text = body.body ?? '';
    if (url.pathname === '/graphql') return { status: 200, body: { data: { viewer: { login: viewer } } } };
    if (readOnly && method !== 'GET')
      return { status: 403, body: { message: 'Resource not accessible by integration' } };
    if (text.length > MAX_CHARACTERS)
      return {
        status: 422,
        body: { message: `body is too long (maximum is ${MAX_CHARACTERS} characters)` },
      };
    if (url.pathname === '/repos/shop/site/issues/17/comments') {
      if (method === 'GET') {
        const size = Number(url.searchParams.get('per_page') ?? 30);
        const from = (Number(url.searchParams.get('page') ?? 1) - 1) * size;
        return { status: 200, body: comments.slice(from, from + size) };
      }
      const comment = { id: nextId++, body: text, user: JOB_USER };
      comments.push(comment);
      return { status: 201, body: comment };
    }
    if (url.pathname === '/repos/shop/site/issues/17/labels' && method === 'POST') {
      for (const label of body.labels ?? []) labels.add(label);
      return { status: 200, body: [...labels].map((name) => ({ name })) };
    }
    const label = /^\/repos\/shop\/site\/issues\/17\/labels\/(.+)$/.exec(url.pathname)?.[1];
    if (label !== undefined && method === 'DELETE') {
      const removed = labels.delete(decodeURIComponent(label));
      return removed ? { status: 200, body: [] } : { status: 404, body: { message: 'Label does not exist' } };
    }
    const id = Number(/^\/repos\/shop\/site\/issues\/comments\/(\d+)$/.exec(url.pathname)?.[1]);
    const index = comments.findIndex((comment) => comment.id === id);
    const before = comments[index];
    if (method !== 'PATCH' || before === undefined) return { status: 404, body: { message: 'Not Found' } };
    comments[index] = { ...before, body: text };
    return { status: 200, body: comments[index] };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '' } = request;
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
    requests.push(`${method} ${url}`);
    const send = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    };
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      send(401, { message: 'Bad credentials' });
      return;
    }
    const requestBody = text === '' ? {} : (JSON.parse(text) as RequestBody); // as the action writes it
    const at = faults.findIndex(({ when }) => when(method, url));
    const fault = at < 0 ? undefined : faults.splice(at, 1)[0];
    const reply =
      fault === undefined || fault.executed === true
        ? execute(method, new URL(url, 'http://x'), requestBody)
        : null;
    if (fault !== undefined) send(fault.status, fault.body ?? { message: 'no' }, fault.headers);
    else if (reply !== null) send(reply.status, reply.body);
  };

  const server = createServer((request, response) => {
    void handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // the server listens on a port
  return { url: `http://127.0.0.1:${port}`, comments, requests, labels, faults };
}

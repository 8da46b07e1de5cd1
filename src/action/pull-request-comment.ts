/** One comment on a pull request for each file, environment and command, kept up to date. */
import { createHash } from 'node:crypto';
import pRetry from 'p-retry';
import {
  updateComment,
  createComment,
  GitHubError,
  listComments,
  fetchLogin,
  type Comment,
  type PullRequest,
} from './github-api.ts';

/** What a comment is about: the next one about the same takes its place. */
export interface CommentSubject {
  /** Its path in the repository. */
  readonly file: string;
  readonly environment: string;
  readonly command: string;
}

/** How it went. A reason is a clause for the log of the job. */
export type CommentResult =
  | { readonly kind: 'written' }
  | { readonly kind: 'not-written'; readonly reason: string };

/** Source: FakeGitHub's answer to a longer one, "body is too long (maximum is 65536 characters)". */
const MAX_CHARACTERS = 65_536;
const MAX_ATTEMPTS = 5;
/** How long a job waits for FakeGitHub, whatever it asks for. */
const MAX_WAIT_MS = 60_000;

/**
 * Changes the comment about the subject, or makes it. Never throws: the command has ended, and its verdict stands.
 *
 * @param markdown what the comment is to say
 * @param instead what it says where that is too long for a comment
 * @param pauseMs before the second try; doubles with each
 */
export async function upsertComment(
  pull: PullRequest,
  subject: CommentSubject,
  text: { readonly markdown: string; readonly instead: string },
  pauseMs = 1000,
): Promise<CommentResult> {
  const marker = markerOf(subject);
  const whole = `${marker}\n${text.markdown}`;
  const body = whole.length <= MAX_CHARACTERS ? whole : `${marker}\n${text.instead}`;
  try {
    // Looked for anew with each try: one that was answered with an error may have been carried out.
    await pRetry(
      async () => {
        await tryUpsert(pull, marker, body);
      },
      {
        retries: MAX_ATTEMPTS - 1,
        minTimeout: pauseMs,
        shouldRetry: ({ error }) => isTransient(error),
        onFailedAttempt: async ({ error }) => {
          if (isTransient(error)) await wait(error.retryAfter);
        },
      },
    );
    return { kind: 'written' };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return { kind: 'not-written', reason: reasonOf(error) };
  }
}

async function tryUpsert(pull: PullRequest, marker: string, body: string): Promise<void> {
  const login = await fetchLogin(pull);
  const own = (await listComments(pull)).filter((comment) => isOwn(comment, login));
  const last = own.findLast((comment) => comment.body.startsWith(marker));
  if (last === undefined) {
    await createComment(pull, body);
    return;
  }
  try {
    await updateComment(pull, last.id, body);
  } catch (error) {
    // Somebody has deleted it since it was listed.
    if (!(error instanceof GitHubError) || error.status !== 404) throw error;
    await createComment(pull, body);
  }
}

/** Hidden where the comment is read. A digest, as names in it could end it. */
export function markerOf({ file, environment, command }: CommentSubject): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([file, environment, command]))
    .digest('hex');
  return `<!-- loadtests ${digest.slice(0, 32)} -->`;
}

/**
 * Anybody may write the marker into a comment, and a token that may comment may change the comments of others.
 *
 * @param login of an app it comes with or without "[bot]"; comments have it with, and nobody else can have that name
 */
function isOwn({ author }: Comment, login: string): boolean {
  if (author === null) return false;
  return author.login === login || (author.isBot && author.login === `${login}[bot]`);
}

function isTransient(error: Error): error is GitHubError & { readonly retryAfter: number } {
  return error instanceof GitHubError && error.retryAfter !== null && error.retryAfter <= MAX_WAIT_MS;
}

async function wait(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

function reasonOf({ status, message }: GitHubError): string {
  if (status === 401) return 'GitHub refuses the token';
  // Of a private repository, a token that may not see it gets 404.
  if (status === 403 || status === 404)
    return 'the token may not comment on pull requests; the job needs "permissions: pull-requests: write", which pull requests from forks never have';
  return message;
}

/**
 * Comments and labels of a pull request, with one comment per configuration file, environment and command.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_ATTEMPTS, withRetries } from '../retry/bounded-retry.ts';
import {
  addLabel,
  removeLabel,
  updateComment,
  createComment,
  GitHubError,
  listComments,
  fetchLogin,
  type Comment,
  type PullRequest,
} from './github-api.ts';

/** Identifies a comment. Later jobs with the same subject update this comment. */
export interface CommentSubject {
  /** Path of the configuration file in the checkout, with `/` separators. */
  readonly file: string;
  readonly environment: string;
  readonly command: string;
}

export interface PlanFindings {
  readonly startsLoad: boolean;
  /** Kinds of dangerous changes, such as `new-hosts`. */
  readonly danger: readonly string[];
  /** True if the plan contains nothing to review. In this case, no comment is created. */
  readonly quiet: boolean;
}

/** `reason` is a clause for the job log. */
export type CommentResult =
  | { readonly kind: 'written' }
  | { readonly kind: 'not-written'; readonly reason: string };

/** Maximum length of a comment that GitHub accepts, in characters. */
const MAX_CHARACTERS = 65_536;
/** Maximum delay that GitHub may request for a retry, in ms. After a longer delay, the request is not retried. */
const MAX_WAIT_MS = 60_000;

/**
 * Returns GitHub errors instead of throwing them.
 * @param text.instead - Replaces a comment that is too long.
 * @param text.quiet - If true, an existing comment is updated but none is created.
 * @param pauseMs - Minimum wait before the second attempt, doubled for each further attempt. Default: 1000.
 */
export async function upsertComment(
  pull: PullRequest,
  subject: CommentSubject,
  text: { readonly markdown: string; readonly instead: string; readonly quiet?: boolean },
  pauseMs?: number,
): Promise<CommentResult> {
  const marker = markerOf(subject);
  const full = `${marker}\n${text.markdown}`;
  const body = full.length <= MAX_CHARACTERS ? full : `${marker}\n${text.instead}`;
  try {
    // Each attempt searches for the comment again, because an earlier attempt may have succeeded despite an error.
    const attempt = async () => {
      await tryUpsert(pull, marker, { body, quiet: text.quiet === true });
    };
    await attemptRepeatedly(attempt, pauseMs);
    return { kind: 'written' };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return { kind: 'not-written', reason: reasonOf(error) };
  }
}

const LABELS: readonly (readonly [label: string, applies: (plan: PlanFindings) => boolean])[] = [
  ['loadtests: starts load', ({ startsLoad }) => startsLoad],
  ['loadtests: danger', ({ danger }) => danger.length > 0],
];

/** Returns GitHub errors instead of throwing them. */
export async function setLabels(pull: PullRequest, plan: PlanFindings): Promise<CommentResult> {
  try {
    for (const [label, applies] of LABELS) {
      await attemptRepeatedly(async () => {
        await (applies(plan) ? addLabel(pull, label) : removeLabel(pull, label));
      });
    }
    return { kind: 'written' };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return { kind: 'not-written', reason: reasonOf(error) };
  }
}

async function attemptRepeatedly(attempt: () => Promise<void>, pauseMs = 1000): Promise<void> {
  await withRetries(attempt, {
    within: MAX_ATTEMPTS * MAX_WAIT_MS,
    monotonic: () => performance.now(),
    pauseAfter: (error, attempts) =>
      isTransient(error) ? Math.max(error.retryAfter, pauseMs * 2 ** (attempts - 1)) : null,
    wait: async (pause) => {
      await sleep(pause);
      return true;
    },
  });
}

async function tryUpsert(
  pull: PullRequest,
  marker: string,
  { body, quiet }: { readonly body: string; readonly quiet: boolean },
): Promise<void> {
  const login = await fetchLogin(pull);
  const own = (await listComments(pull)).filter((comment) => isOwn(comment, login));
  const last = own.findLast((comment) => comment.body.startsWith(marker));
  if (last === undefined) {
    if (quiet) return;
    await createComment(pull, body);
    return;
  }
  try {
    await updateComment(pull, last.id, body);
  } catch (error) {
    // The comment may have been deleted after it was listed.
    if (!(error instanceof GitHubError) || error.status !== 404) throw error;
    await createComment(pull, body);
  }
}

/**
 * Returns a hidden marker that identifies the comment. The marker contains a digest, because a name could contain
 * `-->`.
 */
export function markerOf({ file, environment, command }: CommentSubject): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([file, environment, command]))
    .digest('hex');
  return `<!-- loadtests ${digest.slice(0, 32)} -->`;
}

/**
 * Reports whether the token's user wrote a comment. The marker is not sufficient, because any user can copy it.
 * @param login - Login of the token's user. The login of an app may lack the suffix "[bot]" that it has in comments.
 */
function isOwn({ author }: Comment, login: string): boolean {
  if (author === null) return false;
  return author.login === login || (author.isBot && author.login === `${login}[bot]`);
}

function isTransient(error: unknown): error is GitHubError & { readonly retryAfter: number } {
  return error instanceof GitHubError && error.retryAfter !== null && error.retryAfter <= MAX_WAIT_MS;
}

function reasonOf({ status, message }: GitHubError): string {
  if (status === 401) return 'GitHub rejected the token';
  // GitHub returns 404 if the token has no access to a private repository.
  if (status === 403 || status === 404)
    return 'the token lacks permission to write to the pull request; the job needs "permissions: pull-requests: write", which is not available to pull requests from forks';
  return message;
}

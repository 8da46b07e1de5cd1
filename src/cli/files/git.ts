/** Files of a git revision. Reads objects only: nothing is checked out, fetched or run. */
import { spawnSync } from 'node:child_process';
import { relative, sep } from 'node:path';
import type { Context } from '../terminal/context.ts';
import { codeOf, usageError } from '../terminal/errors.ts';

/** More than the largest file that is read. */
const MOST_BYTES = 4 * 1024 * 1024;

export interface GitRevision {
  /** The commit that the revision names. */
  readonly commit: string;
  /** The bytes of a file below the folder; null where the revision does not have it. */
  readonly read: (path: string) => Uint8Array | null;
}

/**
 * Opens a revision of the repository that a folder lies in.
 *
 * Errors: ProblemError LT_CLI_USAGE: no git, no repository, or no such revision.
 */
export function openRevision(context: Context, folder: string, revision: string): GitRevision {
  if (revision.startsWith('-') || revision === '' || revision.includes('\0'))
    throw usageError(`"${revision}" is not a valid git revision`);
  const git = (...args: string[]) => run(context, folder, args);
  const parsed = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`);
  const commit = parsed.output.toString().trim();
  if (!parsed.ok || !/^[0-9a-f]{40,64}$/.test(commit)) {
    throw usageError(
      `git does not know the revision "${revision}"`,
      parsed.said || 'name a branch, a tag or a commit',
    );
  }
  return {
    commit,
    read: (path) => {
      const entry = git('ls-tree', '-z', commit, '--', `./${path}`).output.toString();
      const [, mode, blob] = /^(\d+) blob ([0-9a-f]+)\t/.exec(entry) ?? [];
      // A link would have to be followed within the revision.
      if (blob === undefined || mode === '120000') return null;
      const shown = git('cat-file', 'blob', blob);
      return shown.ok ? shown.output : null;
    },
  };
}

/** The path of a file as `read` wants it. */
export function pathBelow(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

interface Ran {
  readonly ok: boolean;
  readonly output: Buffer;
  /** The first line of what it complained of. */
  readonly said: string;
}

function run(context: Context, folder: string, args: readonly string[]): Ran {
  const inherited = Object.entries(context.env).filter(([name]) => !name.startsWith('LOADTESTS_'));
  const ran = spawnSync('git', [...args], {
    cwd: folder,
    maxBuffer: MOST_BYTES,
    timeout: 30_000,
    stdio: ['ignore', 'pipe', 'pipe'],
    // No key is handed on; nothing is fetched for a clone that lacks objects, and no pattern is one.
    env: {
      ...Object.fromEntries(inherited),
      LC_ALL: 'C',
      GIT_NO_LAZY_FETCH: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_LITERAL_PATHSPECS: '1',
    },
  });
  if (codeOf(ran.error) === 'ENOENT') throw usageError('--against requires git, which is not installed');
  const said = ran.stderr.toString().trim().split('\n', 1)[0] ?? '';
  return { ok: ran.status === 0, output: ran.stdout, said };
}

/** What git knows: files of a revision, and what it tracks. Nothing is checked out, fetched or run. */
import { spawnSync } from 'node:child_process';
import { devNull } from 'node:os';
import { basename, dirname, join, parse, relative, sep } from 'node:path';
import { lstatIfExists } from '../../disk/regular-file.ts';
import { realDirectory, workTreeOf } from '../../disk/untrusted-file.ts';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { Context } from '../terminal/context.ts';
import { codeOf, usageError } from '../terminal/errors.ts';

/** More than the largest file that is read. */
const MAX_FILE_BYTES = 65 * 1024 * 1024;

export interface GitRevision {
  /** The commit that the revision names. */
  readonly commit: string;
  /** The bytes of a file below the directory; null where the revision does not have it. */
  readonly read: (path: string) => Uint8Array | null;
}

/**
 * Opens a revision of the repository that a directory lies in.
 *
 * Errors: ProblemError LT_CLI_USAGE: no git, no repository, or no such revision.
 */
export function openRevision(context: Context, directory: string, revision: string): GitRevision {
  if (revision.startsWith('-') || revision === '' || revision.includes('\0'))
    throw usageError(`"${revision}" is not a valid git revision`);
  // Older versions of git know no option that refuses it.
  if (isInBareRepository(directory))
    throw usageError(`"${directory}" lies in a bare repository, which may be a stranger's`);
  const git = (...args: string[]) => {
    const ran = runGit(context, directory, args);
    if (ran.kind === 'ran') return ran;
    throw usageError('--against requires git, which is not installed');
  };
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
      const entry = git('--literal-pathspecs', 'ls-tree', '-z', commit, '--', `./${path}`).output.toString();
      const [, mode, blob] = /^(\d+) blob ([0-9a-f]+)\t/.exec(entry) ?? [];
      // A link would have to be followed within the revision.
      if (blob === undefined || mode === '120000') return null;
      const shown = git('cat-file', 'blob', blob);
      return shown.ok ? shown.output : null;
    },
  };
}

/** The path of a file as `read` wants it. */
export function pathInRevision(directory: string, path: string): string {
  return relative(directory, path).split(sep).join('/');
}

/**
 * Whether git tracks a directory, or a file in it.
 *
 * Shape: `unknown` in a repository that git cannot or will not read.
 */
export function findTrackedFiles(context: Context, path: string): 'tracked' | 'untracked' | 'unknown' {
  const directory = dirname(path);
  if (workTreeOf(realDirectory(directory)) === null) return 'untracked';
  // Some file systems do not tell cases apart.
  const pathspec = `:(icase,literal)${basename(path)}`;
  if (isInBareRepository(directory)) return 'unknown';
  const listed = runGit(context, directory, ['ls-files', '--cached', '-z', '--', pathspec]);
  if (listed.kind === 'ran' && listed.output.length > 0) return 'tracked';
  return listed.kind === 'ran' && listed.ok ? 'untracked' : 'unknown';
}

type GitResult =
  | {
      readonly kind: 'ran';
      readonly ok: boolean;
      readonly output: Buffer;
      /** The first line of what it complained of. */
      readonly said: string;
    }
  | { readonly kind: 'not-installed' };

/** Whether git would take a directory for a repository without a work tree: any checkout can bring such a directory along. */
function isInBareRepository(directory: string): boolean {
  for (let at = realDirectory(directory); lstatIfExists(join(at, '.git')) === null; at = dirname(at)) {
    if (['HEAD', 'objects', 'refs'].every((name) => lstatIfExists(join(at, name)) !== null)) return true;
    if (dirname(at) === at) return false;
  }
  return false;
}

/** Options before any command of git: nothing that a repository says is run. */
const SAFE_OPTIONS: readonly string[] = [
  '--no-pager',
  // A directory that only looks like a repository is none, so what a checkout brings along is not read as one.
  ...['-c', 'safe.bareRepository=explicit'],
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', `core.hooksPath=${devNull}`],
];

/** The only place that calls git. */
function runGit(context: Context, directory: string, args: readonly string[]): GitResult {
  const ran = spawnSync('git', [...SAFE_OPTIONS, '-C', directory, ...args], {
    // Windows looks for programs in the directory of the call first, and a checkout may bring a git of its own.
    cwd: parse(directory).root,
    maxBuffer: MAX_FILE_BYTES,
    timeout: 30_000,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: gitEnvironment(context.env),
  });
  if (codeOf(ran.error) === 'ENOENT') return { kind: 'not-installed' };
  const said = ran.stderr.toString().trim().split('\n', 1)[0] ?? '';
  return { kind: 'ran', ok: ran.status === 0, output: ran.stdout, said };
}

/** Nothing is fetched for a clone that lacks objects. */
function gitEnvironment(given: Context['env']): Record<string, string | undefined> {
  const inherited = Object.entries(childEnvironment(given)).filter(
    // What a hook of git's sets would lead to another repository than the directory's.
    ([name]) => !name.startsWith('GIT_') || name.startsWith('GIT_CONFIG'),
  );
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: 'C',
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
  };
}

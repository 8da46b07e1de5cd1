/** What git knows: files of a revision, and what it tracks. Nothing is checked out, fetched or run. */
import { spawnSync } from 'node:child_process';
import { devNull } from 'node:os';
import { basename, dirname, join, parse, relative, sep } from 'node:path';
import { lookAt } from '../../disk/regular-file.ts';
import { realFolder, workTreeOf } from '../../disk/stranger-file.ts';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { Context } from '../terminal/context.ts';
import { codeOf, usageError } from '../terminal/errors.ts';

/** More than the largest file that is read. */
const MOST_BYTES = 65 * 1024 * 1024;

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
  // Older versions of git know no option that refuses it.
  if (liesInBare(folder))
    throw usageError(`"${folder}" lies in a bare repository, which may be a stranger's`);
  const git = (...args: string[]) => {
    const ran = run(context, folder, args);
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
export function pathBelow(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/**
 * Whether git tracks a folder, or a file in it.
 *
 * Shape: `unknown` in a repository that git cannot or will not read.
 */
export function findTracked(context: Context, path: string): 'tracked' | 'untracked' | 'unknown' {
  const folder = dirname(path);
  if (workTreeOf(realFolder(folder)) === null) return 'untracked';
  // Some file systems do not tell cases apart.
  const pathspec = `:(icase,literal)${basename(path)}`;
  if (liesInBare(folder)) return 'unknown';
  const listed = run(context, folder, ['ls-files', '--cached', '-z', '--', pathspec]);
  if (listed.kind === 'ran' && listed.output.length > 0) return 'tracked';
  return listed.kind === 'ran' && listed.ok ? 'untracked' : 'unknown';
}

type Ran =
  | {
      readonly kind: 'ran';
      readonly ok: boolean;
      readonly output: Buffer;
      /** The first line of what it complained of. */
      readonly said: string;
    }
  | { readonly kind: 'not-installed' };

/** Whether git would take a folder for a repository without a work tree: any checkout can bring such a folder along. */
function liesInBare(folder: string): boolean {
  for (let at = realFolder(folder); lookAt(join(at, '.git')) === null; at = dirname(at)) {
    if (['HEAD', 'objects', 'refs'].every((name) => lookAt(join(at, name)) !== null)) return true;
    if (dirname(at) === at) return false;
  }
  return false;
}

/** Options before any command of git: nothing that a repository says is run. */
const HARMLESS: readonly string[] = [
  '--no-pager',
  // A folder that only looks like a repository is none, so what a checkout brings along is not read as one.
  ...['-c', 'safe.bareRepository=explicit'],
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', `core.hooksPath=${devNull}`],
];

/** The only place that calls git. */
function run(context: Context, folder: string, args: readonly string[]): Ran {
  const ran = spawnSync('git', [...HARMLESS, '-C', folder, ...args], {
    // Windows looks for programs in the folder of the call first, and a checkout may bring a git of its own.
    cwd: parse(folder).root,
    maxBuffer: MOST_BYTES,
    timeout: 30_000,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(context.env),
  });
  if (codeOf(ran.error) === 'ENOENT') return { kind: 'not-installed' };
  const said = ran.stderr.toString().trim().split('\n', 1)[0] ?? '';
  return { kind: 'ran', ok: ran.status === 0, output: ran.stdout, said };
}

/** Nothing is fetched for a clone that lacks objects. */
function environment(given: Context['env']): Record<string, string | undefined> {
  const inherited = Object.entries(childEnvironment(given)).filter(
    // What a hook of git's sets would lead to another repository than the folder's.
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

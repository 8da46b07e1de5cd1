/** Reads git repositories. Checks out and fetches nothing. */
import { spawnSync } from 'node:child_process';
import { devNull } from 'node:os';
import { basename, dirname, join, parse, posix, relative, sep } from 'node:path';
import { codeOf } from '../../core/unknown-value.ts';
import { lstatIfExists } from '../../disk/regular-file.ts';
import { realDirectory, workTreeOf } from '../../disk/untrusted-file.ts';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf, usageError } from '../terminal/errors.ts';

/** Maximum size of the output of a git command, in bytes. */
const MAX_FILE_BYTES = 65 * 1024 * 1024;

export interface GitRevision {
  readonly commit: string;
  /** Returns the content of a file; null if the revision does not contain the path as a regular file. */
  readonly read: (path: string) => Uint8Array | null;
  /** Returns the paths of all files. */
  readonly list: () => readonly string[];
  /** Returns the previous paths of the renamed files that git detects, by current path. */
  readonly renamedFiles: () => ReadonlyMap<string, string>;
}

/**
 * Resolves a revision in the repository that contains the directory.
 * @throws ProblemError LT_CLI_USAGE if git cannot be started, the directory is in a bare repository, or the revision
 * cannot be resolved.
 */
export function openRevision(context: Context, directory: string, revision: string): GitRevision {
  if (revision.startsWith('-') || revision === '' || revision.includes('\0'))
    throw usageError(`"${revision}" is not a valid git revision`);
  // Older versions of git ignore `safe.bareRepository`.
  if (isInBareRepository(directory))
    throw usageError(
      `"${directory}" is inside a bare git repository, which may be untrusted`,
      'run the command in a non-bare clone of the repository',
    );
  const git = (...args: string[]) => {
    const ran = runGit(context, directory, args);
    if (ran.kind === 'ran') return ran;
    throw usageError(
      `--against requires git, which ${ran.reason}`,
      'install git, or add the directory of the git executable to PATH',
    );
  };
  const parsed = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`);
  const commit = parsed.output.toString().trim();
  if (!parsed.ok || !/^[0-9a-f]{40,64}$/.test(commit)) {
    throw usageError(
      `git cannot resolve the revision "${revision}"${parsed.errorLine === '' ? '' : `: ${parsed.errorLine}`}`,
      parsed.errorLine === '' ? 'name a branch, a tag or a commit that this clone contains' : null,
    );
  }
  /** Converts the paths in the output of a command from relative to the repository to relative to the directory. */
  const relativePaths = (...args: string[]) => {
    const prefix = git('rev-parse', '--show-prefix').output.toString().trim();
    const fields = git(...args)
      .output.toString()
      .split('\0')
      .slice(0, -1);
    return fields.map((path) => posix.relative(prefix, path));
  };
  return {
    commit,
    read: (path) => {
      const entry = git('--literal-pathspecs', 'ls-tree', '-z', commit, '--', `./${path}`).output.toString();
      const [, mode, blob] = /^(\d+) blob ([0-9a-f]+)\t/.exec(entry) ?? [];
      // Ignores symbolic links, because their targets would have to be resolved within the revision.
      if (blob === undefined || mode === '120000') return null;
      const shown = git('cat-file', 'blob', blob);
      return shown.ok ? shown.output : null;
    },
    list: () => relativePaths('ls-tree', '-r', '--full-tree', '-z', '--name-only', commit),
    renamedFiles: () => {
      // Reads the index, because reading files in the work tree could execute the filters of the repository.
      const fields = relativePaths(...RENAMED_FILES, commit);
      return new Map(
        fields.flatMap((_, index) => {
          const [before, after] = [fields[index + 1], fields[index + 2]];
          return index % 3 > 0 || before === undefined || after === undefined ? [] : [[after, before]];
        }),
      );
    },
  };
}

/** Returns the reason why git cannot resolve a revision: empty if the clone does not contain it; null if git can. */
export function revisionFault(context: Context, directory: string, revision: string): string | null {
  if (isInBareRepository(directory)) return 'the file is inside a bare git repository';
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const ran = runGit(context, directory, args);
  if (ran.kind === 'not-started') return `git ${ran.reason}`;
  return ran.ok ? null : ran.errorLine;
}

/** Converts a path to the form that `GitRevision.read` expects. */
export function pathInRevision(directory: string, path: string): string {
  return relative(directory, path).split(sep).join('/');
}

/**
 * Reports whether git tracks the path or files in it. Returns `unknown` if git cannot be started or cannot read the
 * repository, or if the repository is bare.
 */
export function findTrackedFiles(context: Context, path: string): 'tracked' | 'untracked' | 'unknown' {
  const directory = dirname(path);
  if (workTreeOf(realDirectory(directory)) === null) return 'untracked';
  // The match ignores case, because some file systems ignore it.
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
      readonly errorLine: string;
    }
  | {
      readonly kind: 'not-started';
      /** Clause that follows `git, which`. */
      readonly reason: string;
    };

/** Reports whether git would find a bare repository. A checkout can contain one as ordinary files. */
function isInBareRepository(directory: string): boolean {
  for (let at = realDirectory(directory); lstatIfExists(join(at, '.git')) === null; at = dirname(at)) {
    if (['HEAD', 'objects', 'refs'].every((name) => lstatIfExists(join(at, name)) !== null)) return true;
    if (dirname(at) === at) return false;
  }
  return false;
}

/**
 * Options that disable features that a checkout could exploit: hooks, the file system monitor and bare repositories.
 */
const SAFE_OPTIONS: readonly string[] = [
  '--no-pager',
  ...['-c', 'safe.bareRepository=explicit'],
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', `core.hooksPath=${devNull}`],
];

/** Lists a status, the previous path and the current path of each renamed file. */
const RENAMED_FILES = ['diff-index', '--cached', '-M', '--diff-filter=R', '--name-status', '-z'];

function runGit(context: Context, directory: string, args: readonly string[]): GitResult {
  const ran = spawnSync('git', [...SAFE_OPTIONS, '-C', directory, ...args], {
    // Windows first searches the working directory for programs, and a checkout may contain a program named `git`.
    cwd: parse(directory).root,
    maxBuffer: MAX_FILE_BYTES,
    timeout: 30_000,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: gitEnvironment(context.env),
  });
  // If git was not started, `stdout` and `stderr` are null, although their types exclude null.
  if (ran.pid === 0) {
    const isMissing = codeOf(ran.error) === 'ENOENT';
    const reason = isMissing ? 'is not installed' : `cannot be started: ${reasonOf(ran.error)}`;
    return { kind: 'not-started', reason };
  }
  const errorLine = ran.stderr.toString().trim().split('\n', 1)[0] ?? '';
  return { kind: 'ran', ok: ran.status === 0, output: ran.stdout, errorLine };
}

/** Returns an environment in which git does not fetch missing objects of a partial clone or ask for credentials. */
function gitEnvironment(env: Context['env']): Record<string, string | undefined> {
  const inherited = Object.entries(childEnvironment(env)).filter(
    // Other GIT_ variables, which a git hook may have set, could select a different repository.
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

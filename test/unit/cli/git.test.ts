/**
 * git in untrusted repositories: loadtests queries git, but nothing that a repository configures is executed.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { findTrackedFiles, revisionFault, openRevision } from '../../../src/cli/files/git.ts';
import { ProblemError } from '../../../src/core/problem.ts';
import { createLibraryContext } from '../../../src/library/context.ts';
import { createTestDirectory } from '../../support/temporary-directory.ts';

vi.stubGlobal('PACKAGE_VERSION', '1.2.3');

function git(directory: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd: directory, encoding: 'utf8' }).trim();
}

/** Creates a repository with one commit, and a program that records each execution in a file. */
function repository() {
  const top = realpathSync(createTestDirectory());
  const directory = join(top, 'repository');
  mkdirSync(directory);
  git(directory, 'init', '-q');
  writeFileSync(join(directory, 'loadtests.yaml'), 'version: 1');
  git(directory, 'add', '.');
  git(directory, 'commit', '-q', '-m', 'first');
  const log = join(top, 'log');
  const program = join(top, 'program');
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${log}'\n`);
  chmodSync(program, 0o755);
  const executions = () => (existsSync(log) ? readFileSync(log, 'utf8') : '');
  const context = createLibraryContext({ env: { ...process.env, LOADTESTS_API_KEY: 'canary' } });
  return { top, directory, program, executions, context };
}

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ProblemError) return error.problem.message;
    throw error;
  }
  return 'no error was thrown';
}

/** Sets every setting of a repository that can execute a program. */
function configure(directory: string, program: string): void {
  const settings = {
    'core.fsmonitor': program,
    'core.hooksPath': join(program, '..'),
    'core.pager': program,
    'core.sshCommand': program,
    'core.askPass': program,
    'core.editor': program,
    'credential.helper': `!${program}`,
    'diff.external': program,
    'diff.x.textconv': program,
    'filter.x.smudge': program,
    'filter.x.clean': program,
    'pager.ls-tree': program,
    'pager.rev-parse': program,
    'alias.rev-parse': `!${program}`,
    'protocol.ext.allow': 'always',
    'remote.origin.url': `ext::${program} %S`,
    'remote.origin.promisor': 'true',
    'remote.origin.uploadpack': program,
    'extensions.partialClone': 'origin',
    'core.repositoryFormatVersion': '1',
  };
  for (const [name, value] of Object.entries(settings)) git(directory, 'config', name, value);
  writeFileSync(join(directory, '.gitattributes'), '* diff=x filter=x\n');
}

describe('a repository with settings that execute programs', () => {
  test('git reads a repository without executing the programs in its settings', () => {
    const { directory, program, executions, context } = repository();
    git(directory, 'mv', 'loadtests.yaml', 'moved.yaml');
    configure(directory, program);
    const revision = openRevision(context, directory, 'HEAD');
    expect(Buffer.from(revision.read('loadtests.yaml') ?? []).toString()).toBe('version: 1');
    expect(revision.list()).toEqual(['loadtests.yaml']);
    expect([...revision.renamedFiles()]).toEqual([['moved.yaml', 'loadtests.yaml']]);
    mkdirSync(join(directory, '.loadtests'));
    expect(findTrackedFiles(context, join(directory, '.loadtests'))).toBe('untracked');
    expect(findTrackedFiles(context, join(directory, 'moved.yaml'))).toBe('tracked');
    expect(executions()).toBe('');
  });

  test('if the object of a file is missing, reading the file from a revision returns null and does not fetch the object', () => {
    const { directory, program, executions, context } = repository();
    const blob = git(directory, 'rev-parse', 'HEAD:loadtests.yaml');
    configure(directory, program);
    rmSync(join(directory, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    expect(openRevision(context, directory, 'HEAD').read('loadtests.yaml')).toBeNull();
    expect(executions()).toBe('');
  });
});

describe('a bare repository inside a checkout', () => {
  test.each(['.', 'load'])(
    'a bare repository inside a checkout is refused if git runs in its directory %j',
    (below) => {
      const { directory, program, executions, context } = repository();
      configure(directory, program);
      const planted = join(directory, 'planted');
      cpSync(join(directory, '.git'), planted, { recursive: true });
      git(planted, 'config', 'core.bare', 'true');
      mkdirSync(join(planted, 'load'));
      const queried = join(planted, below);
      expect(messageOf(() => openRevision(context, queried, 'HEAD'))).toBe(
        `"${queried}" is inside a bare git repository, which may be untrusted`,
      );
      expect(findTrackedFiles(context, join(queried, '.loadtests'))).toBe('unknown');
      expect(executions()).toBe('');
    },
  );
});

describe('queries to git', () => {
  test('git inspects the given directory, not the repository in GIT_DIR, and does not receive the API key', () => {
    const [own, other] = [repository(), repository()];
    writeFileSync(join(other.directory, 'other.txt'), 'other');
    git(other.directory, 'add', '.');
    const environmentFile = join(own.top, 'environment');
    const bin = join(own.top, 'bin');
    mkdirSync(bin);
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(join(bin, 'git'), `#!/bin/sh\nenv > '${environmentFile}'\nexec '${real}' "$@"\n`, {
      mode: 0o755,
    });
    const env = {
      ...process.env,
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      GIT_DIR: join(other.directory, '.git'),
      GIT_INDEX_FILE: join(other.directory, '.git/index'),
      GIT_SSH_COMMAND: own.program,
      LOADTESTS_API_KEY: 'canary',
    };
    const context = createLibraryContext({ env });
    expect(findTrackedFiles(context, join(own.directory, 'other.txt'))).toBe('untracked');
    const commit = git(own.directory, 'rev-parse', 'HEAD');
    expect(openRevision(context, own.directory, 'HEAD').commit).toBe(commit);
    const environment = readFileSync(environmentFile, 'utf8');
    expect(environment).not.toMatch(/canary|GIT_DIR|GIT_INDEX_FILE|GIT_SSH/);
    expect(environment).toMatch(/^GIT_ALLOW_PROTOCOL=$/m);
  });

  test('a directory counts as tracked if it contains tracked files, regardless of the case of its name, or if it is a submodule', () => {
    const { directory, context } = repository();
    const data = join(directory, '.loadtests');
    expect(findTrackedFiles(context, data)).toBe('untracked');
    mkdirSync(join(directory, '.LoadTests'));
    writeFileSync(join(directory, '.LoadTests/x'), '');
    git(directory, 'add', '-N', '-f', '.');
    expect(findTrackedFiles(context, data)).toBe('tracked');
    git(directory, 'rm', '-q', '-r', '--cached', '.LoadTests');
    expect(findTrackedFiles(context, data)).toBe('untracked');
    git(
      directory,
      'update-index',
      '--add',
      '--cacheinfo',
      `160000,${git(directory, 'rev-parse', 'HEAD')},.loadtests`,
    );
    expect(findTrackedFiles(context, data)).toBe('tracked');
    expect(findTrackedFiles(context, join(directory, '[.]loadtests'))).toBe('untracked');
  });

  test('a directory counts as untracked outside a repository, and as unknown if git is missing or the index is damaged', () => {
    const { top, directory, context } = repository();
    expect(findTrackedFiles(context, join(top, '.loadtests'))).toBe('untracked');
    writeFileSync(join(directory, '.git/index'), 'damaged');
    expect(findTrackedFiles(context, join(directory, '.loadtests'))).toBe('unknown');
    const withoutGit = createLibraryContext({ env: { PATH: top } });
    expect(findTrackedFiles(withoutGit, join(directory, '.loadtests'))).toBe('unknown');
    expect(messageOf(() => openRevision(withoutGit, directory, 'HEAD'))).toBe(
      '--against requires git, which is not installed',
    );
  });

  test('if the file git in PATH is not executable, --against reports the reason, and whether a directory is tracked is unknown', () => {
    const { top, directory, context } = repository();
    writeFileSync(join(top, 'git'), '', { mode: 0o644 });
    const withoutPermission = { ...context, env: { PATH: top } };
    expect(messageOf(() => openRevision(withoutPermission, directory, 'HEAD'))).toBe(
      '--against requires git, which cannot be started: permission denied',
    );
    expect(findTrackedFiles(withoutPermission, join(directory, '.loadtests'))).toBe('unknown');
    expect(revisionFault(withoutPermission, directory, 'HEAD')).toBe(
      'git cannot be started: permission denied',
    );
  });
});

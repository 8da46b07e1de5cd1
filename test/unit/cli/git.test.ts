/** Repositories that a stranger has prepared: git is asked, and runs nothing that they name. */
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
import { findTrackedFiles, openRevision } from '../../../src/cli/files/git.ts';
import { ProblemError } from '../../../src/core/problem.ts';
import { createLibraryContext } from '../../../src/library/context.ts';
import { createTestDirectory } from '../../support/cli.ts';

vi.stubGlobal('PACKAGE_VERSION', '1.2.3');

function git(directory: string, ...args: string[]): string {
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@example.com'];
  return execFileSync('git', [...who, ...args], { cwd: directory, encoding: 'utf8' }).trim();
}

/** A repository with one commit, and a program that leaves a mark when it is run. */
function repository() {
  const top = realpathSync(createTestDirectory());
  const directory = join(top, 'repository');
  mkdirSync(directory);
  git(directory, 'init', '-q');
  writeFileSync(join(directory, 'loadtests.yaml'), 'version: 1');
  git(directory, 'add', '.');
  git(directory, 'commit', '-q', '-m', 'first');
  const mark = join(top, 'mark');
  const program = join(top, 'program');
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${mark}'\n`);
  chmodSync(program, 0o755);
  const ran = () => (existsSync(mark) ? readFileSync(mark, 'utf8') : '');
  const context = createLibraryContext({ env: { ...process.env, LOADTESTS_API_KEY: 'canary' } });
  return { top, directory, program, ran, context };
}

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ProblemError) return error.problem.message;
    throw error;
  }
  return 'nothing was refused';
}

/** All that a repository can say is to be run. */
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

describe('a repository whose settings name programs', () => {
  test('is read, and none of them is run', () => {
    const { directory, program, ran, context } = repository();
    configure(directory, program);
    const revision = openRevision(context, directory, 'HEAD');
    expect(Buffer.from(revision.read('loadtests.yaml') ?? []).toString()).toBe('version: 1');
    mkdirSync(join(directory, '.loadtests'));
    expect(findTrackedFiles(context, join(directory, '.loadtests'))).toBe('untracked');
    expect(findTrackedFiles(context, join(directory, 'loadtests.yaml'))).toBe('tracked');
    expect(ran()).toBe('');
  });

  test('and that lacks an object fetches none', () => {
    const { directory, program, ran, context } = repository();
    const blob = git(directory, 'rev-parse', 'HEAD:loadtests.yaml');
    configure(directory, program);
    rmSync(join(directory, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    expect(openRevision(context, directory, 'HEAD').read('loadtests.yaml')).toBeNull();
    expect(ran()).toBe('');
  });
});

describe('a bare repository that a checkout brings along', () => {
  test.each(['.', 'load'])('is none of the project’s, asked from its directory %j', (below) => {
    const { directory, program, ran, context } = repository();
    configure(directory, program);
    const planted = join(directory, 'planted');
    cpSync(join(directory, '.git'), planted, { recursive: true });
    git(planted, 'config', 'core.bare', 'true');
    mkdirSync(join(planted, 'load'));
    const asked = join(planted, below);
    expect(messageOf(() => openRevision(context, asked, 'HEAD'))).toBe(
      `"${asked}" lies in a bare repository, which may be a stranger's`,
    );
    expect(findTrackedFiles(context, join(asked, '.loadtests'))).toBe('unknown');
    expect(ran()).toBe('');
  });
});

describe('git', () => {
  test('is asked about the directory, not about the repository of a hook, and gets no key of ours', () => {
    const [ours, other] = [repository(), repository()];
    writeFileSync(join(other.directory, 'other.txt'), 'other');
    git(other.directory, 'add', '.');
    const seen = join(ours.top, 'environment');
    const bin = join(ours.top, 'bin');
    mkdirSync(bin);
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(join(bin, 'git'), `#!/bin/sh\nenv > '${seen}'\nexec '${real}' "$@"\n`, { mode: 0o755 });
    const env = {
      ...process.env,
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      GIT_DIR: join(other.directory, '.git'),
      GIT_INDEX_FILE: join(other.directory, '.git/index'),
      GIT_SSH_COMMAND: ours.program,
      LOADTESTS_API_KEY: 'canary',
    };
    const context = createLibraryContext({ env });
    expect(findTrackedFiles(context, join(ours.directory, 'other.txt'))).toBe('untracked');
    const commit = git(ours.directory, 'rev-parse', 'HEAD');
    expect(openRevision(context, ours.directory, 'HEAD').commit).toBe(commit);
    const given = readFileSync(seen, 'utf8');
    expect(given).not.toMatch(/canary|GIT_DIR|GIT_INDEX_FILE|GIT_SSH/);
    expect(given).toMatch(/^GIT_ALLOW_PROTOCOL=$/m);
  });

  test('tells what it tracks: by any case of its name, by its files, and as a repository of its own', () => {
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

  test('knows nothing outside of a repository, and cannot tell in a damaged one', () => {
    const { top, directory, context } = repository();
    expect(findTrackedFiles(context, join(top, '.loadtests'))).toBe('untracked');
    writeFileSync(join(directory, '.git/index'), 'damaged');
    expect(findTrackedFiles(context, join(directory, '.loadtests'))).toBe('unknown');
    const nowhere = createLibraryContext({ env: { PATH: top } });
    expect(findTrackedFiles(nowhere, join(directory, '.loadtests'))).toBe('unknown');
    expect(messageOf(() => openRevision(nowhere, directory, 'HEAD'))).toContain('requires git');
  });
});

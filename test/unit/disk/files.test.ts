/**
 * Files in a directory that an attacker prepared: no link is followed, no pipe blocks, and no read is
 * unbounded.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  createStateFile,
  appendStateFile,
  hasWritableStateFile,
  hasStateFile,
  hasStateDirectory,
  makeStateDirectory,
  readStateFile,
  readStateFileStart,
  replaceStateFile,
} from '../../../src/disk/state-file.ts';
import { writeNewFile, writeOutputFile } from '../../../src/disk/output-file.ts';
import { readRegular } from '../../../src/disk/regular-file.ts';
import { allowedRootOf, resolveInside, workTreeOf } from '../../../src/disk/untrusted-file.ts';
import { createTestDirectory } from '../../support/temporary-directory.ts';

const OTHER_UID = 65_534;

/** Until the end of the test, the file or directory belongs to another user than the user of this process. */
function giveToOtherUser(path: string): void {
  if (process.getuid?.() === 0) {
    chownSync(path, OTHER_UID, OTHER_UID);
    return;
  }
  // Only root can change the owner of a file. All others change the user of this process.
  const geteuid = vi.spyOn(process, 'geteuid').mockReturnValue(OTHER_UID);
  onTestFinished(() => geteuid.mockRestore());
}

/** Creates a directory under attack, and a file outside that links can point to. */
function createAttackedDirectory() {
  const top = realpathSync(createTestDirectory());
  const directory = join(top, 'directory');
  mkdirSync(directory);
  const outside = join(top, 'outside');
  writeFileSync(outside, 'precious', { mode: 0o644 });
  return { top, directory, outside, path: join(directory, 'file') };
}

type Attack = readonly [name: string, plant: (path: string, outside: string) => void, reason: RegExp];

const ATTACKS: readonly Attack[] = [
  ['a link to a file', (path, outside) => symlinkSync(outside, path), /a symbolic link/],
  ['a link to nothing', (path, outside) => symlinkSync(`${outside}.new`, path), /a symbolic link/],
  ['a link to an endless device', (path) => symlinkSync('/dev/zero', path), /a symbolic link/],
  ['a directory', (path) => mkdirSync(path), /a directory/],
  [
    'a pipe without a writer',
    (path) => {
      execFileSync('mkfifo', [path]);
    },
    /a pipe or a device/,
  ],
  [
    "another user's file",
    (path) => {
      writeFileSync(path, 'theirs');
      giveToOtherUser(path);
    },
    /belongs to another user/,
  ],
];

describe.each(ATTACKS)('a state file that is replaced by %s', (_, plant, reason) => {
  test.each([
    ['read', (path: string) => readStateFile(path, 100)],
    ['read partially', (path: string) => readStateFileStart(path, 100)],
    ['written to', (path: string) => appendStateFile(path, 100, () => ({ keep: 0, add: 'x' }))],
    ['accepted by hasStateFile', (path: string) => hasStateFile(path)],
  ])('an object planted in place of a state file is not %s', (_name, act) => {
    const { path, directory, outside } = createAttackedDirectory();
    plant(path, outside);
    expect(() => act(path)).toThrow(reason);
    expect(readFileSync(outside, 'utf8')).toBe('precious');
    expect([statSync(outside).mode & 0o777, readdirSync(directory)]).toEqual([0o644, ['file']]);
    expect(existsSync(`${outside}.new`)).toBe(false);
  });
});

describe('a state file', () => {
  test('createStateFile creates a state file only once, and replaceStateFile replaces its content, sets the mode 0600, and leaves no other files', () => {
    const { path, directory } = createAttackedDirectory();
    expect(readStateFile(path, 100)).toBeNull();
    expect([createStateFile(path, 'one'), createStateFile(path, 'two')]).toEqual([true, false]);
    expect(readStateFile(path, 3)?.toString()).toBe('one');
    replaceStateFile(path, 'three');
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['three', 0o600]);
    expect(readdirSync(directory)).toEqual(['file']);
  });

  test('replacing a state file replaces a planted link, and leaves the target of the link unchanged', () => {
    const { path, outside } = createAttackedDirectory();
    symlinkSync(outside, path);
    expect(createStateFile(path, 'ours')).toBe(false);
    replaceStateFile(path, 'ours');
    expect([readFileSync(outside, 'utf8'), lstatSync(path).isFile()]).toEqual(['precious', true]);
  });

  test('appendStateFile truncates a state file to the length that its callback returns, and then appends the new text', () => {
    const { path } = createAttackedDirectory();
    appendStateFile(path, 100, () => ({ keep: 0, add: 'one\ntw' }));
    appendStateFile(path, 100, (bytes) => ({ keep: bytes.length - 2, add: 'three\n' }));
    expect([readFileSync(path, 'utf8'), readStateFileStart(path, 3).toString()]).toEqual([
      'one\nthree\n',
      'one',
    ]);
  });

  test('a state file with a second hard link is not written', () => {
    const { path, outside } = createAttackedDirectory();
    linkSync(outside, path);
    expect(() => appendStateFile(path, 100, () => ({ keep: 0, add: 'ours' }))).toThrow('it is a hard link');
    expect(() => hasWritableStateFile(path)).toThrow('it is a hard link');
    expect(readFileSync(outside, 'utf8')).toBe('precious');
  });

  test('a state file that is larger than the size limit is rejected', () => {
    const { path } = createAttackedDirectory();
    writeFileSync(path, 'x'.repeat(4097));
    expect(() => readStateFile(path, 4096)).toThrow('it is larger than 4 KiB');
  });
});

describe('a state directory', () => {
  test('a state directory is created with the mode 0700, and a mode that was set later is preserved', () => {
    const { directory } = createAttackedDirectory();
    const path = join(directory, 'state');
    expect(hasStateDirectory(path)).toBe(false);
    makeStateDirectory(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    chmodSync(path, 0o755);
    makeStateDirectory(path);
    expect([hasStateDirectory(path), statSync(path).mode & 0o777]).toEqual([true, 0o755]);
  });

  test('a state directory is created with its parents', () => {
    const { directory } = createAttackedDirectory();
    const path = join(directory, 'a', 'b', 'state');
    makeStateDirectory(path);
    expect([statSync(path), statSync(join(directory, 'a'))].map(({ mode }) => mode & 0o777)).toEqual([
      0o700, 0o700,
    ]);
  });

  test.runIf(existsSync('/proc/self'))(
    'a path below /proc, which does not allow new directories, causes an error',
    () => {
      expect(() => makeStateDirectory('/proc/loadtests-test/state')).toThrow('ENOENT');
    },
  );

  test("a link, a file, or another user's directory is rejected as a state directory", () => {
    const { directory, top } = createAttackedDirectory();
    const path = join(directory, 'state');
    symlinkSync(top, path);
    expect(() => makeStateDirectory(path)).toThrow('it is a symbolic link');
    expect(() => hasStateDirectory(path)).toThrow('it is a symbolic link');
    const file = join(directory, 'file');
    writeFileSync(file, '');
    expect(() => makeStateDirectory(file)).toThrow('it is a file');
    expect(() => hasStateDirectory(file)).toThrow('it is a file');
    const othersDirectory = join(directory, 'foreign');
    mkdirSync(othersDirectory);
    giveToOtherUser(othersDirectory);
    expect(() => makeStateDirectory(othersDirectory)).toThrow('it belongs to another user');
    expect(() => hasStateDirectory(othersDirectory)).toThrow('it belongs to another user');
  });
});

describe('an untrusted file', () => {
  test('the path of an untrusted file must lead to a file inside the root directory and outside .git, directly or through a link', () => {
    const { top, directory } = createAttackedDirectory();
    mkdirSync(join(directory, '.git'));
    mkdirSync(join(directory, 'sub'));
    writeFileSync(join(directory, '.git/config'), '[remote]');
    writeFileSync(join(directory, 'sub/real'), '');
    symlinkSync('sub/real', join(directory, 'inside'));
    symlinkSync('../outside', join(directory, 'outside'));
    symlinkSync('.git/config', join(directory, 'config'));
    symlinkSync('/proc/self/environ', join(directory, 'environ'));
    symlinkSync(directory, join(top, 'home'));
    const root = allowedRootOf(join(top, 'home/sub'));
    expect([root, workTreeOf(top)]).toEqual([directory, null]);
    expect(resolveInside(root, 'inside')).toBe(join(directory, 'sub/real'));
    for (const name of ['outside', '../outside', 'environ', '/etc/hostname'])
      expect(() => resolveInside(root, name)).toThrow('it is outside of');
    for (const name of ['config', '.git/config', '.git'])
      expect(() => resolveInside(root, name)).toThrow("git's own directory");
  });

  test('an untrusted file is refused if it is larger than the size limit, or if it is a device', () => {
    const { outside } = createAttackedDirectory();
    expect(() => readRegular(outside, 7)).toThrow('it is larger than');
    expect(readRegular(outside, 8).toString()).toBe('precious');
    expect(() => readRegular('/dev/zero', 8)).toThrow('a pipe or a device');
  });
});

describe('an output file', () => {
  test('an output file keeps its mode unless another mode is requested', () => {
    const { path, outside } = createAttackedDirectory();
    writeOutputFile(outside, 'new');
    expect([readFileSync(outside, 'utf8'), statSync(outside).mode & 0o777]).toEqual(['new', 0o644]);
    writeOutputFile(outside, 'newer', 0o600);
    expect([readFileSync(outside, 'utf8'), statSync(outside).mode & 0o777]).toEqual(['newer', 0o600]);
    writeOutputFile(path, 'first', 0o600);
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['first', 0o600]);
  });

  test('an output file is not written through a link', () => {
    const { path, outside } = createAttackedDirectory();
    symlinkSync(outside, path);
    expect(() => writeOutputFile(path, 'x')).toThrow('it is a symbolic link');
    expect(() => writeNewFile(path, 'x')).toThrow('EEXIST');
    expect(readFileSync(outside, 'utf8')).toBe('precious');
  });

  test('an output file can be a device or an open descriptor', () => {
    const { outside } = createAttackedDirectory();
    writeOutputFile('/dev/null', 'x');
    const file = openSync(outside, 'w');
    onTestFinished(() => closeSync(file));
    writeOutputFile(`/dev/fd/${file}`, 'through it');
    expect(readFileSync(outside, 'utf8')).toBe('through it');
  });
});

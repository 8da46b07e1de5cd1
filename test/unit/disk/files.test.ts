/** Directories as an attacker would leave them: nothing is followed, awaited, or read without end. */
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
import { describe, expect, onTestFinished, test } from 'vitest';
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
import { createTestDirectory } from '../../support/cli.ts';

const ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;

/** A directory with something to be led to, and one beside it that is under attack. */
function attacked() {
  const top = realpathSync(createTestDirectory());
  const directory = join(top, 'directory');
  mkdirSync(directory);
  const outside = join(top, 'outside');
  writeFileSync(outside, 'precious', { mode: 0o644 });
  return { top, directory, outside, path: join(directory, 'file') };
}

type Attack = readonly [name: string, plant: (path: string, outside: string) => void, reason: RegExp];

const ATTACKS: readonly Attack[] = [
  [
    'a link to a file',
    (path, outside) => {
      symlinkSync(outside, path);
    },
    /a symbolic link/,
  ],
  [
    'a link to nothing',
    (path, outside) => {
      symlinkSync(`${outside}.new`, path);
    },
    /a symbolic link/,
  ],
  [
    'a link to an endless device',
    (path) => {
      symlinkSync('/dev/zero', path);
    },
    /a symbolic link/,
  ],
  [
    'a directory',
    (path) => {
      mkdirSync(path);
    },
    /a directory/,
  ],
  [
    'a pipe that nobody writes to',
    (path) => {
      execFileSync('mkfifo', [path]);
    },
    /a pipe or a device/,
  ],
];

const FOREIGN: Attack = [
  "another user's file",
  (path) => {
    writeFileSync(path, 'theirs');
    chownSync(path, NOBODY, NOBODY);
  },
  /belongs to another user/,
];

describe.each(ROOT ? [...ATTACKS, FOREIGN] : ATTACKS)(
  'in the place of our own file, %s',
  (_, plant, reason) => {
    test.each([
      ['read', (path: string) => readStateFile(path, 100)],
      ['looked into', (path: string) => readStateFileStart(path, 100)],
      [
        'written to',
        (path: string) => {
          appendStateFile(path, 100, () => ({ keep: 0, add: 'x' }));
        },
      ],
      ['left to others to open', (path: string) => hasStateFile(path)],
    ])('is not %s', (_name, act) => {
      const { path, directory, outside } = attacked();
      plant(path, outside);
      expect(() => {
        act(path);
      }).toThrow(reason);
      expect(readFileSync(outside, 'utf8')).toBe('precious');
      expect([statSync(outside).mode & 0o777, readdirSync(directory)]).toEqual([0o644, ['file']]);
      expect(existsSync(`${outside}.new`)).toBe(false);
    });
  },
);

describe('our own file', () => {
  test('is made for this user only, whole, and leaves no draft', () => {
    const { path, directory } = attacked();
    expect(readStateFile(path, 100)).toBeNull();
    expect([createStateFile(path, 'one'), createStateFile(path, 'two')]).toEqual([true, false]);
    expect(readStateFile(path, 3)?.toString()).toBe('one');
    replaceStateFile(path, 'three');
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['three', 0o600]);
    expect(readdirSync(directory)).toEqual(['file']);
  });

  test('takes the place of a planted link, and what that leads to stays', () => {
    const { path, outside } = attacked();
    symlinkSync(outside, path);
    expect(createStateFile(path, 'ours')).toBe(false);
    replaceStateFile(path, 'ours');
    expect([readFileSync(outside, 'utf8'), lstatSync(path).isFile()]).toEqual(['precious', true]);
  });

  test('is added to, and what was cut off goes', () => {
    const { path } = attacked();
    appendStateFile(path, 100, () => ({ keep: 0, add: 'one\ntw' }));
    appendStateFile(path, 100, (bytes) => ({ keep: bytes.length - 2, add: 'three\n' }));
    expect([readFileSync(path, 'utf8'), readStateFileStart(path, 3).toString()]).toEqual([
      'one\nthree\n',
      'one',
    ]);
  });

  test('is not written where it has another name too', () => {
    const { path, outside } = attacked();
    linkSync(outside, path);
    expect(() => {
      appendStateFile(path, 100, () => ({ keep: 0, add: 'ours' }));
    }).toThrow('it is a hard link');
    expect(() => hasWritableStateFile(path)).toThrow('it is a hard link');
    expect(readFileSync(outside, 'utf8')).toBe('precious');
  });

  test('is read up to a bound', () => {
    const { path } = attacked();
    writeFileSync(path, 'x'.repeat(4097));
    expect(() => readStateFile(path, 4096)).toThrow('it is larger than 4 KiB');
  });
});

describe('our own directory', () => {
  test('is made for this user only, and keeps the mode that somebody else gave it', () => {
    const { directory } = attacked();
    const path = join(directory, 'state');
    expect(hasStateDirectory(path)).toBe(false);
    makeStateDirectory(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    chmodSync(path, 0o755);
    makeStateDirectory(path);
    expect([hasStateDirectory(path), statSync(path).mode & 0o777]).toEqual([true, 0o755]);
  });

  test('is made with those above it, and nothing is tried without end where none can be made', () => {
    const { directory } = attacked();
    const path = join(directory, 'a', 'b', 'state');
    makeStateDirectory(path);
    expect([statSync(path), statSync(join(directory, 'a'))].map(({ mode }) => mode & 0o777)).toEqual([
      0o700, 0o700,
    ]);
    if (!existsSync('/proc/self')) return;
    expect(() => {
      makeStateDirectory('/proc/loadtests-test/state');
    }).toThrow('ENOENT');
  });

  test('is no link, no file, and not of another user', () => {
    const { directory, top } = attacked();
    const path = join(directory, 'state');
    symlinkSync(top, path);
    expect(() => {
      makeStateDirectory(path);
    }).toThrow('it is a symbolic link');
    expect(() => hasStateDirectory(path)).toThrow('it is a symbolic link');
    const file = join(directory, 'file');
    writeFileSync(file, '');
    expect(() => hasStateDirectory(file)).toThrow('it is a file');
    if (!ROOT) return;
    const foreign = join(directory, 'foreign');
    mkdirSync(foreign);
    chownSync(foreign, NOBODY, NOBODY);
    expect(() => hasStateDirectory(foreign)).toThrow('it belongs to another user (65534)');
  });
});

describe("a stranger's file", () => {
  test('may be reached by links, but lies inside and not in what is git’s', () => {
    const { top, directory } = attacked();
    mkdirSync(join(directory, '.git'));
    mkdirSync(join(directory, 'sub'));
    writeFileSync(join(directory, '.git/config'), '[remote]');
    writeFileSync(join(directory, 'sub/real'), '');
    symlinkSync('sub/real', join(directory, 'inside'));
    symlinkSync('../outside', join(directory, 'outside'));
    symlinkSync('.git/config', join(directory, 'config'));
    symlinkSync('/proc/self/environ', join(directory, 'environ'));
    symlinkSync(directory, join(top, 'home'));
    const grounds = allowedRootOf(join(top, 'home/sub'));
    expect([grounds, workTreeOf(top)]).toEqual([directory, null]);
    expect(resolveInside(grounds, 'inside')).toBe(join(directory, 'sub/real'));
    for (const name of ['outside', '../outside', 'environ', '/etc/hostname'])
      expect(() => resolveInside(grounds, name)).toThrow('it leads out of');
    for (const name of ['config', '.git/config', '.git'])
      expect(() => resolveInside(grounds, name)).toThrow("git's own directory");
  });

  test('is read up to a bound, and devices are not', () => {
    const { outside } = attacked();
    expect(() => readRegular(outside, 7)).toThrow('it is larger than');
    expect(readRegular(outside, 8).toString()).toBe('precious');
    expect(() => readRegular('/dev/zero', 8)).toThrow('a pipe or a device');
  });
});

describe('a file that a command was asked to write', () => {
  test('is written as it was, or for this user only', () => {
    const { path, outside } = attacked();
    writeOutputFile(outside, 'new');
    expect([readFileSync(outside, 'utf8'), statSync(outside).mode & 0o777]).toEqual(['new', 0o644]);
    writeOutputFile(outside, 'newer', 0o600);
    expect([readFileSync(outside, 'utf8'), statSync(outside).mode & 0o777]).toEqual(['newer', 0o600]);
    writeOutputFile(path, 'first', 0o600);
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['first', 0o600]);
  });

  test('is never where a link leads', () => {
    const { path, outside } = attacked();
    symlinkSync(outside, path);
    expect(() => {
      writeOutputFile(path, 'x');
    }).toThrow('it is a symbolic link');
    expect(() => {
      writeNewFile(path, 'x');
    }).toThrow('EEXIST');
    expect(readFileSync(outside, 'utf8')).toBe('precious');
  });

  test('may be a device or what the shell hands over', () => {
    const { outside } = attacked();
    writeOutputFile('/dev/null', 'x');
    const file = openSync(outside, 'w');
    onTestFinished(() => {
      closeSync(file);
    });
    writeOutputFile(`/dev/fd/${file}`, 'through it');
    expect(readFileSync(outside, 'utf8')).toBe('through it');
  });
});

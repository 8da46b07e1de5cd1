/** Folders as an attacker would leave them: nothing is followed, awaited, or read without end. */
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
  createOwnFile,
  extendOwnFile,
  findOwnFileToWrite,
  findOwnFile,
  findOwnFolder,
  makeOwnFolder,
  readOwnFile,
  readStartOfOwnFile,
  replaceOwnFile,
} from '../../../src/disk/own-file.ts';
import { writeNewFile, writeOutputFile } from '../../../src/disk/output-file.ts';
import { readRegular } from '../../../src/disk/regular-file.ts';
import { groundsOf, resolveInside, workTreeOf } from '../../../src/disk/stranger-file.ts';
import { ownFolder } from '../../rig/cli.ts';

const ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;

/** A folder with something to be led to, and one beside it that is under attack. */
function attacked() {
  const top = realpathSync(ownFolder());
  const folder = join(top, 'folder');
  mkdirSync(folder);
  const outside = join(top, 'outside');
  writeFileSync(outside, 'precious', { mode: 0o644 });
  return { top, folder, outside, path: join(folder, 'file') };
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
    'a folder',
    (path) => {
      mkdirSync(path);
    },
    /a folder/,
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
      ['read', (path: string) => readOwnFile(path, 100)],
      ['looked into', (path: string) => readStartOfOwnFile(path, 100)],
      [
        'written to',
        (path: string) => {
          extendOwnFile(path, 100, () => ({ keep: 0, add: 'x' }));
        },
      ],
      ['left to others to open', (path: string) => findOwnFile(path)],
    ])('is not %s', (_name, act) => {
      const { path, folder, outside } = attacked();
      plant(path, outside);
      expect(() => {
        act(path);
      }).toThrow(reason);
      expect(readFileSync(outside, 'utf8')).toBe('precious');
      expect([statSync(outside).mode & 0o777, readdirSync(folder)]).toEqual([0o644, ['file']]);
      expect(existsSync(`${outside}.new`)).toBe(false);
    });
  },
);

describe('our own file', () => {
  test('is made for this user only, whole, and leaves no draft', () => {
    const { path, folder } = attacked();
    expect(readOwnFile(path, 100)).toBeNull();
    expect([createOwnFile(path, 'one'), createOwnFile(path, 'two')]).toEqual([true, false]);
    expect(readOwnFile(path, 3)?.toString()).toBe('one');
    replaceOwnFile(path, 'three');
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['three', 0o600]);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test('takes the place of a planted link, and what that leads to stays', () => {
    const { path, outside } = attacked();
    symlinkSync(outside, path);
    expect(createOwnFile(path, 'ours')).toBe(false);
    replaceOwnFile(path, 'ours');
    expect([readFileSync(outside, 'utf8'), lstatSync(path).isFile()]).toEqual(['precious', true]);
  });

  test('is added to, and what was cut off goes', () => {
    const { path } = attacked();
    extendOwnFile(path, 100, () => ({ keep: 0, add: 'one\ntw' }));
    extendOwnFile(path, 100, (bytes) => ({ keep: bytes.length - 2, add: 'three\n' }));
    expect([readFileSync(path, 'utf8'), readStartOfOwnFile(path, 3).toString()]).toEqual([
      'one\nthree\n',
      'one',
    ]);
  });

  test('is not written where it has another name too', () => {
    const { path, outside } = attacked();
    linkSync(outside, path);
    expect(() => {
      extendOwnFile(path, 100, () => ({ keep: 0, add: 'ours' }));
    }).toThrow('it is a hard link');
    expect(() => findOwnFileToWrite(path)).toThrow('it is a hard link');
    expect(readFileSync(outside, 'utf8')).toBe('precious');
  });

  test('is read up to a bound', () => {
    const { path } = attacked();
    writeFileSync(path, 'x'.repeat(4097));
    expect(() => readOwnFile(path, 4096)).toThrow('it is larger than 4 KiB');
  });
});

describe('our own folder', () => {
  test('is made for this user only, and keeps the mode that somebody else gave it', () => {
    const { folder } = attacked();
    const path = join(folder, 'state');
    expect(findOwnFolder(path)).toBe(false);
    makeOwnFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    chmodSync(path, 0o755);
    makeOwnFolder(path);
    expect([findOwnFolder(path), statSync(path).mode & 0o777]).toEqual([true, 0o755]);
  });

  test('is made with those above it, and nothing is tried without end where none can be made', () => {
    const { folder } = attacked();
    const path = join(folder, 'a', 'b', 'state');
    makeOwnFolder(path);
    expect([statSync(path), statSync(join(folder, 'a'))].map(({ mode }) => mode & 0o777)).toEqual([
      0o700, 0o700,
    ]);
    if (!existsSync('/proc/self')) return;
    expect(() => {
      makeOwnFolder('/proc/loadtests-test/state');
    }).toThrow('ENOENT');
  });

  test('is no link, no file, and not of another user', () => {
    const { folder, top } = attacked();
    const path = join(folder, 'state');
    symlinkSync(top, path);
    expect(() => {
      makeOwnFolder(path);
    }).toThrow('it is a symbolic link');
    expect(() => findOwnFolder(path)).toThrow('it is a symbolic link');
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => findOwnFolder(file)).toThrow('it is a file');
    if (!ROOT) return;
    const foreign = join(folder, 'foreign');
    mkdirSync(foreign);
    chownSync(foreign, NOBODY, NOBODY);
    expect(() => findOwnFolder(foreign)).toThrow('it belongs to another user (65534)');
  });
});

describe("a stranger's file", () => {
  test('may be reached by links, but lies inside and not in what is git’s', () => {
    const { top, folder } = attacked();
    mkdirSync(join(folder, '.git'));
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, '.git/config'), '[remote]');
    writeFileSync(join(folder, 'sub/real'), '');
    symlinkSync('sub/real', join(folder, 'inside'));
    symlinkSync('../outside', join(folder, 'outside'));
    symlinkSync('.git/config', join(folder, 'config'));
    symlinkSync('/proc/self/environ', join(folder, 'environ'));
    symlinkSync(folder, join(top, 'home'));
    const grounds = groundsOf(join(top, 'home/sub'));
    expect([grounds, workTreeOf(top)]).toEqual([folder, null]);
    expect(resolveInside(grounds, 'inside')).toBe(join(folder, 'sub/real'));
    for (const name of ['outside', '../outside', 'environ', '/etc/hostname'])
      expect(() => resolveInside(grounds, name)).toThrow('it leads out of');
    for (const name of ['config', '.git/config', '.git'])
      expect(() => resolveInside(grounds, name)).toThrow("git's own folder");
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

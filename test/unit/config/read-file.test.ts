/** From the disk: which file, and what it must be. */
import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import {
  decodeConfig,
  findConfigFile,
  readConfigFile,
  readIncludedFile,
} from '../../../src/config/read-files.ts';
import { realPath } from '../../../src/disk/untrusted-file.ts';
import { fileWithTest, linesOf } from './load-text.ts';

let directory: string;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'loadtests-read-')));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function write(name: string, text: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

function pipe(name: string): string {
  const path = join(directory, name);
  execFileSync('mkfifo', [path]);
  return path;
}

async function read(name: string) {
  return await readConfigFile(resolve(directory, name), { shown: name, directory: '/elsewhere' });
}

describe('the file', () => {
  it('is found in a directory above', () => {
    const path = write('loadtests.yaml', 'version: 1');
    const below = join(directory, 'a', 'b');
    mkdirSync(below, { recursive: true });
    expect(findConfigFile(below)).toMatchObject({ ok: true, value: path });
  });

  it('is told to be missing, with what to do', async () => {
    const found = findConfigFile(directory);
    expect(found).toMatchObject({ ok: false, problems: [{ code: 'LT_CONFIG_NOT_FOUND' }] });
    expect(await read('other.yaml')).toMatchObject({
      ok: false,
      problems: [{ code: 'LT_CONFIG_NOT_FOUND', message: 'the file "other.yaml" does not exist' }],
    });
  });

  it('with another ending is pointed at', () => {
    write('loadtests.yml', '');
    expect(findConfigFile(directory)).toMatchObject({
      problems: [{ hint: 'rename loadtests.yml, or name it with -f loadtests.yml' }],
    });
  });

  it('that is a directory is refused', async () => {
    mkdirSync(join(directory, 'loadtests.yaml'));
    expect(await read('loadtests.yaml')).toMatchObject({
      problems: [
        { code: 'LT_CONFIG_UNREADABLE', message: '"loadtests.yaml" is a directory', source: { line: 1 } },
      ],
    });
  });

  it('without end is read up to the bound only', async () => {
    expect(await read('/dev/zero')).toMatchObject({
      problems: [{ message: 'the file is larger than 1 MiB; split it into several projects' }],
    });
  });

  it('that is a pipe is read as its writer writes it, and lies in the directory of the command', async () => {
    const path = pipe('written');
    const writer = spawn('sh', ['-c', `(printf 'version: '; sleep 0.05; printf 1) > '${path}'`]);
    onTestFinished(() => void writer.kill());
    expect(await read('written')).toEqual({
      ok: true,
      value: { path: 'written', text: 'version: 1', directory: '/elsewhere' },
      warnings: [],
    });
  });

  it('that is a pipe which nobody writes to is refused', async () => {
    pipe('silent');
    expect(await read('silent')).toMatchObject({
      problems: [{ code: 'LT_CONFIG_UNREADABLE', message: '"silent" is a pipe without a writer' }],
    });
  });
});

describe('a link in the place of the file', () => {
  const GIT = '[remote "origin"]\n  url = https://token@example.com';

  beforeEach(() => {
    mkdirSync(join(directory, 'repository/.git'), { recursive: true });
    mkdirSync(join(directory, 'repository/load'));
    write('repository/.git/config.yaml', GIT);
    write('repository/shared.yaml', 'version: 1');
    write('repository/.env', 'KEY=precious');
    write('outside.yaml', 'KEY: precious');
    mkdirSync(join(directory, 'outside'));
    write('outside/loadtests.yaml', 'KEY: precious');
  });

  async function readLink(target: string, name = 'loadtests.yaml') {
    const path = join(directory, 'repository/load', name);
    symlinkSync(target, path);
    return await readConfigFile(path, { shown: name, directory: join(directory, 'repository') });
  }

  it.each([
    ['what the process was told', '/proc/self/environ', 'it leads out of'],
    ['a file outside of the work tree', '../../outside.yaml', 'it leads out of'],
    ["git's own files", '../.git/config.yaml', "it lies in git's own directory"],
    ['a file that is no configuration', '../.env', 'it leads to ".env"'],
    ['a device', '/dev/tty', 'it leads out of'],
    ['a directory', '..', 'it is a directory'],
  ])('is not followed to %s, and nothing of it is quoted', async (_name, target, reason) => {
    const result = await readLink(target);
    const [problem] = result.ok ? [] : result.problems;
    expect(problem?.code).toBe('LT_CONFIG_UNREADABLE');
    expect(problem?.message).toMatch(/^"loadtests.yaml" cannot be read: /);
    expect(problem?.message).toContain(reason);
    expect(JSON.stringify(result)).not.toContain('precious');
  });

  it('is followed inside the work tree, and the file lies where the link does', async () => {
    expect(await readLink('../shared.yaml')).toMatchObject({
      value: { text: 'version: 1', directory: join(directory, 'repository/load') },
    });
  });

  it('may be one of its directories, too, but only inside', async () => {
    symlinkSync('../outside', join(directory, 'repository/elsewhere'));
    const path = join(directory, 'repository/elsewhere/loadtests.yaml');
    const read = (from: string) => readConfigFile(path, { shown: path, directory: from });
    expect(await read(join(directory, 'repository'))).toMatchObject({ ok: false });
  });

  it('above the directory of the command is the user’s own', async () => {
    symlinkSync('repository', join(directory, 'home'));
    const home = join(directory, 'home');
    const found = await readConfigFile('shared.yaml', { shown: 'shared.yaml', directory: home });
    expect(found).toMatchObject({ value: { text: 'version: 1', directory: home } });
    const elsewhere = join(directory, 'outside/loadtests.yaml');
    expect(await readConfigFile(elsewhere, { shown: elsewhere, directory: home })).toMatchObject({
      ok: true,
    });
  });

  it('that leads nowhere is found all the same, so that none above takes its place', () => {
    symlinkSync('gone.yaml', join(directory, 'repository/loadtests.yaml'));
    write('loadtests.yaml', 'version: 1');
    const found = findConfigFile(join(directory, 'repository/load'));
    expect(found).toMatchObject({ value: join(directory, 'repository/loadtests.yaml') });
  });

  it('is what a shell makes of an open file', async () => {
    const file = openSync(join(directory, 'outside.yaml'), 'r');
    onTestFinished(() => {
      closeSync(file);
    });
    const path = `/dev/fd/${file}`;
    expect(await readConfigFile(path, { shown: path, directory })).toMatchObject({ value: { directory } });
  });
});

describe('its bytes', () => {
  const from = { path: 'loadtests.yaml', directory: '/shop' };
  const encoder = new TextEncoder();

  it('may begin with a byte order mark', () => {
    expect(decodeConfig(encoder.encode('\ufeffversion: 1'), from)).toMatchObject({
      ok: true,
      value: { text: 'version: 1' },
    });
  });

  it.each([
    [
      'UTF-16, little end first',
      new Uint8Array([0xff, 0xfe, 0x61, 0]),
      'the file is UTF-16; save it as UTF-8',
    ],
    ['UTF-16, big end first', new Uint8Array([0xfe, 0xff, 0, 0x61]), 'the file is UTF-16; save it as UTF-8'],
    ['Latin-1', new Uint8Array([0x66, 0xfc, 0x72]), 'the file is not UTF-8 text'],
    ['a program', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0x80]), 'the file is not UTF-8 text'],
    ['half a surrogate pair', new Uint8Array([0xed, 0xa0, 0x80]), 'the file is not UTF-8 text'],
    [
      'one byte too many',
      new Uint8Array(1024 * 1024 + 1),
      'the file is larger than 1 MiB; split it into several projects',
    ],
  ])('may not be %s', (_name, bytes, message) => {
    expect(decodeConfig(bytes, from)).toMatchObject({
      problems: [{ code: 'LT_CONFIG_UNREADABLE', message, source: { line: 1 } }],
    });
  });
});

describe('a file that the file names', () => {
  function load(reference: string) {
    const text = fileWithTest(`notes: '${reference}'`);
    return loadConfig({
      file: { path: 'loadtests.yaml', text, directory: directory },
      environment: null,
      vars: new Map(),
      env: {},
      readFile: readIncludedFile,
      readRows: () => ({ reason: 'is not there' }),
      realPath,
    });
  }

  it('is read where it lies inside', () => {
    write('body.txt', 'as it is');
    const result = load('${file:body.txt}');
    expect(result.ok && result.value.desired.tests[0]?.spec.notes).toBe('as it is');
  });

  it.each([
    ['a link that leads out', 'link', "leads out of the file's directory"],
    ['a directory', 'sub', 'cannot be read: it is a directory'],
    ['bytes that are no text', 'binary', 'cannot be read: it is not UTF-8 text'],
    ['more than 1 MiB', 'large', 'cannot be read: it is larger than 1 MiB'],
    ['nothing', 'absent', 'cannot be read: no such file'],
    ['a pipe', 'pipe', 'cannot be read: it is a pipe or a device, not a file'],
  ])('is refused where it is %s', (_name, path, reason) => {
    symlinkSync('/etc/hostname', join(directory, 'link'));
    mkdirSync(join(directory, 'sub'));
    pipe('pipe');
    write('binary', new Uint8Array([0xff, 0x00]));
    write('large', 'a'.repeat(1024 * 1024 + 1));
    const result = load(`\${file:${path}}`);
    expect(linesOf(result.ok ? [] : result.problems).join()).toContain(reason);
  });
});

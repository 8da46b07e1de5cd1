/** Reading of configuration files and included files from disk. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
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

describe('the configuration file', () => {
  it('the search for the configuration file finds loadtests.yaml in an ancestor directory', () => {
    const path = write('loadtests.yaml', 'version: 1');
    const below = join(directory, 'a', 'b');
    mkdirSync(below, { recursive: true });
    expect(findConfigFile(below)).toMatchObject({ ok: true, value: path });
  });

  it('a missing configuration file is reported with LT_CONFIG_NOT_FOUND', async () => {
    const found = findConfigFile(directory);
    expect(found).toMatchObject({ ok: false, problems: [{ code: 'LT_CONFIG_NOT_FOUND' }] });
    expect(await read('other.yaml')).toMatchObject({
      ok: false,
      problems: [{ code: 'LT_CONFIG_NOT_FOUND', message: 'the file "other.yaml" does not exist' }],
    });
  });

  it('if only loadtests.yml exists, the hint suggests renaming the file or passing it with -f', () => {
    write('loadtests.yml', '');
    expect(findConfigFile(directory)).toMatchObject({
      problems: [{ hint: 'rename loadtests.yml to loadtests.yaml, or pass -f loadtests.yml' }],
    });
  });

  it('if only a parent directory contains loadtests.json, the hint contains its relative path', () => {
    write('loadtests.json', '');
    mkdirSync(join(directory, 'a'));
    expect(findConfigFile(join(directory, 'a'))).toMatchObject({
      problems: [{ hint: 'rename ../loadtests.json to loadtests.yaml, or pass -f ../loadtests.json' }],
    });
  });

  it('a directory with the name of a configuration file is rejected', async () => {
    mkdirSync(join(directory, 'loadtests.yaml'));
    expect(await read('loadtests.yaml')).toMatchObject({
      problems: [
        {
          code: 'LT_CONFIG_UNREADABLE',
          message: '"loadtests.yaml" is a directory',
          hint: 'write the path of a file, such as -f loadtests.yaml/loadtests.yaml',
          source: null,
        },
      ],
    });
  });

  it('an endless configuration file, such as /dev/zero, is rejected as larger than 1 MiB', async () => {
    expect(await read('/dev/zero')).toMatchObject({
      problems: [{ message: 'the file is larger than 1 MiB; split it into several projects' }],
    });
  });

  it('a configuration file in a pipe is read to its end, and its paths are relative to the working directory', async () => {
    const path = pipe('written');
    // The pipe has a writer before the program opens it, because a program may start late.
    const early = openSync(path, 'r+');
    const text = `printf 'version: '; echo open >&2; sleep 0.05; printf 1`;
    const writer = spawn('sh', ['-c', `(${text}) > '${path}'`]);
    onTestFinished(() => void writer.kill());
    const reading = read('written');
    await once(writer.stderr, 'data');
    closeSync(early);
    expect(await reading).toEqual({
      ok: true,
      value: { path: 'written', text: 'version: 1', directory: '/elsewhere' },
      warnings: [],
    });
  });

  it('a pipe without a writer is rejected as the configuration file', async () => {
    pipe('silent');
    expect(await read('silent')).toMatchObject({
      problems: [{ code: 'LT_CONFIG_UNREADABLE', message: '"silent" is a pipe without a writer' }],
    });
  });
});

describe('symbolic links to configuration files', () => {
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
    ['the environment of the process', '/proc/self/environ', 'it is outside of'],
    ['a file outside the work tree', '../../outside.yaml', 'it is outside of'],
    ['a file of the .git directory', '../.git/config.yaml', "it is inside git's own directory"],
    ['a file without a configuration extension', '../.env', 'it links to ".env"'],
    ['a device', '/dev/tty', 'it is outside of'],
    ['a directory', '..', 'it is a directory'],
  ])(
    'a configuration file that is a link to %s is rejected, and the error contains no text of the target',
    async (_name, target, reason) => {
      const result = await readLink(target);
      const [problem] = result.ok ? [] : result.problems;
      expect(problem?.code).toBe('LT_CONFIG_UNREADABLE');
      expect(problem?.message).toMatch(/^"loadtests.yaml" cannot be read: /);
      expect(problem?.message).toContain(reason);
      expect(JSON.stringify(result)).not.toContain('precious');
    },
  );

  it('a configuration file may be a link to a file inside the work tree, and its paths are relative to the directory of the link', async () => {
    expect(await readLink('../shared.yaml')).toMatchObject({
      value: { text: 'version: 1', directory: join(directory, 'repository/load') },
    });
  });

  it('a configuration file in a linked directory outside the work tree is rejected', async () => {
    symlinkSync('../outside', join(directory, 'repository/elsewhere'));
    const path = join(directory, 'repository/elsewhere/loadtests.yaml');
    const read = (from: string) => readConfigFile(path, { shown: path, directory: from });
    expect(await read(join(directory, 'repository'))).toMatchObject({ ok: false });
  });

  it('a configuration file is read if the working directory is a symbolic link', async () => {
    symlinkSync('repository', join(directory, 'home'));
    const home = join(directory, 'home');
    const found = await readConfigFile('shared.yaml', { shown: 'shared.yaml', directory: home });
    expect(found).toMatchObject({ value: { text: 'version: 1', directory: home } });
    const elsewhere = join(directory, 'outside/loadtests.yaml');
    expect(await readConfigFile(elsewhere, { shown: elsewhere, directory: home })).toMatchObject({
      ok: true,
    });
  });

  it('the search for the configuration file returns a dangling link instead of a file in a parent directory', () => {
    symlinkSync('gone.yaml', join(directory, 'repository/loadtests.yaml'));
    write('loadtests.yaml', 'version: 1');
    const found = findConfigFile(join(directory, 'repository/load'));
    expect(found).toMatchObject({ value: join(directory, 'repository/loadtests.yaml') });
  });

  it('a configuration file is read from a path below /dev/fd', async () => {
    const file = openSync(join(directory, 'outside.yaml'), 'r');
    onTestFinished(() => {
      closeSync(file);
    });
    const path = `/dev/fd/${file}`;
    expect(await readConfigFile(path, { shown: path, directory })).toMatchObject({ value: { directory } });
  });
});

describe('the encoding of the configuration file', () => {
  const from = { path: 'loadtests.yaml', directory: '/shop' };
  const encoder = new TextEncoder();

  it('a byte order mark at the start of the configuration file is removed', () => {
    expect(decodeConfig(encoder.encode('\ufeffversion: 1'), from)).toMatchObject({
      ok: true,
      value: { text: 'version: 1' },
    });
  });

  it.each([
    [
      'encoded in UTF-16LE',
      new Uint8Array([0xff, 0xfe, 0x61, 0]),
      'the file is encoded as UTF-16; save it as UTF-8',
    ],
    [
      'encoded in UTF-16BE',
      new Uint8Array([0xfe, 0xff, 0, 0x61]),
      'the file is encoded as UTF-16; save it as UTF-8',
    ],
    [
      'encoded in Latin-1',
      new Uint8Array([0x66, 0xfc, 0x72]),
      'the file is not valid UTF-8; save it as UTF-8',
    ],
    [
      'machine code',
      new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0x80]),
      'the file is not valid UTF-8; save it as UTF-8',
    ],
    [
      'UTF-8 with a lone surrogate',
      new Uint8Array([0xed, 0xa0, 0x80]),
      'the file is not valid UTF-8; save it as UTF-8',
    ],
    [
      'one byte larger than 1 MiB',
      new Uint8Array(1024 * 1024 + 1),
      'the file is larger than 1 MiB; split it into several projects',
    ],
  ])('a configuration file is rejected if it is %s', (_name, bytes, message) => {
    expect(decodeConfig(bytes, from)).toMatchObject({
      problems: [{ code: 'LT_CONFIG_UNREADABLE', message, source: { line: 1 } }],
    });
  });
});

describe('included files', () => {
  function load(reference: string) {
    const text = fileWithTest(`notes: '${reference}'`);
    return loadConfig({
      file: { path: 'loadtests.yaml', text, directory: directory },
      environment: null,
      vars: new Map(),
      env: {},
      readFile: readIncludedFile,
      readRows: () => ({ reason: 'does not exist' }),
      readBodyFile: () => ({ reason: 'does not exist' }),
      realPath,
    });
  }

  it('an included file inside the directory of the configuration file is read', () => {
    write('body.txt', 'verbatim');
    const result = load('${file:body.txt}');
    expect(result.ok && result.value.desired.tests[0]?.spec.notes).toBe('verbatim');
  });

  it.each([
    ['a link to an outside file', 'link', 'is outside the directory of the configuration file'],
    ['a directory', 'sub', 'cannot be read: it is a directory'],
    ['binary content', 'binary', 'cannot be read: the file is not UTF-8 text'],
    ['a file of more than 1 MiB', 'large', 'cannot be read: it is larger than 1 MiB'],
    ['a missing file', 'absent', 'cannot be read: no such file'],
    ['a pipe', 'pipe', 'cannot be read: it is a pipe or a device, not a file'],
  ])('the inclusion of %s is rejected', (_name, path, reason) => {
    symlinkSync('/etc/hostname', join(directory, 'link'));
    mkdirSync(join(directory, 'sub'));
    pipe('pipe');
    write('binary', new Uint8Array([0xff, 0x00]));
    write('large', 'a'.repeat(1024 * 1024 + 1));
    const result = load(`\${file:${path}}`);
    expect(linesOf(result.ok ? [] : result.problems).join()).toContain(reason);
  });
});

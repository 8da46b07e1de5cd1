/** Disk to text: the only file of this layer that touches the disk. */
import { closeSync, constants, existsSync, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { problem } from '../core/problem.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { MAX_BYTES } from './bounds.ts';

/** The text of a configuration and where it is from. */
export interface ConfigText {
  /** As people see it in messages. */
  readonly path: string;
  readonly text: string;
  /** Absolute; what the file names is relative to it. */
  readonly folder: string;
}

const NAME = 'loadtests.yaml';

/**
 * Finds `loadtests.yaml` in a folder or the nearest one above it.
 *
 * Errors: LT_CONFIG_NOT_FOUND.
 */
export function findConfigFile(folder: string): Result<string> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, NAME);
    if (existsSync(path)) return ok(path);
    if (dirname(at) === at) break;
  }
  const other = ['loadtests.yml', 'loadtests.json'].find((name) => existsSync(join(folder, name)));
  const hint =
    other === undefined
      ? 'create one with "loadtests init", or name one with -f FILE'
      : `rename ${other}, or name it with -f ${other}`;
  return fail([problem('LT_CONFIG_NOT_FOUND', `no ${NAME} in this folder or above it`, { hint })]);
}

/**
 * Reads a configuration file.
 *
 * Shape: what is no file on the disk, such as the pipe of `<(command)`, lies in no folder of its own: it has the
 *        given one.
 *
 * @param shown the path for messages
 */
export async function readConfigFile(
  path: string,
  given: { readonly shown: string; readonly folder: string },
): Promise<Result<ConfigText>> {
  const { shown } = given;
  try {
    const { bytes, onDisk } = await readPatiently(path, MAX_BYTES + 1);
    const folder = onDisk ? dirname(resolve(path)) : given.folder;
    return decodeConfig(bytes, { path: shown, folder });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return fail([
        problem('LT_CONFIG_NOT_FOUND', `the file "${shown}" does not exist`, {
          hint: 'create one with "loadtests init"',
        }),
      ]);
    }
    return unreadable(shown, `"${basename(shown)}" ${UNREADABLE[String(code)] ?? 'cannot be read'}`);
  }
}

const UNREADABLE: Readonly<Record<string, string>> = {
  EISDIR: 'is a folder',
  EACCES: 'cannot be read: permission denied',
  ENXIO: 'is a socket',
  EPIPE: 'is a pipe without a writer',
};

/** Bytes to text: UTF-8 to the letter, with or without a byte order mark. */
export function decodeConfig(
  bytes: Uint8Array,
  from: { readonly path: string; readonly folder: string },
): Result<ConfigText> {
  if (bytes.length > MAX_BYTES)
    return unreadable(from.path, 'the file is larger than 1 MiB; split it into several projects');
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return unreadable(from.path, 'the file is UTF-16; save it as UTF-8');
  }
  try {
    return ok({ ...from, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) });
  } catch {
    return unreadable(from.path, 'the file is not UTF-8 text');
  }
}

/**
 * What `${file:path}` may read: files on the disk.
 *
 * Errors: throws the file system's error, EINVAL for what is no file, EFBIG over 1 MiB, TypeError where it is no
 *         UTF-8.
 */
export function readIncludedFile(absolutePath: string): string {
  const file = openWithoutWaiting(absolutePath);
  try {
    const kind = fstatSync(file);
    if (!kind.isFile()) throw failure(kind.isDirectory() ? 'EISDIR' : 'EINVAL');
    const read = emptyRead(MAX_BYTES + 1);
    readOn(file, read);
    if (read.length > MAX_BYTES) throw failure('EFBIG');
    return new TextDecoder('utf-8', { fatal: true }).decode(read.bytes.subarray(0, read.length));
  } finally {
    closeSync(file);
  }
}

export function resolveLinks(absolutePath: string): string {
  return realpathSync(absolutePath);
}

export interface FileBytes {
  readonly bytes: Uint8Array;
  /** Whether it is a file; else a pipe or a device. */
  readonly onDisk: boolean;
}

const PAUSE_MS = 10;
/** The other end of a pipe may be just about to open it. */
const WRITER_MS = 1000;

/**
 * Reads at most some bytes, also of what has no size, such as a pipe. Signals get through while it waits for those.
 *
 * Errors: throws the file system's error, EPIPE for a pipe that nobody writes to.
 */
export async function readPatiently(path: string, most: number): Promise<FileBytes> {
  const file = openWithoutWaiting(path);
  try {
    const kind = fstatSync(file);
    const read = emptyRead(most);
    for (let waited = 0; ; waited += PAUSE_MS) {
      const ended = readOn(file, read);
      const unwritten = kind.isFIFO() && read.length === 0;
      if (ended && !unwritten) return { bytes: read.bytes.subarray(0, read.length), onDisk: kind.isFile() };
      if (ended && waited >= WRITER_MS) throw failure('EPIPE');
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  } finally {
    closeSync(file);
  }
}

/** A pipe would otherwise hold the whole process until somebody writes to it. */
function openWithoutWaiting(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

interface Read {
  readonly bytes: Uint8Array;
  length: number;
}

function emptyRead(most: number): Read {
  return { bytes: new Uint8Array(most), length: 0 };
}

/** Reads what is there. Gives whether that was all: the end, or the bound. */
function readOn(file: number, into: Read): boolean {
  const { bytes } = into;
  try {
    for (;;) {
      const read = readSync(file, bytes, into.length, bytes.length - into.length, null);
      if (read === 0) return true;
      into.length += read;
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return false;
    throw error;
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function unreadable(path: string, message: string): Result<never> {
  const source = { file: path, line: 1, column: 1, length: 1, lineText: '' };
  return fail([problem('LT_CONFIG_UNREADABLE', message, { source })]);
}

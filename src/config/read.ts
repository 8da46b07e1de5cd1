/** Disk to text: the only file of this layer that touches the disk. */
import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';
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
      ? 'write one with "loadtests init", or name one with -f FILE'
      : `rename ${other}, or name it with -f ${other}`;
  return fail([problem('LT_CONFIG_NOT_FOUND', `there is no ${NAME} in this folder or above it`, { hint })]);
}

/**
 * Reads a configuration file.
 *
 * @param shown the path for messages
 */
export function readConfigFile(path: string, shown: string): Result<ConfigText> {
  const folder = dirname(resolve(path));
  try {
    return decodeConfig(readBounded(path), { path: shown, folder });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return fail([
        problem('LT_CONFIG_NOT_FOUND', `there is no file "${shown}"`, {
          hint: 'write one with "loadtests init"',
        }),
      ]);
    }
    const reason =
      code === 'EISDIR' ? 'is a folder' : code === 'EACCES' ? 'may not be read' : 'cannot be read';
    return unreadable(shown, `"${basename(shown)}" ${reason}`);
  }
}

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
    return unreadable(from.path, 'the file is not text in UTF-8');
  }
}

/** What `${file:path}` may read. Errors: throws the file system's error, EFBIG over 1 MiB, TypeError where it is no UTF-8. */
export function readIncludedFile(absolutePath: string): string {
  const bytes = readBounded(absolutePath);
  if (bytes.length > MAX_BYTES) throw Object.assign(new Error('larger than 1 MiB'), { code: 'EFBIG' });
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

export function resolveLinks(absolutePath: string): string {
  return realpathSync(absolutePath);
}

/** At most one byte more than the bound, also from what has no size, such as a pipe. */
function readBounded(path: string): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = new Uint8Array(MAX_BYTES + 1);
    let length = 0;
    for (;;) {
      const read = readSync(file, bytes, length, bytes.length - length, null);
      length += read;
      if (read === 0 || length === bytes.length) return bytes.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

function unreadable(path: string, message: string): Result<never> {
  const source = { file: path, line: 1, column: 1, length: 1, lineText: '' };
  return fail([problem('LT_CONFIG_UNREADABLE', message, { source })]);
}

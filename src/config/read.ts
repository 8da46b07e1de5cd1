/** Disk to text: the only file of this layer that touches the disk. */
import { basename, dirname, join, resolve } from 'node:path';
import { MOST_PAYLOAD_BYTES } from '../core/model/payload-file.ts';
import { problem } from '../core/problem.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { placeOfInput, readPatiently } from '../disk/input-file.ts';
import { RefusedFile } from '../disk/refused-file.ts';
import { lookAt, namesDescriptor, readRegular } from '../disk/regular-file.ts';
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
/** Of what a link with such a name may lead to. */
const ENDINGS = ['.yaml', '.yml', '.json'];

/**
 * Finds `loadtests.yaml` in a folder or the nearest one above it.
 *
 * Errors: LT_CONFIG_NOT_FOUND.
 */
export function findConfigFile(folder: string): Result<string> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, NAME);
    if (lookAt(path) !== null) return ok(path);
    if (dirname(at) === at) break;
  }
  const other = ['loadtests.yml', 'loadtests.json'].find((name) => lookAt(join(folder, name)) !== null);
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
    const { bytes, onDisk } = await readPatiently(placeOfInput(path, given.folder, ENDINGS), MAX_BYTES + 1);
    const folder = onDisk && !namesDescriptor(path) ? dirname(resolve(given.folder, path)) : given.folder;
    return decodeConfig(bytes, { path: shown, folder });
  } catch (error) {
    if (error instanceof RefusedFile)
      return unreadable(shown, `"${basename(shown)}" cannot be read: ${error.message}`);
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
 * What `${file:path}` may read: files on the disk, by their real path.
 *
 * Errors: RefusedFile for what is no file or over 1 MiB, TypeError where it is no UTF-8; else the file system's own.
 */
export function readIncludedFile(realPath: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(readRegular(realPath, MAX_BYTES));
}

/** What `payload_file` may read: files on the disk, by their real path. Errors: as `readIncludedFile`. */
export function readRowsBytes(realPath: string): Uint8Array {
  return readRegular(realPath, MOST_PAYLOAD_BYTES);
}

function unreadable(path: string, message: string): Result<never> {
  const source = { file: path, line: 1, column: 1, length: 1, lineText: '' };
  return fail([problem('LT_CONFIG_UNREADABLE', message, { source })]);
}

/** Disk to text: the only file of this layer that touches the disk. */
import { basename, dirname, join, resolve } from 'node:path';
import { MAX_PAYLOAD_BYTES } from '../core/model/payload-file.ts';
import { problem } from '../core/problem.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { resolveInputPath, readInput } from '../disk/input-file.ts';
import { RefusedFile } from '../disk/refused-file.ts';
import { lstatIfExists, isDescriptorPath, readRegular } from '../disk/regular-file.ts';
import { MAX_BYTES } from './text-scan.ts';

/** The text of a configuration and where it is from. */
export interface ConfigText {
  /** As people see it in messages. */
  readonly path: string;
  readonly text: string;
  /** Absolute; what the file names is relative to it. */
  readonly directory: string;
}

const CONFIG_FILE_NAME = 'loadtests.yaml';
/** Of what a link with such a name may lead to. */
const FILE_EXTENSIONS = ['.yaml', '.yml', '.json'];

/**
 * Finds `loadtests.yaml` in a directory or the nearest one above it.
 *
 * Errors: LT_CONFIG_NOT_FOUND.
 */
export function findConfigFile(directory: string): Result<string> {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const path = join(at, CONFIG_FILE_NAME);
    if (lstatIfExists(path) !== null) return ok(path);
    if (dirname(at) === at) break;
  }
  const other = ['loadtests.yml', 'loadtests.json'].find(
    (name) => lstatIfExists(join(directory, name)) !== null,
  );
  const hint =
    other === undefined
      ? 'create one with "loadtests init", or name one with -f FILE'
      : `rename ${other}, or name it with -f ${other}`;
  return fail([
    problem('LT_CONFIG_NOT_FOUND', `no ${CONFIG_FILE_NAME} in this directory or above it`, { hint }),
  ]);
}

/**
 * Reads a configuration file.
 *
 * Shape: what is no file on the disk, such as the pipe of `<(command)`, lies in no directory of its own: it has the
 *        given one.
 *
 * @param shown the path for messages
 */
export async function readConfigFile(
  path: string,
  given: { readonly shown: string; readonly directory: string },
): Promise<Result<ConfigText>> {
  const { shown } = given;
  try {
    const { bytes, isRegularFile } = await readInput(
      resolveInputPath(path, given.directory, FILE_EXTENSIONS),
      MAX_BYTES + 1,
    );
    const directory =
      isRegularFile && !isDescriptorPath(path) ? dirname(resolve(given.directory, path)) : given.directory;
    return decodeConfig(bytes, { path: shown, directory });
  } catch (error) {
    if (error instanceof RefusedFile)
      return unreadableFileError(shown, `"${basename(shown)}" cannot be read: ${error.message}`);
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return fail([
        problem('LT_CONFIG_NOT_FOUND', `the file "${shown}" does not exist`, {
          hint: 'create one with "loadtests init"',
        }),
      ]);
    }
    return unreadableFileError(
      shown,
      `"${basename(shown)}" ${UNREADABLE_REASONS[String(code)] ?? 'cannot be read'}`,
    );
  }
}

const UNREADABLE_REASONS: Readonly<Record<string, string>> = {
  EISDIR: 'is a directory',
  EACCES: 'cannot be read: permission denied',
  ENXIO: 'is a socket',
  EPIPE: 'is a pipe without a writer',
};

/** Bytes to text: UTF-8 to the letter, with or without a byte order mark. */
export function decodeConfig(
  bytes: Uint8Array,
  from: { readonly path: string; readonly directory: string },
): Result<ConfigText> {
  if (bytes.length > MAX_BYTES)
    return unreadableFileError(from.path, 'the file is larger than 1 MiB; split it into several projects');
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return unreadableFileError(from.path, 'the file is UTF-16; save it as UTF-8');
  }
  try {
    return ok({ ...from, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) });
  } catch {
    return unreadableFileError(from.path, 'the file is not UTF-8 text');
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
  return readRegular(realPath, MAX_PAYLOAD_BYTES);
}

function unreadableFileError(path: string, message: string): Result<never> {
  const source = { file: path, line: 1, column: 1, length: 1, lineText: '' };
  return fail([problem('LT_CONFIG_UNREADABLE', message, { source })]);
}

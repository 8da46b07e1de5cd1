/** Reads configuration files, and the files to which a configuration refers, from disk. */
import { basename, dirname, join, relative, resolve } from 'node:path';
import { MAX_PAYLOAD_BYTES } from '../core/model/payload-file.ts';
import { problem } from '../core/problem.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { codeOf } from '../core/unknown-value.ts';
import { resolveInputPath, readInput } from '../disk/input-file.ts';
import { RefusedFile } from '../disk/refused-file.ts';
import { lstatIfExists, isDescriptorPath, readRegular } from '../disk/regular-file.ts';
import { FILE_TOO_LARGE, MAX_BYTES } from './text-scan.ts';

export interface ConfigText {
  /** Path for messages. */
  readonly path: string;
  readonly text: string;
  /** Absolute path to which paths in the file are relative. */
  readonly directory: string;
}

const CONFIG_FILE_NAME = 'loadtests.yaml';
/** Extensions that the target of a symbolic link may have. */
const FILE_EXTENSIONS = ['.yaml', '.yml', '.json'];

/**
 * Finds the `loadtests.yaml` of a directory, or of the nearest ancestor that has one. Fails with LT_CONFIG_NOT_FOUND
 * if none exists.
 */
export function findConfigFile(directory: string): Result<string> {
  const path = findInAncestors(directory, [CONFIG_FILE_NAME]);
  if (path !== null) return ok(path);
  const found = findInAncestors(directory, ['loadtests.yml', 'loadtests.json']);
  const other = found && relative(directory, found);
  const hint =
    other === null
      ? 'create one with "loadtests init", or pass the path with -f FILE'
      : `rename ${other} to ${CONFIG_FILE_NAME}, or pass -f ${other}`;
  return fail([
    problem(
      'LT_CONFIG_NOT_FOUND',
      `${CONFIG_FILE_NAME} does not exist in the working directory or a parent directory`,
      { hint },
    ),
  ]);
}

/** Returns the path of a file with one of the names in a directory or its nearest ancestor; null if none exists. */
function findInAncestors(directory: string, names: readonly string[]): string | null {
  const at = resolve(directory);
  const found = names.map((name) => join(at, name)).find((path) => lstatIfExists(path) !== null);
  if (found !== undefined) return found;
  return dirname(at) === at ? null : findInAncestors(dirname(at), names);
}

/**
 * Reads a configuration file. Paths in the file are relative to its directory or, for an input such as a pipe, to the
 * given directory.
 * @param location - The path for messages, and the directory for relative paths.
 */
export async function readConfigFile(
  path: string,
  location: { readonly shown: string; readonly directory: string },
): Promise<Result<ConfigText>> {
  const { shown } = location;
  try {
    const { bytes, isRegularFile } = await readInput(
      resolveInputPath(path, location.directory, FILE_EXTENSIONS),
      MAX_BYTES + 1,
    );
    const directory =
      isRegularFile && !isDescriptorPath(path)
        ? dirname(resolve(location.directory, path))
        : location.directory;
    return decodeConfig(bytes, { path: shown, directory });
  } catch (error) {
    if (error instanceof RefusedFile)
      return unreadableFileError(shown, `"${basename(shown)}" cannot be read: ${error.message}`);
    const code = codeOf(error) ?? '';
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return fail([
        problem('LT_CONFIG_NOT_FOUND', `the file "${shown}" does not exist`, {
          hint: 'check the path, or create loadtests.yaml with "loadtests init"',
        }),
      ]);
    }
    if (code === 'EISDIR') {
      const hint = `write the path of a file, such as -f ${join(shown, CONFIG_FILE_NAME)}`;
      return fail([problem('LT_CONFIG_UNREADABLE', `"${shown}" is a directory`, { hint })]);
    }
    return unreadableFileError(shown, `"${basename(shown)}" ${UNREADABLE_REASONS[code] ?? 'cannot be read'}`);
  }
}

const UNREADABLE_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'cannot be read: permission denied',
  ENXIO: 'is a socket',
  EPIPE: 'is a pipe without a writer',
};

export function decodeConfig(
  bytes: Uint8Array,
  from: { readonly path: string; readonly directory: string },
): Result<ConfigText> {
  if (bytes.length > MAX_BYTES) return unreadableFileError(from.path, FILE_TOO_LARGE);
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return unreadableFileError(from.path, 'the file is encoded as UTF-16; save it as UTF-8');
  }
  try {
    return ok({ ...from, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) });
  } catch {
    return unreadableFileError(from.path, 'the file is not valid UTF-8; save it as UTF-8');
  }
}

/**
 * Reads a file for `${file:path}`.
 * @param realPath - Path without symbolic links.
 * @throws RefusedFile if the path is not a regular file or is larger than 1 MiB; TypeError if it is not
 * UTF-8; otherwise a file system error.
 */
export function readIncludedFile(realPath: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(readRegular(realPath, MAX_BYTES));
}

/**
 * Reads a file for `payload_file` by its real path.
 * @throws The errors of `readIncludedFile`, but with a limit of 64 MiB and no check of the encoding.
 */
export function readRowsBytes(realPath: string): Uint8Array {
  return readRegular(realPath, MAX_PAYLOAD_BYTES);
}

function unreadableFileError(path: string, message: string): Result<never> {
  const source = { file: path, line: 1, column: 1, length: 1, lineText: '' };
  return fail([problem('LT_CONFIG_UNREADABLE', message, { source })]);
}

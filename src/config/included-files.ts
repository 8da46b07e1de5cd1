/**
 * Reads the files that a configuration file refers to. The files must be inside the directory of the configuration
 * file, and must not be hidden.
 */
import { createHash } from 'node:crypto';
import { isAbsolute, posix, relative, resolve, sep } from 'node:path';
import { countRows, listsOf, readRowsFile, type Payload } from '../core/load/payload-format.ts';
import {
  MAX_PAYLOAD_BYTES,
  rowOptionsText,
  type BodyFile,
  type PayloadFile,
  type RowOptions,
} from '../core/model/payload-file.ts';
import { codeOf } from '../core/unknown-value.ts';
import { RefusedFile } from '../disk/refused-file.ts';
import { MAX_BYTES } from './text-scan.ts';

export interface FileAccess {
  /** Returns the text of a file; throws if it cannot be read. */
  readonly readFile: (absolutePath: string) => string;
  /** Resolves all symbolic links of a path; throws if the path does not exist. */
  readonly realPath: (absolutePath: string) => string;
}

interface BytesAccess extends Pick<FileAccess, 'realPath'> {
  readonly readBytes: (absolutePath: string) => Uint8Array;
}

/** `reason` is the end of a sentence about the path. */
interface ReadFailure {
  readonly reason: string;
}

type FileReading = { readonly text: string } | ReadFailure;

/** Creates a function that reads a file for `${file:path}`, and caches the result by path. */
export function createFileReader(directory: string, access: FileAccess): (path: string) => FileReading {
  return memoize((path) =>
    readInsideDirectory(directory, path, {
      realPath: access.realPath,
      read: (real): FileReading => {
        const text = access.readFile(real);
        return text.length > MAX_BYTES ? { reason: 'is larger than 1 MiB; use a smaller file' } : { text };
      },
    }),
  );
}

/** Content of a payload file, or the reason why it is invalid, with the line and column if they are known. */
export type RowsReading =
  | {
      readonly file: PayloadFile;
      /** Reads the file again and returns its rows, each as one string; null if the rows cannot be read. */
      readonly listRows: () => readonly string[] | null;
    }
  | (ReadFailure & { readonly place?: { readonly line: number; readonly column: number } });

export type ReadRows = (path: string, options?: RowOptions) => RowsReading;

export type ReadBodyFile = (path: string) => { readonly file: BodyFile } | ReadFailure;

export interface UploadReaders {
  /** Reads a payload file, given by its path relative to the configuration; caches the result by path and options. */
  readonly readRows: ReadRows;
  /** Reads a body file, given by its path relative to the configuration; caches the result by path. */
  readonly readBodyFile: ReadBodyFile;
}

export function createUploadReaders(directory: string, { realPath, readBytes }: BytesAccess): UploadReaders {
  const readEach = <T>(convert: (path: string, bytes: Uint8Array, readAgain: () => Uint8Array) => T) =>
    memoize((path) =>
      readInsideDirectory(directory, path, {
        realPath,
        read: (real): T | ReadFailure => {
          const bytes = readBytes(real);
          return bytes.length > MAX_PAYLOAD_BYTES
            ? { reason: 'is larger than 64 MiB; use a smaller file' }
            : convert(path, bytes, () => readBytes(real));
        },
      }),
    );
  const readWith = (options: RowOptions | undefined) =>
    readEach((path, bytes, readAgain): RowsReading => {
      const rows = rowsOf(path, bytes, options);
      return 'file' in rows ? { ...rows, listRows: () => listRows(readAgain(), options) } : rows;
    });
  const byOptions = new Map<string, (path: string) => RowsReading>();
  return {
    readRows: (path, options) => {
      const key = options === undefined ? '' : rowOptionsText(options);
      const read = byOptions.get(key) ?? readWith(options);
      byOptions.set(key, read);
      return read(path);
    },
    readBodyFile: readEach((path, bytes) => ({
      file: { sha256: sha256OfBytes(bytes), declared: { path, bytes: bytes.length } },
    })),
  };
}

export function readPayloadBytes(
  directory: string,
  path: string,
  { readBytes, realPath }: BytesAccess,
): { readonly bytes: Uint8Array } | ReadFailure {
  return readInsideDirectory(directory, path, { realPath, read: (real) => ({ bytes: readBytes(real) }) });
}

export function sha256OfBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns the rows of a payload file as JSON; null if the file is unusable. */
function listRows(bytes: Uint8Array, options: RowOptions | undefined): readonly string[] | null {
  const payload = parseRows(bytes, options);
  if (payload.kind === 'unusable') return null;
  return listsOf(payload).flatMap(({ names, values }) => values.map((row) => JSON.stringify([names, row])));
}

function parseRows(bytes: Uint8Array, options: RowOptions | undefined): Payload {
  return readRowsFile(new TextDecoder('utf-8', { fatal: true }).decode(bytes), undefined, options);
}

function rowsOf(
  path: string,
  bytes: Uint8Array,
  options: RowOptions | undefined,
): ReadFailure | { readonly file: PayloadFile } {
  const payload = parseRows(bytes, options);
  if (payload.kind === 'unusable') return payload;
  const names = listsOf(payload).flatMap((list) => list.names);
  const declared = {
    path,
    rows: countRows(payload),
    columns: names.length,
    variables: payload.kind === 'variable' ? names : null,
  };
  const used = options === undefined ? {} : { options };
  return { file: { sha256: sha256OfBytes(bytes), declared, ...used } };
}

function memoize<T>(read: (path: string) => T): (path: string) => T {
  const results = new Map<string, T>();
  return (path) => {
    const cached = results.get(path);
    if (cached !== undefined) return cached;
    const result = read(path);
    results.set(path, result);
    return result;
  };
}

interface ReadAccess<T> {
  readonly realPath: FileAccess['realPath'];
  readonly read: (realPath: string) => T;
}

const OUTSIDE_DIRECTORY =
  'is outside the directory of the configuration file; move the file into that directory';

/**
 * Reads a file inside a directory. Resolves symbolic links before the check, because the path may come from an
 * untrusted pull request.
 */
function readInsideDirectory<T>(
  directory: string,
  path: string,
  { realPath, read }: ReadAccess<T>,
): T | ReadFailure {
  if (isAbsolute(path) || path.includes('\0'))
    return {
      reason:
        'is not a valid relative path; write a path relative to the directory of the configuration file',
    };
  if (leavesDirectory(path)) return { reason: OUTSIDE_DIRECTORY };
  try {
    const real = realPath(resolve(directory, path));
    const inside = relative(realPath(directory), real);
    if (leavesDirectory(inside) || isAbsolute(inside)) return { reason: OUTSIDE_DIRECTORY };
    if (isPrivate(inside))
      return {
        reason:
          'is not read, because it is hidden, or is in a hidden directory or in "loadtests-data"; rename or move the file',
      };
    return read(real);
  } catch (error) {
    return { reason: `cannot be read: ${reasonOf(error)}` };
  }
}

function leavesDirectory(path: string): boolean {
  return /^\.\.(?:\/|$)/.test(posix.normalize(`./${path.replaceAll('\\', '/')}`));
}

/** Reports whether a part of a path begins with a dot, or is the data directory of loadtests. */
function isPrivate(path: string): boolean {
  return path.split(sep).some((part) => part.startsWith('.') || part === 'loadtests-data');
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (error instanceof RefusedFile) return error.message;
  if (error instanceof TypeError) return 'the file is not UTF-8 text';
  return code === null ? 'unknown error' : `error ${code}`;
}

/** What a file names beside it: only what lies inside its directory, and nothing hidden. */
import { createHash } from 'node:crypto';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { countRows, listsOf, readRowsFile } from '../core/load/payload-format.ts';
import { MAX_PAYLOAD_BYTES, type PayloadFile } from '../core/model/payload-file.ts';
import { RefusedFile } from '../disk/refused-file.ts';
import { MAX_BYTES } from './text-scan.ts';

export interface FileAccess {
  readonly readFile: (absolutePath: string) => string;
  readonly realPath: (absolutePath: string) => string;
}

interface BytesAccess extends Pick<FileAccess, 'realPath'> {
  readonly readBytes: (absolutePath: string) => Uint8Array;
}

/** `reason` goes behind the path, as the end of a sentence. */
interface ReadFailure {
  readonly reason: string;
}

type FileReading = { readonly text: string } | ReadFailure;

/** `${file:path}`. Reads each file once. */
export function createFileReader(directory: string, access: FileAccess): (path: string) => FileReading {
  return memoize((path) =>
    readInsideDirectory(directory, path, {
      realPath: access.realPath,
      read: (real): FileReading => {
        const text = access.readFile(real);
        return text.length > MAX_BYTES ? { reason: 'names a file larger than 1 MiB' } : { text };
      },
    }),
  );
}

/** What a payload file holds, or what is wrong with it; `place`: a line and column of the file. */
export type RowsReading =
  | { readonly file: PayloadFile }
  | (ReadFailure & { readonly place?: { readonly line: number; readonly column: number } });

export type ReadRows = (path: string) => RowsReading;

/** `payload_file: path`. Reads each file once. */
export function createRowsReader(directory: string, { realPath, readBytes }: BytesAccess): ReadRows {
  return memoize((path) =>
    readInsideDirectory(directory, path, {
      realPath,
      read: (real): RowsReading => rowsOf(path, readBytes(real)),
    }),
  );
}

/** The bytes of a payload file, once more. */
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

function rowsOf(path: string, bytes: Uint8Array): RowsReading {
  if (bytes.length > MAX_PAYLOAD_BYTES) return { reason: 'is larger than 64 MiB' };
  const payload = readRowsFile(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  if (payload.kind === 'unusable') return payload;
  const names = listsOf(payload).flatMap((list) => list.names);
  const declared = {
    path,
    rows: countRows(payload),
    columns: names.length,
    variables: payload.kind === 'variable' ? names : null,
  };
  return { file: { sha256: sha256OfBytes(bytes), declared } };
}

function memoize<T>(read: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const now = read(path);
    known.set(path, now);
    return now;
  };
}

interface ReadAccess<T> {
  readonly realPath: FileAccess['realPath'];
  readonly read: (realPath: string) => T;
}

/** The file comes from a pull request, so the path is judged after links are resolved. */
function readInsideDirectory<T>(
  directory: string,
  path: string,
  { realPath, read }: ReadAccess<T>,
): T | ReadFailure {
  if (isAbsolute(path) || path.includes('\0'))
    return { reason: "is not a path inside the file's directory; write a relative one" };
  if (leavesDirectory(path)) return { reason: "leads out of the file's directory; put what it needs inside" };
  try {
    const real = realPath(resolve(directory, path));
    const inside = relative(realPath(directory), real);
    if (leavesDirectory(inside) || isAbsolute(inside))
      return { reason: "leads out of the file's directory; put what it needs inside" };
    if (isPrivate(inside)) return { reason: 'names a hidden file or a data directory, which are never read' };
    return read(real);
  } catch (error) {
    return { reason: `cannot be read: ${reasonOf(error)}` };
  }
}

function leavesDirectory(path: string): boolean {
  return (
    path
      .split(/[\\/]/)
      .reduce(
        (depth, part) =>
          depth < 0 ? depth : part === '..' ? depth - 1 : part === '.' || part === '' ? depth : depth + 1,
        0,
      ) < 0
  );
}

/** Git's directory, package managers' settings, our own journal and key: none belongs in a request. */
function isPrivate(path: string): boolean {
  return path.split(sep).some((part) => part.startsWith('.') || part === 'loadtests-data');
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (error instanceof RefusedFile) return error.message;
  return error instanceof TypeError ? 'it is not UTF-8 text' : 'it cannot be read';
}

/** What a file names beside it: only what lies inside its folder, and nothing hidden. */
import { createHash } from 'node:crypto';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { countRows, listsOf, readRowsFile } from '../core/load/payload-format.ts';
import { MOST_PAYLOAD_BYTES, type PayloadFile } from '../core/model/payload-file.ts';
import { RefusedFile } from '../disk/refused-file.ts';
import { MAX_BYTES } from './bounds.ts';

export interface FileAccess {
  readonly readFile: (absolutePath: string) => string;
  readonly realPath: (absolutePath: string) => string;
}

interface BytesAccess extends Pick<FileAccess, 'realPath'> {
  readonly readBytes: (absolutePath: string) => Uint8Array;
}

/** `reason` goes behind the path, as the end of a sentence. */
interface Unread {
  readonly reason: string;
}

type Read = { readonly text: string } | Unread;

/** `${file:path}`. Reads each file once. */
export function createFileReader(folder: string, access: FileAccess): (path: string) => Read {
  return onceEach((path) =>
    readInside(folder, path, {
      realPath: access.realPath,
      read: (real): Read => {
        const text = access.readFile(real);
        return text.length > MAX_BYTES ? { reason: 'names a file larger than 1 MiB' } : { text };
      },
    }),
  );
}

/** What a payload file holds, or what is wrong with it; `place`: a line and column of the file. */
export type RowsRead =
  | { readonly file: PayloadFile }
  | (Unread & { readonly place?: { readonly line: number; readonly column: number } });

export type ReadRows = (path: string) => RowsRead;

/** `payload_file: path`. Reads each file once. */
export function createRowsReader(folder: string, { realPath, readBytes }: BytesAccess): ReadRows {
  return onceEach((path) =>
    readInside(folder, path, { realPath, read: (real): RowsRead => rowsOf(path, readBytes(real)) }),
  );
}

/** The bytes of a payload file, once more. */
export function readPayloadBytes(
  folder: string,
  path: string,
  { readBytes, realPath }: BytesAccess,
): { readonly bytes: Uint8Array } | Unread {
  return readInside(folder, path, { realPath, read: (real) => ({ bytes: readBytes(real) }) });
}

export function sha256OfBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function rowsOf(path: string, bytes: Uint8Array): RowsRead {
  if (bytes.length > MOST_PAYLOAD_BYTES) return { reason: 'is larger than 64 MiB' };
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

function onceEach<T>(read: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const now = read(path);
    known.set(path, now);
    return now;
  };
}

interface Reading<T> {
  readonly realPath: FileAccess['realPath'];
  readonly read: (realPath: string) => T;
}

/** The file comes from a pull request, so the path is judged after links are resolved. */
function readInside<T>(folder: string, path: string, { realPath, read }: Reading<T>): T | Unread {
  if (isAbsolute(path) || path.includes('\0'))
    return { reason: "is not a path inside the file's folder; write a relative one" };
  if (leaves(path)) return { reason: "leads out of the file's folder; put what it needs inside" };
  try {
    const real = realPath(resolve(folder, path));
    const inside = relative(realPath(folder), real);
    if (leaves(inside) || isAbsolute(inside))
      return { reason: "leads out of the file's folder; put what it needs inside" };
    if (isPrivate(inside)) return { reason: 'names a hidden file or a data folder, which are never read' };
    return read(real);
  } catch (error) {
    return { reason: `cannot be read: ${reasonOf(error)}` };
  }
}

function leaves(path: string): boolean {
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

/** Git's folder, package managers' settings, our own journal and key: none belongs in a request. */
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

/** `${file:path}`: only what lies inside the file's folder, and nothing hidden. */
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { RefusedFile } from '../disk/refused-file.ts';
import { MAX_BYTES } from './bounds.ts';

export interface FileAccess {
  readonly readFile: (absolutePath: string) => string;
  readonly realPath: (absolutePath: string) => string;
}

type Read = { readonly text: string } | { readonly reason: string };

/** Reads each file once. The file comes from a pull request, so the path is judged after links are resolved. */
export function createFileReader(folder: string, access: FileAccess): (path: string) => Read {
  const known = new Map<string, Read>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const read = readInside(folder, path, access);
    known.set(path, read);
    return read;
  };
}

function readInside(folder: string, path: string, access: FileAccess): Read {
  if (isAbsolute(path) || path.includes('\0'))
    return { reason: "is not a path inside the file's folder; write a relative one" };
  if (leaves(path)) return { reason: "leads out of the file's folder; put what it needs inside" };
  try {
    const real = access.realPath(resolve(folder, path));
    const inside = relative(access.realPath(folder), real);
    if (leaves(inside) || isAbsolute(inside))
      return { reason: "leads out of the file's folder; put what it needs inside" };
    if (isPrivate(inside)) return { reason: 'names a hidden file or a data folder, which are never read' };
    const text = access.readFile(real);
    if (text.length > MAX_BYTES) return { reason: 'names a file larger than 1 MiB' };
    return { text };
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

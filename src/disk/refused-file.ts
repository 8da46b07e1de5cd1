/** A file that is there, and that is not opened or must not be used. */

/** Its message is a reason that stands after a colon: "it is a symbolic link". */
export class RefusedFile extends Error {}

/** The reason for what is neither a file nor a directory that may be used. */
export function createKindRefusal(kind: {
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isFile(): boolean;
}): RefusedFile {
  if (kind.isSymbolicLink()) return new RefusedFile('it is a symbolic link');
  if (kind.isDirectory()) return new RefusedFile('it is a directory');
  return new RefusedFile(kind.isFile() ? 'it is a file' : 'it is a pipe or a device, not a file');
}

/** The code of a system error; null where it has none. */
export function systemCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

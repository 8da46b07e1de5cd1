/** Error whose message is a clause that can follow a colon, such as "it is a symbolic link". */
export class RefusedFile extends Error {}

export function createKindRefusal(kind: {
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isFile(): boolean;
}): RefusedFile {
  if (kind.isSymbolicLink()) return new RefusedFile('it is a symbolic link');
  if (kind.isDirectory()) return new RefusedFile('it is a directory');
  return new RefusedFile(kind.isFile() ? 'it is a file' : 'it is a pipe or a device, not a file');
}

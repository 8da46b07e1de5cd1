import { constants, fchmodSync, fstatSync, writeFileSync } from 'node:fs';
import { lstatIfExists, isDescriptorPath, isStream, openRegular, readUpTo, useFile } from './regular-file.ts';

/**
 * Replaces the content of a file. Links are not followed, except descriptor paths such as `/dev/stdout`. If the path is
 * a pipe, a device or a descriptor, the function only writes the text.
 * @param mode - Mode to set even if the file exists. By default, a new file has the default mode of the system, and the
 * mode of an existing file does not change.
 * @throws RefusedFile for a link or a directory; otherwise the file system error.
 */
export function writeOutputFile(path: string, text: string, mode?: number): void {
  const stats = lstatIfExists(path);
  if (isDescriptorPath(path) || (stats !== null && isStream(stats))) {
    writeFileSync(path, text);
    return;
  }
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
  useFile(openRegular(path, flags, mode ?? 0o666), (file) => {
    // Sets the mode before writing the text, so that other users cannot read the text in the meantime.
    if (mode !== undefined) fchmodSync(file, mode);
    writeFileSync(file, text);
  });
}

/**
 * Appends text to a file, which is created if necessary. Returns false, and writes nothing, if the file would exceed
 * `maxBytes`.
 */
export function appendUpTo(path: string, text: string, maxBytes: number): boolean {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
  return useFile(openRegular(path, flags, 0o666), (file) => {
    if (fstatSync(file).size + Buffer.byteLength(text) > maxBytes) return false;
    writeFileSync(file, text);
    return true;
  });
}

/** Maximum size in bytes of a file to which `appendLine` appends. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** Appends a line to a file, which is created if necessary. Returns false if the file already contains the line. */
export function appendLine(path: string, line: string): boolean {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
  return useFile(openRegular(path, flags, 0o666), (file) => {
    const text = readUpTo(file, MAX_LIST_BYTES).toString('utf8');
    if (text.split('\n').some((existing) => existing.trim() === line)) return false;
    writeFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
    return true;
  });
}

/** @throws The file system error. If the path exists, even as a dangling link, the code of the error is EEXIST. */
export function writeNewFile(path: string, text: string, mode = 0o666): void {
  writeFileSync(path, text, { flag: 'wx', mode });
}

/** Files that a command writes because the user named them. */
import { closeSync, constants, fchmodSync, fstatSync, writeFileSync } from 'node:fs';
import { lstatIfExists, isDescriptorPath, openRegular, readUpTo } from './regular-file.ts';

/**
 * Writes a whole file. A link is never followed; a pipe or a device gets the text as it is.
 *
 * Errors: RefusedFile for a link or a directory; else the file system's own.
 *
 * @param mode of the file, also of one that was there; left out: as the system makes files, and as it was
 */
export function writeOutputFile(path: string, text: string, mode?: number): void {
  if (isStream(path)) {
    writeFileSync(path, text);
    return;
  }
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
  const file = openRegular(path, flags, mode ?? 0o666);
  try {
    // It is empty until others can no longer read it.
    if (mode !== undefined) fchmodSync(file, mode);
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

function isStream(path: string): boolean {
  if (isDescriptorPath(path)) return true;
  const there = lstatIfExists(path);
  return there !== null && !there.isFile() && !there.isDirectory() && !there.isSymbolicLink();
}

/** Adds to the end of a file, which is made if it is not there. False: it would get longer than so many bytes. */
export function appendUpTo(path: string, text: string, most: number): boolean {
  const file = openRegular(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o666);
  try {
    if (fstatSync(file).size + Buffer.byteLength(text) > most) return false;
    writeFileSync(file, text);
    return true;
  } finally {
    closeSync(file);
  }
}

/** Far more than a list of names has. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** Adds a line to a file of lines, which is made if it is not there. False: the file has it already. */
export function appendLine(path: string, line: string): boolean {
  const file = openRegular(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o666);
  try {
    const text = readUpTo(file, MAX_LIST_BYTES).toString('utf8');
    if (text.split('\n').some((one) => one.trim() === line)) return false;
    writeFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
    return true;
  } finally {
    closeSync(file);
  }
}

/** Errors: the file system's own; EEXIST also where a link of this name leads nowhere. */
export function writeNewFile(path: string, text: string): void {
  writeFileSync(path, text, { flag: 'wx' });
}

/** Files that the command line names to be written: judged before anything is done, so that no work is lost with them. */
import { accessSync, constants, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { findConfigFile } from '../../config/read.ts';
import { lookAt, namesDescriptor } from '../../disk/regular-file.ts';
import { groundsOf, isInside, resolveInside } from '../../disk/stranger-file.ts';
import type { FileFlags } from '../terminal/flags.ts';
import { reasonOf, RefusedOutput } from '../terminal/errors.ts';

export interface OutputFiles {
  readonly jsonInto?: string;
  readonly out?: string;
}

type OutputFlag = '--json-into' | '--out';

/**
 * Looks, and changes nothing.
 *
 * @param reads what the command reads beside the configuration file; it need not be there
 *
 * Errors: RefusedOutput where one cannot be written, is an input by any of its names, or two are one file.
 */
export function checkOutputFiles(
  folder: string,
  files: OutputFiles & Pick<FileFlags, 'file'>,
  reads: readonly string[],
): void {
  const { jsonInto, out } = files;
  const inputs = [...configFileOf(folder, files.file), ...reads];
  if (jsonInto !== undefined) checkOutputFile(folder, { flag: '--json-into', path: jsonInto }, inputs);
  if (out !== undefined) checkOutputFile(folder, { flag: '--out', path: out }, inputs);
  if (jsonInto === undefined || out === undefined) return;
  if (isSameFile(resolve(folder, jsonInto), resolve(folder, out)))
    throw new RefusedOutput(`--json-into and --out both name "${out}"`, 'use two different files');
}

function checkOutputFile(
  folder: string,
  { flag, path }: { readonly flag: OutputFlag; readonly path: string },
  inputs: readonly string[],
): void {
  const reason = whyUnwritable(resolve(folder, path), folder);
  if (reason !== null) throw new RefusedOutput(`"${path}" of ${flag} cannot be written: ${reason}`);
  const input = inputs.find((one) => isSameFile(resolve(folder, one), resolve(folder, path)));
  if (input === undefined) return;
  throw new RefusedOutput(
    `${flag} would overwrite "${input}", which the command reads`,
    'choose another file',
  );
}

/** The configuration as seen from the folder, if there is one. */
function configFileOf(folder: string, named: string | undefined): readonly string[] {
  if (named !== undefined) return [named === '-' ? '/dev/stdin' : named];
  const found = findConfigFile(folder);
  return found.ok ? [relative(folder, found.value)] : [];
}

/** Of a command line that could not be understood: the file of `--json-into`, and all words that may name others. */
export function outputOfWords(words: readonly string[]): {
  readonly jsonInto: Pick<OutputFiles, 'jsonInto'>;
  readonly reads: readonly string[];
} {
  const at = words.findLastIndex((word) => word === '--json-into' || word.startsWith('--json-into='));
  const assigned = words[at]?.startsWith('--json-into=') === true;
  const value = assigned ? words[at]?.slice('--json-into='.length) : words[at + 1];
  if (at === -1 || value === undefined || value === '' || value.startsWith('-'))
    return { jsonInto: {}, reads: [] };
  const rest = words.filter((_, index) => index !== at && (assigned || index !== at + 1));
  return { jsonInto: { jsonInto: value }, reads: rest.map((word) => word.replace(/^--[^=]+=/, '')) };
}

/** Null: nothing speaks against it. `from`: the folder of the command. */
function whyUnwritable(path: string, from: string): string | null {
  // These are links of the user's own shell.
  if (namesDescriptor(path)) return whyRefused(path, constants.W_OK);
  const folder = dirname(path);
  const above = statOf(folder);
  if (above === null) return `the folder "${folder}" does not exist`;
  if (!above.isDirectory()) return `"${folder}" is not a folder`;
  const there = lookAt(path);
  if (there?.isSymbolicLink() === true) return 'it is a symbolic link, which is not followed';
  if (there?.isDirectory() === true) return 'it is a folder';
  const refused =
    there === null ? whyRefused(folder, constants.W_OK | constants.X_OK) : whyRefused(path, constants.W_OK);
  return refused ?? whyElsewhere(folder, from);
}

/** A folder of the checkout may be a link that somebody else has put there. */
function whyElsewhere(folder: string, from: string): string | null {
  const grounds = groundsOf(from);
  try {
    if (isInside(grounds, folder)) resolveInside(grounds, folder);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

function whyRefused(path: string, mode: number): string | null {
  try {
    accessSync(path, mode);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Devices and pipes keep nothing that could be overwritten. */
function isSameFile(one: string, other: string): boolean {
  const [first, second] = [statOf(one), statOf(other)];
  if (first !== null && second !== null)
    return first.isFile() && first.dev === second.dev && first.ino === second.ino;
  return first === second && realPlace(one) === realPlace(other);
}

/** The real path of what is not there yet. */
function realPlace(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

function statOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return null;
  }
}

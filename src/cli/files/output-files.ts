/** Checks output files before a command runs, so that its result is not lost if a file cannot be written. */
import { accessSync, constants, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { findConfigFile } from '../../config/read-files.ts';
import type { ProblemError } from '../../core/problem.ts';
import { lstatIfExists, isDescriptorPath } from '../../disk/regular-file.ts';
import { allowedRootOf, isInsideDirectory, realDirectory, resolveInside } from '../../disk/untrusted-file.ts';
import { REPORTER_NAMES, REPORTERS } from '../../report/reporters.ts';
import { listOutputFiles, type FileFlags, type OutputFile, type OutputFiles } from '../terminal/flags.ts';
import { reasonOf, RefusedOutput, usageError } from '../terminal/errors.ts';

/**
 * @param reads - Additional paths that the command reads. The paths need not exist.
 * @param dataDirectory - Data directory of the command; null before the configuration file is loaded.
 * @throws RefusedOutput if a file cannot be written, is also an input, or is inside the data directory; or if two
 * outputs are the same file.
 */
export function checkOutputFiles(
  directory: string,
  files: OutputFiles & Pick<FileFlags, 'file'>,
  reads: readonly string[],
  dataDirectory: string | null = null,
): void {
  const inputs = [...configPathOf(directory, files.file), ...reads];
  const named = listOutputFiles(files);
  for (const [index, output] of named.entries()) {
    checkOutputFile(directory, output, inputs);
    checkMarkdownFile(output);
    const { flag, path } = output;
    if (
      dataDirectory !== null &&
      isInsideDirectory(realDirectory(dataDirectory), realPathOf(resolve(directory, path)))
    )
      throw new RefusedOutput(
        `"${path}" (${flag}) is inside the data directory "${basename(dataDirectory)}"`,
        'choose another directory',
      );
    const same = named
      .slice(0, index)
      .find((other) => isSameFile(resolve(directory, other.path), resolve(directory, path)));
    if (same === undefined) continue;
    throw new RefusedOutput(`${same.flag} and ${flag} both name "${path}"`, 'use two different files');
  }
}

/**
 * Returns the absolute path of an output file that must not exist; null if none is named.
 * @throws ProblemError LT_CLI_USAGE if the file exists.
 */
export function newFileOf(directory: string, name: string | undefined): string | null {
  if (name === undefined) return null;
  const path = resolve(directory, name);
  if (lstatIfExists(path) !== null) throw existingFileError(name);
  return path;
}

export function existingFileError(name: string): ProblemError {
  return usageError(`"${name}" already exists and is not overwritten`, 'choose another file');
}

/** Rejects a `--markdown` value that looks like an argument, such as a test key or a plan file. */
function checkMarkdownFile({ flag, path }: OutputFile): void {
  if (flag !== '--markdown') return;
  if (/\.(?:md|markdown|txt)$/i.test(path) || (/[/\\]/.test(path) && !/\.(?:json|ya?ml)$/i.test(path)))
    return;
  throw new RefusedOutput(
    `"${path}" does not look like a Markdown file (.md)`,
    'use a file name that ends in .md, or put --markdown last to print to stdout',
  );
}

function checkOutputFile(directory: string, { flag, path }: OutputFile, inputs: readonly string[]): void {
  const reason = unwritableReason(resolve(directory, path), directory);
  if (reason !== null) throw new RefusedOutput(`"${path}" (${flag}) cannot be written: ${reason}`);
  const input = inputs.find((one) => isSameFile(resolve(directory, one), resolve(directory, path)));
  if (input === undefined) return;
  throw new RefusedOutput(
    `${flag} would overwrite "${input}", which the command reads`,
    'choose another file',
  );
}

/**
 * Returns the specified path, or the path of the discovered file relative to `directory`. Returns an empty list if no
 * file is found.
 */
function configPathOf(directory: string, named: string | undefined): readonly string[] {
  if (named !== undefined) return [named === '-' ? '/dev/stdin' : named];
  const found = findConfigFile(directory);
  return found.ok ? [relative(directory, found.value)] : [];
}

/** Extracts the output files, and words that may name input files, from a command line that cannot be parsed. */
export function outputFilesOfArgs(words: readonly string[]): {
  readonly files: OutputFiles;
  readonly reads: readonly string[];
} {
  const files: Record<string, string | true> = {};
  const used = new Set<number>();
  const addFile = (name: string, flag: string, mayLackFile: boolean) => {
    const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
    if (at === -1) return;
    const assigned = words[at]?.startsWith(`${flag}=`) === true;
    const value = assigned ? words[at]?.slice(flag.length + 1) : words[at + 1];
    if (value !== undefined && value !== '' && !value.startsWith('-')) {
      files[name] = value;
      used.add(at).add(assigned ? at : at + 1);
    } else if (mayLackFile) files[name] = true;
  };
  addFile('jsonInto', '--json-into', false);
  for (const name of REPORTER_NAMES) addFile(name, `--${name}`, REPORTERS[name].destination !== 'file');
  const rest = words.filter((_, index) => !used.has(index));
  const reads = Object.keys(files).length === 0 ? [] : rest.map((word) => word.replace(/^--[^=]+=/, ''));
  return { files, reads };
}

/**
 * Returns the reason why a file cannot be written; null if the checks find none.
 * @param from - Working directory of the command.
 */
function unwritableReason(path: string, from: string): string | null {
  // Descriptor paths such as `/dev/fd/63` are symbolic links, but the user's shell creates them, so they are allowed.
  if (isDescriptorPath(path)) return refusalReason(path, constants.W_OK);
  const directory = dirname(path);
  const above = statOf(directory);
  if (above === null) return `the directory "${directory}" does not exist`;
  if (!above.isDirectory()) return `"${directory}" is not a directory`;
  const existing = lstatIfExists(path);
  if (existing?.isSymbolicLink() === true) return 'it is a symbolic link, which is not followed';
  if (existing?.isDirectory() === true) return 'it is a directory';
  const refused =
    existing === null
      ? refusalReason(directory, constants.W_OK | constants.X_OK)
      : refusalReason(path, constants.W_OK);
  return refused ?? outsideReason(directory, from);
}

/** Returns the reason if a symbolic link in the allowed root leads outside it; null otherwise. */
function outsideReason(directory: string, from: string): string | null {
  const root = allowedRootOf(from);
  try {
    if (isInsideDirectory(root, directory)) resolveInside(root, directory);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

function refusalReason(path: string, mode: number): string | null {
  try {
    accessSync(path, mode);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

/**
 * Reports whether two paths refer to the same file, which need not exist. Returns false for devices and pipes, which
 * have no content to overwrite.
 */
function isSameFile(one: string, other: string): boolean {
  const [first, second] = [statOf(one), statOf(other)];
  if (first !== null && second !== null)
    return first.isFile() && first.dev === second.dev && first.ino === second.ino;
  return first === second && realPathOf(one) === realPathOf(other);
}

/** Returns the path with the real path of its directory; the given path if the directory does not exist. */
function realPathOf(path: string): string {
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

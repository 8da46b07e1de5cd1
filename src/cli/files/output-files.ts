/** Files that the command line names to be written: judged before anything is done, so that no work is lost with them. */
import { accessSync, constants, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { findConfigFile } from '../../config/read-files.ts';
import { lstatIfExists, isDescriptorPath } from '../../disk/regular-file.ts';
import { allowedRootOf, isInsideDirectory, realDirectory, resolveInside } from '../../disk/untrusted-file.ts';
import { REPORTER_NAMES, REPORTERS } from '../../report/reporters.ts';
import { listOutputFiles, type FileFlags, type OutputFile, type OutputFiles } from '../terminal/flags.ts';
import { reasonOf, RefusedOutput } from '../terminal/errors.ts';

/**
 * Looks, and changes nothing.
 *
 * @param reads what the command reads beside the configuration file; it need not be there
 * @param kept the directory that commands keep their data in; null: not known
 *
 * Errors: RefusedOutput where one cannot be written, is an input by any of its names or lies with the data, or two are
 *         one file.
 */
export function checkOutputFiles(
  directory: string,
  files: OutputFiles & Pick<FileFlags, 'file'>,
  reads: readonly string[],
  kept: string | null = null,
): void {
  const inputs = [...configPathOf(directory, files.file), ...reads];
  const named = listOutputFiles(files);
  for (const [index, output] of named.entries()) {
    checkOutputFile(directory, output, inputs);
    checkMarkdownFile(output);
    const { flag, path } = output;
    if (kept !== null && isInsideDirectory(realDirectory(kept), realPathOf(resolve(directory, path))))
      throw new RefusedOutput(
        `"${path}" of ${flag} lies in "${basename(kept)}", where commands keep their data`,
        'choose another directory',
      );
    const same = named
      .slice(0, index)
      .find((other) => isSameFile(resolve(directory, other.path), resolve(directory, path)));
    if (same === undefined) continue;
    throw new RefusedOutput(`${same.flag} and ${flag} both name "${path}"`, 'use two different files');
  }
}

/** `--markdown` takes a word or none: the key of a test, or a saved plan, behind it was meant for the command. */
function checkMarkdownFile({ flag, path }: OutputFile): void {
  if (flag !== '--markdown') return;
  if (/\.(?:md|markdown|txt)$/i.test(path) || (/[/\\]/.test(path) && !/\.(?:json|ya?ml)$/i.test(path)))
    return;
  throw new RefusedOutput(
    `"${path}" does not look like a file for Markdown, which ends in .md`,
    'to print Markdown to stdout, write --markdown behind everything else',
  );
}

function checkOutputFile(directory: string, { flag, path }: OutputFile, inputs: readonly string[]): void {
  const reason = unwritableReason(resolve(directory, path), directory);
  if (reason !== null) throw new RefusedOutput(`"${path}" of ${flag} cannot be written: ${reason}`);
  const input = inputs.find((one) => isSameFile(resolve(directory, one), resolve(directory, path)));
  if (input === undefined) return;
  throw new RefusedOutput(
    `${flag} would overwrite "${input}", which the command reads`,
    'choose another file',
  );
}

/** The configuration as seen from the directory, if there is one. */
function configPathOf(directory: string, named: string | undefined): readonly string[] {
  if (named !== undefined) return [named === '-' ? '/dev/stdin' : named];
  const found = findConfigFile(directory);
  return found.ok ? [relative(directory, found.value)] : [];
}

/** Of a command line that could not be understood: its files of documents and reports, and all words that may name others. */
export function outputFilesOfArgs(words: readonly string[]): {
  readonly files: OutputFiles;
  readonly reads: readonly string[];
} {
  const files: Record<string, string | true> = {};
  const taken = new Set<number>();
  const take = (name: string, flag: string, mayLackFile: boolean) => {
    const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
    if (at === -1) return;
    const assigned = words[at]?.startsWith(`${flag}=`) === true;
    const value = assigned ? words[at]?.slice(flag.length + 1) : words[at + 1];
    if (value !== undefined && value !== '' && !value.startsWith('-')) {
      files[name] = value;
      taken.add(at).add(assigned ? at : at + 1);
    } else if (mayLackFile) files[name] = true;
  };
  take('jsonInto', '--json-into', false);
  for (const name of REPORTER_NAMES) take(name, `--${name}`, REPORTERS[name].destination !== 'file');
  const rest = words.filter((_, index) => !taken.has(index));
  const reads = Object.keys(files).length === 0 ? [] : rest.map((word) => word.replace(/^--[^=]+=/, ''));
  return { files, reads };
}

/** Null: nothing speaks against it. `from`: the directory of the command. */
function unwritableReason(path: string, from: string): string | null {
  // These are links of the user's own shell.
  if (isDescriptorPath(path)) return refusalReason(path, constants.W_OK);
  const directory = dirname(path);
  const above = statOf(directory);
  if (above === null) return `the directory "${directory}" does not exist`;
  if (!above.isDirectory()) return `"${directory}" is not a directory`;
  const there = lstatIfExists(path);
  if (there?.isSymbolicLink() === true) return 'it is a symbolic link, which is not followed';
  if (there?.isDirectory() === true) return 'it is a directory';
  const refused =
    there === null
      ? refusalReason(directory, constants.W_OK | constants.X_OK)
      : refusalReason(path, constants.W_OK);
  return refused ?? outsideReason(directory, from);
}

/** A directory of the checkout may be a link that somebody else has put there. */
function outsideReason(directory: string, from: string): string | null {
  const grounds = allowedRootOf(from);
  try {
    if (isInsideDirectory(grounds, directory)) resolveInside(grounds, directory);
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

/** Devices and pipes keep nothing that could be overwritten. */
function isSameFile(one: string, other: string): boolean {
  const [first, second] = [statOf(one), statOf(other)];
  if (first !== null && second !== null)
    return first.isFile() && first.dev === second.dev && first.ino === second.ino;
  return first === second && realPathOf(one) === realPathOf(other);
}

/** The real path of what is not there yet. */
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

/**
 * The `import --from` command: converts a file of another tool to a configuration file, or adds a test to an existing
 * one. Sends no requests.
 */
import { dirname, resolve } from 'node:path';
import { createFileReader } from '../../config/included-files.ts';
import { readIncludedFile } from '../../config/read-files.ts';
import { InvalidSource, type IntakeSource } from '../../core/intake/source-text.ts';
import { readInput, resolveInputPath } from '../../disk/input-file.ts';
import { realPath } from '../../disk/untrusted-file.ts';
import { formatOf, type FormatName } from '../../formats/formats.ts';
import { quoteArguments } from '../../formats/shell-commands.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf, usageError } from '../terminal/errors.ts';
import type { OutputFlags } from '../terminal/flags.ts';
import { type Outcome } from '../terminal/outcome.ts';
import {
  checkConversionFlags,
  COMMAND_LINE,
  convertSource,
  STANDARD_INPUT,
  type ConversionFlags,
} from '../steps/convert-source.ts';

export interface ImportFromFlags extends OutputFlags, ConversionFlags {
  readonly from: FormatName;
  readonly env?: string;
  readonly hosts?: readonly string[];
  readonly staticFiles?: boolean;
  readonly again?: string;
  readonly tag?: readonly string[];
  readonly path?: readonly string[];
}

/** Flags that apply only to tests on the service. */
const ONLY_WITHOUT_FROM = {
  file: '--file',
  var: '--var',
  only: '--only',
  exclude: '--exclude',
  lockTimeout: '--lock-timeout',
};

export async function importFrom(
  context: Context,
  args: readonly string[],
  flags: ImportFromFlags,
): Promise<Outcome> {
  for (const [name, flag] of Object.entries(ONLY_WITHOUT_FROM)) {
    if (name in flags) throw usageError(`${flag} and --from cannot be combined`, `remove ${flag}`);
  }
  checkConversionFlags(context, flags);
  const source = await readSource(context, args, flags);
  return await convertSource(context, source, {
    format: flags.from,
    writtenBy: `import --from ${flags.from}`,
    flags,
    directory: sourceDirectory(context, args),
  });
}

function sourceDirectory(
  { directory }: Pick<Context, 'directory'>,
  [first = '-']: readonly string[],
): string {
  return first === '-' ? directory : dirname(resolve(directory, first));
}

async function readSource(
  { directory, stdin }: Context,
  args: readonly string[],
  flags: ImportFromFlags,
): Promise<IntakeSource> {
  const { programs, maxBytes } = formatOf(flags.from);
  const [first, ...others] = args;
  const options = {
    environment: flags.env ?? null,
    recording: { hosts: flags.hosts ?? null, staticFiles: flags.staticFiles === true },
    selection: { tags: flags.tag ?? [], paths: flags.path ?? [] },
  };
  if (first === undefined)
    throw usageError('import --from requires a source', `pass a file, or - for standard input`);
  if (programs.includes(first)) {
    const text = quoteArguments(args);
    return { ...options, path: COMMAND_LINE, text, readFile: sourceFiles(directory), others: [] };
  }
  const read = async (path: string) => {
    const bytes =
      path === '-' ? await stdin.read(maxBytes + 1) : await readBytes(directory, path, maxBytes + 1);
    const shown = path === '-' ? STANDARD_INPUT : path;
    return { path: shown, text: decodeSource(bytes, { path: shown, text: '' }, maxBytes) };
  };
  return {
    ...options,
    ...(await read(first)),
    readFile: sourceFiles(sourceDirectory({ directory }, args)),
    others: await Promise.all([...others, ...(flags.again === undefined ? [] : [flags.again])].map(read)),
  };
}

/** Rejects files outside the directory of the source. */
function sourceFiles(directory: string): IntakeSource['readFile'] {
  const read = createFileReader(directory, { readFile: readIncludedFile, realPath });
  return (path) => {
    const file = read(path);
    return 'text' in file ? file : { reason: file.reason.replace('configuration file', 'source') };
  };
}

async function readBytes(directory: string, path: string, maxBytes: number): Promise<Uint8Array> {
  try {
    return (await readInput(resolveInputPath(path, directory, ['']), maxBytes)).bytes;
  } catch (error) {
    throw usageError(`"${path}" cannot be read: ${reasonOf(error)}`);
  }
}

function decodeSource(
  bytes: Uint8Array,
  source: Pick<IntakeSource, 'path' | 'text'>,
  maxBytes: number,
): string {
  const start = { line: 1, column: 1 };
  if (bytes.length > maxBytes)
    throw new InvalidSource(
      source,
      start,
      `the source exceeds the limit of ${maxBytes / 1024 / 1024} MiB; convert a smaller source`,
    );
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidSource(source, start, 'the source is not valid UTF-8; save it as UTF-8');
  }
}

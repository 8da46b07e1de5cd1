/**
 * Converts a file of another tool, or a recording, to a new configuration file or to a test in an existing one. Sends
 * no requests.
 */
import { basename, dirname, relative, resolve } from 'node:path';
import { createUploadReaders } from '../../config/included-files.ts';
import { writeIntakeFile } from '../../config/intake-file.ts';
import { insertIntoConfig, testKeysIn } from '../../config/intake-insertion.ts';
import { isKey, keyOf, UniqueNames } from '../../config/import-names.ts';
import { loadConfig, type LoadedConfig } from '../../config/load-config.ts';
import { readConfigFile, readIncludedFile, readRowsBytes, type ConfigText } from '../../config/read-files.ts';
import type { IntakeNote } from '../../core/intake/intake.ts';
import { replaceSecrets, secretNamesOf } from '../../core/intake/intake-secrets.ts';
import { type IntakeSource } from '../../core/intake/source-text.ts';
import { Mask } from '../../core/mask.ts';
import { ProblemError, type Problem } from '../../core/problem.ts';
import type { ConvertedDocument } from '../../core/report/generated/documents.ts';
import type { Result } from '../../core/result.ts';
import { codeOf } from '../../core/unknown-value.ts';
import { writeNewFile, writeOutputFile } from '../../disk/output-file.ts';
import { realPath } from '../../disk/untrusted-file.ts';
import { formatOf, type FormatName } from '../../formats/formats.ts';
import { importText } from '../../report/import-text.ts';
import { EDITOR_SCHEMA_PATH, projectNameOf } from '../files/new-config-file.ts';
import { newFileOf } from '../files/output-files.ts';
import { configInput } from '../files/project.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf, usageError } from '../terminal/errors.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';

/** Exit code for a source that could not be converted completely. */
const EXIT_LOSSES = 7;

export interface ConversionFlags {
  readonly out?: string;
  readonly into?: string;
  readonly test?: string;
}

export interface Conversion {
  readonly format: FormatName;
  /** Command to name in a comment in the new file, such as `record`. */
  readonly writtenBy: string;
  readonly flags: ConversionFlags;
  readonly directory: string;
}

/**
 * Returns the absolute path of `--out`; null if it is not set.
 * @throws ProblemError LT_CLI_USAGE if the output flags are invalid or the file of `--out` already exists.
 */
export function checkConversionFlags(context: Context, flags: ConversionFlags): string | null {
  const { test } = flags;
  if (flags.out !== undefined && flags.into !== undefined)
    throw usageError(
      '--out and --into cannot be combined',
      'use --out for a new file, or --into to add the test to an existing file',
    );
  if (test !== undefined && !isKey(test))
    throw usageError(
      `"${test}" is not a valid test key`,
      'use at most 64 letters, digits, "_", "." and "-"; the key must not begin with "x-"',
    );
  return newFileOf(context.directory, flags.out);
}

export async function convertSource(
  context: Context,
  source: IntakeSource,
  { format, writtenBy, flags, directory }: Conversion,
): Promise<Outcome> {
  const { test } = flags;
  const newFile = checkConversionFlags(context, flags);
  const existing = flags.into === undefined ? null : await readExisting(context, flags.into);
  const read = await formatOf(format).load();
  const { intake, secrets } = replaceSecrets(read(source));
  const outputDirectory = existing?.file.directory ?? dirname(newFile ?? resolve(context.directory, 'x'));
  const takenTestKeys = existing === null ? [] : testKeysIn(existing.file);
  if (test !== undefined && takenTestKeys.includes(test))
    throw usageError(`the test "${test}" already exists in ${flags.into}`, 'choose another key with --test');
  const written = writeIntakeFile(intake, {
    project: projectNameOf(context.directory),
    testKey: new UniqueNames(takenTestKeys, '-').take(test ?? testKeyOf(source, format)),
    declaredApps: existing?.apps ?? [],
    sourcePath: source.path,
    comments: [
      `yaml-language-server: $schema=${EDITOR_SCHEMA_PATH}`,
      `Written by "loadtests ${writtenBy}" from ${source.path}.`,
    ],
    directory: outputDirectory,
    readFile: readIncludedFile,
    realPath,
    ...createUploadReaders(outputDirectory, { readBytes: readRowsBytes, realPath }),
    relocate: (path) => relative(outputDirectory, resolve(directory, path)),
  });
  // Comments and notes can quote names from the source, which may contain secrets.
  const mask = new Mask(
    secrets.map(({ value }) => value).filter(({ length }) => length >= MIN_MASKED_LENGTH),
  );
  const text =
    existing === null
      ? maskComments(written.text, mask)
      : maskComments(insertIntoConfig(existing.file, { apps: written.apps, tests: [written.test] }), mask);
  if (existing === null) writeText(newFile, text, flags.out ?? '');
  else replaceText(context, existing.file, { text, name: flags.into ?? '' });
  const body: ConvertedBody = {
    command: 'import',
    format,
    source: source.path,
    project: existing?.project ?? projectNameOf(context.directory),
    file: flags.out ?? flags.into ?? null,
    text: newFile === null && existing === null ? text : null,
    apps: written.apps.map(({ host }) => host),
    tests: [`test.${written.test.key}`],
    requests: written.requests,
    changes: notesOfKind(written.notes, 'change', { source, mask }),
    losses: notesOfKind(written.notes, 'loss', { source, mask }),
    secrets: secretNamesOf(intake),
  };
  return createOutcome({
    exitCode: body.losses.length > 0 ? EXIT_LOSSES : 0,
    text: importText(body),
    rawOutput: body.text,
    body,
  });
}

/** Masks secrets in comment lines. In other lines, references have already replaced the secrets. */
function maskComments(text: string, mask: Mask): string {
  return text.replaceAll(/^\s*#.*$/gm, (line) => mask.apply(line));
}

type ConvertedBody = Omit<ConvertedDocument, 'format_version' | 'exit_code' | 'problems'>;

/** Minimum length of a masked secret, in characters. Shorter text can occur by chance. */
const MIN_MASKED_LENGTH = 6;

function notesOfKind(
  notes: readonly IntakeNote[],
  kind: IntakeNote['kind'],
  { source, mask }: { readonly source: IntakeSource; readonly mask: Mask },
): ConvertedDocument['losses'] {
  return notes
    .filter((note) => note.kind === kind)
    .map(({ at, message }) => ({ file: source.path, ...at, message: mask.apply(message) }));
}

/**
 * Returns the default test key: the name of the source without extension. For the command line and standard input, the
 * default is the format.
 */
function testKeyOf({ path }: IntakeSource, format: FormatName): string {
  return NOT_FILES.includes(path)
    ? format
    : keyOf(basename(path).replace(/(?:\.postman_collection)?\.[^.]*$/, ''), format);
}

export const COMMAND_LINE = 'the command line';
export const STANDARD_INPUT = 'standard input';
const NOT_FILES: readonly string[] = [COMMAND_LINE, STANDARD_INPUT];

interface ExistingFile {
  readonly file: ConfigText;
  readonly project: string;
  readonly apps: readonly { readonly key: string; readonly host: string }[];
}

/** @throws ProblemError with the first error of the file. */
async function readExisting(context: Context, path: string): Promise<ExistingFile> {
  const { directory } = context;
  const read = await readConfigFile(resolve(directory, path), { shown: path, directory });
  if (!read.ok) throw firstError(read.problems);
  const loaded = load(context, read.value);
  if (!loaded.ok) throw firstError(loaded.problems);
  const { project, apps } = loaded.value.desired;
  return { file: read.value, project, apps };
}

function firstError(problems: readonly Problem[]): ProblemError {
  const error = problems.find(({ severity }) => severity === 'error');
  if (error === undefined) throw new Error('Bug: a failed result contains no error');
  return new ProblemError(error);
}

function load(context: Context, file: ConfigText): Result<LoadedConfig> {
  return loadConfig({ ...configInput(context, file, {}), environment: null });
}

function writeText(path: string | null, text: string, name: string): void {
  if (path === null) return;
  try {
    writeNewFile(path, text);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw usageError(`"${name}" already exists and is not overwritten`);
    throw usageError(`"${name}" cannot be written: ${reasonOf(error)}`);
  }
}

/** Replaces the text of a configuration file if the new text is valid. @throws ProblemError */
function replaceText(
  context: Context,
  file: ConfigText,
  { text, name }: { text: string; name: string },
): void {
  const loaded = load(context, { ...file, text });
  if (!loaded.ok) throw firstError(loaded.problems);
  try {
    writeOutputFile(resolve(context.directory, name), text);
  } catch (error) {
    throw usageError(`"${name}" cannot be written: ${reasonOf(error)}`);
  }
}

/** Converts text of a format to a configuration file, as `import --from` does, and loads the file. */
import { expect } from 'vitest';
import { createUploadReaders } from '../../../src/config/included-files.ts';
import { writeIntakeFile } from '../../../src/config/intake-file.ts';
import type { Intake } from '../../../src/core/intake/intake.ts';
import { replaceSecrets } from '../../../src/core/intake/intake-secrets.ts';
import type { IntakeSource, SourceFile } from '../../../src/core/intake/source-text.ts';
import { formatOf, type FormatName } from '../../../src/formats/formats.ts';
import { loaded } from '../config/load-text.ts';

interface ConvertOptions {
  /** Texts of files by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly others?: IntakeSource['others'];
  readonly recording?: Partial<IntakeSource['recording']>;
  readonly selection?: Partial<IntakeSource['selection']>;
}

interface Converted {
  readonly text: string;
  /** Messages of the notes, each with its kind and position. */
  readonly notes: readonly string[];
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  readonly config: ReturnType<typeof loaded>;
}

/** Creates a source in memory. */
export function sourceOf(
  text: string,
  { files = {}, environment, others = [], recording, selection }: ConvertOptions = {},
): IntakeSource {
  const readFile = (path: string): SourceFile => {
    const found = files[path];
    return found === undefined ? { reason: 'cannot be read: no such file' } : { text: found };
  };
  return {
    path: 'source',
    text,
    readFile,
    environment: environment ?? null,
    others,
    recording: { hosts: null, staticFiles: false, ...recording },
    selection: { tags: [], paths: [], ...selection },
  };
}

export async function convert(
  format: FormatName,
  text: string,
  options: ConvertOptions = {},
): Promise<Converted> {
  return convertWith(await formatOf(format).load(), text, options);
}

/** Converts text with the reader of a format. */
export function convertWith(
  read: (source: IntakeSource) => Intake,
  text: string,
  options: ConvertOptions = {},
): Converted {
  const { intake, secrets } = replaceSecrets(read(sourceOf(text, options)));
  const files = filesIn('/shop', options.files ?? {});
  const fileAt = (path: string): string => {
    const found = files[path];
    if (found === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    return found;
  };
  const written = writeIntakeFile(intake, {
    project: 'shop',
    testKey: 'converted',
    declaredApps: [],
    sourcePath: 'source',
    comments: [],
    relocate: (path) => path,
    ...createUploadReaders('/shop', {
      readBytes: (path) => new TextEncoder().encode(fileAt(path)),
      realPath: (path) => path,
    }),
    directory: '/shop',
    readFile: fileAt,
    realPath: (path) => path,
  });
  return {
    text: written.text,
    notes: written.notes.map(({ kind, at, message }) => `${kind} ${at.line}:${at.column} ${message}`),
    secrets,
    config: loaded(written.text, { files }),
  };
}

function filesIn(directory: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${directory}/${name}`, text]));
}

/** Returns the lines of the converted test under `urls`, without their indentation. */
export function urlLines(text: string): readonly string[] {
  const lines = text.trimEnd().split('\n');
  const start = lines.findIndex((line) => line.trim() === 'urls:');
  expect(start, text).toBeGreaterThan(0);
  return lines.slice(start + 1).map((line) => line.slice(6));
}

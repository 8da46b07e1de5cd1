import type { IntakeRequest, IntakeRows } from '../core/intake/intake.ts';
import type { SourceFile } from '../core/intake/source-text.ts';
import { variableName } from './names.ts';

/**
 * @param columns - Names of the columns; empty if the first line of the file contains the names.
 * @param skipsHeader - True if the source does not use the first line as a row.
 * @returns The settings; null if the source skips a first line that differs from `columns`, because a configuration
 * file cannot express this.
 */
export function rowsOf(
  file: SourceFile,
  path: string,
  {
    columns,
    delimiter,
    skipsHeader,
  }: {
    readonly columns: readonly string[];
    readonly delimiter: string | null;
    readonly skipsHeader: boolean;
  },
): IntakeRows | null {
  const separator = delimiter === null || delimiter === ',' ? {} : { delimiter };
  const header = 'text' in file ? headerOf(file.text, delimiter ?? ',') : columns;
  if (columns.length === 0 || header.join() === columns.join()) return { file: path, ...separator };
  return skipsHeader ? null : { file: path, columns, ...separator };
}

export function headerOf(text: string, delimiter: string): readonly string[] {
  const [line = ''] = text.replace(/^\ufeff/, '').split(/\r?\n/, 1);
  return line.split(delimiter).map((value) => value.trim().replaceAll('"', ''));
}

/**
 * Returns the file with the first of the columns that a request uses; null if the request uses none of the columns.
 */
export function rowsUsedBy(
  request: Partial<IntakeRequest>,
  columns: ReadonlyMap<string, IntakeRows>,
): IntakeRows | null {
  const used = JSON.stringify(request);
  const expected = JSON.stringify(request.expect ?? null);
  const column = [...columns].find(
    ([name]) =>
      used.includes(`{"variable":${JSON.stringify(variableName(name))}}`) ||
      expected.includes(`{{${variableName(name)}}}`),
  );
  return column?.[1] ?? null;
}

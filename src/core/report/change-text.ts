/** Formats the changes of a plan as a diff, with the names and values of the file. */
import type { Json } from '../canonical.ts';
import { counted } from '../counted.ts';
import { printable } from '../printable.ts';
import { isObject } from '../unknown-value.ts';
import { align } from '../reconcile/align.ts';
import type { Change } from './generated/documents.ts';

/** `@` marks the name of a URL, and `!` a change that is described in words. */
export interface DiffLine {
  readonly sign: '+' | '-' | ' ' | '!' | '@';
  readonly text: string;
}

const MAX_LINE_LENGTH = 200;
const MAX_VALUE_LINES = 40;

export function diffLines(changes: readonly Change[]): readonly DiffLine[] {
  const urls = [...new Set(changes.map(({ url }) => url))].sort(
    (a, b) => Number(a !== null) - Number(b !== null),
  );
  return urls.flatMap((url) => [
    ...(url === null ? [] : [line('@', `URL ${url}`)]),
    ...changes.filter((change) => change.url === url).flatMap(linesOfChange),
  ]);
}

function linesOfChange(change: Change): readonly DiffLine[] {
  const { field, before, after, rows, kind } = change;
  if (field === null) {
    return [...valueLines('-', before), ...valueLines('+', after)];
  }
  if (kind === 'renamed') return [line('!', `renamed from ${changeValueText(before)}`)];
  if (change.rotated === true) return [line('!', `${field}: the value of the secret has changed`)];
  if (rows !== undefined) {
    const counts = `${counted(rows.added, 'row')} added, ${rows.removed} removed`;
    return before === after
      ? [line('!', `${field}: ${changeValueText(after)}: ${counts}`)]
      : [
          line('-', `${field}: ${changeValueText(before)}`),
          line('+', `${field}: ${changeValueText(after)} (${counts})`),
        ];
  }
  if (isHidden(before) && isHidden(after)) return [line('!', `${field}: the value has changed (not shown)`)];
  if (isLong(before) || isLong(after)) return [line(' ', `${field}:`), ...listDiff(before, after)];
  return [...fieldLine('-', field, before), ...fieldLine('+', field, after)];
}

function isHidden(value: Json): boolean {
  return value === '***';
}

/**
 * Reports whether a value is compared by lines or members: a string with line breaks, or a list that has several
 * members or contains objects.
 */
function isLong(value: Json): boolean {
  if (typeof value === 'string') return value.includes('\n');
  return Array.isArray(value) && (value.length > 1 || value.some((one) => isObject(one)));
}

function fieldLine(sign: '+' | '-', field: string, value: Json): readonly DiffLine[] {
  return value === null ? [] : [line(sign, `${field}: ${changeValueText(value)}`)];
}

function listDiff(before: Json, after: Json): readonly DiffLine[] {
  const [from, to] = [membersOf(before), membersOf(after)];
  const isSame = (a: string, b: string) => a === b;
  const pairs = align(from, to, { keys: [(text) => text], equal: isSame });
  const lines = pairs.flatMap(({ before: a, now: b }): readonly DiffLine[] => {
    const [old, now] = [from[a ?? -1], to[b ?? -1]];
    if (old === now) return [];
    return [
      ...(old === undefined ? [] : [line('-', `  ${old}`)]),
      ...(now === undefined ? [] : [line('+', `  ${now}`)]),
    ];
  });
  return limited(lines);
}

function membersOf(value: Json): readonly string[] {
  if (value === null) return [];
  if (typeof value === 'string') return value.replace(/\n$/, '').split('\n');
  return Array.isArray(value)
    ? (value as readonly Json[]).map((one) => `- ${changeValueText(one)}`)
    : [changeValueText(value)];
}

function limited(lines: readonly DiffLine[]): readonly DiffLine[] {
  const more = lines.length - MAX_VALUE_LINES;
  return more <= 0
    ? lines
    : [...lines.slice(0, MAX_VALUE_LINES), line(' ', `  … ${counted(more, 'more line')}`)];
}

/** Returns a whole test, app or URL as lines with the notation of the file. */
function valueLines(sign: '+' | '-', value: Json): readonly DiffLine[] {
  return value === null ? [] : limited(yamlLines(value).map((text) => line(sign, text)));
}

function yamlLines(value: Json): readonly string[] {
  if (!isObject(value)) return [changeValueText(value)];
  return Object.entries(value).flatMap(([name, own]) => {
    if (Array.isArray(own) && own.some((one) => isObject(one)))
      return [`${name}:`, ...(own as readonly Json[]).flatMap(itemLines)];
    if (isObject(own) && Object.keys(own).length > 0) return [`${name}:`, ...indented(yamlLines(own))];
    if (typeof own === 'string' && own.includes('\n'))
      return [`${name}: |`, ...indented(own.replace(/\n$/, '').split('\n'))];
    return [`${name}: ${changeValueText(own)}`];
  });
}

function itemLines(item: Json): readonly string[] {
  const [first = '', ...rest] = yamlLines(item);
  return [`  - ${first}`, ...indented(indented(rest))];
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((text) => `  ${text}`);
}

export function changeValueText(value: Json): string {
  if (typeof value === 'string') return value.includes('\n') ? JSON.stringify(value) : value;
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(changeValueText).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, member]) => `${name}: ${changeValueText(member)}`);
    return `{ ${members.join(', ')} }`;
  }
  return JSON.stringify(value);
}

function line(sign: DiffLine['sign'], text: string): DiffLine {
  const shown = printable(text);
  return { sign, text: shown.length > MAX_LINE_LENGTH ? `${shown.slice(0, MAX_LINE_LENGTH - 1)}…` : shown };
}

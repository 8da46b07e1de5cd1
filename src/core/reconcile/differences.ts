/** Field changes between what is there and what is wanted. Three-valued: equal, different, cannot be read back. */
import { canonical, type Json } from '../canonical.ts';
import type { LoadTestSpec, VariableSpec } from '../model/load-test.ts';
import { SPEC_DEFAULTS } from '../model/load-test.ts';
import { splitPointer } from '../pointer.ts';
import { readHidden, type Digests } from './digests.ts';
import type { Mark } from './mark.ts';
import type { FieldMap, FieldValue } from './normalize.ts';

export interface FieldChange {
  /** JSON Pointer with the API's field names. */
  readonly field: string;
  /** Null: not there, or its default. */
  readonly from: Json;
  readonly to: Json;
  /** False: the list cannot show the field; compared with what the mark says of the last apply. */
  readonly readable: boolean;
}

/** Values of these headers are never printed, wherever they come from. */
export const SENSITIVE_HEADERS: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
];

/** Changes of the fields that the list shows, in the order of the wanted fields. */
export function shownDifferences(observed: FieldMap, wanted: FieldMap): FieldChange[] {
  const fields = [...wanted.keys(), ...[...observed.keys()].filter((field) => !wanted.has(field))];
  return fields.flatMap((field) => {
    const from = observed.get(field);
    const to = wanted.get(field);
    if (sameValue(from, to)) return [];
    return [{ field, ...shownValues(field, from, to), readable: true }];
  });
}

/** A pattern equals every text that its plain parts allow: secrets are never compared. */
function sameValue(observed: FieldValue | undefined, wanted: FieldValue | undefined): boolean {
  if (typeof wanted !== 'object') return observed === wanted;
  if (typeof observed === 'object') return canonical(observed.parts) === canonical(wanted.parts);
  return observed !== undefined && fitsParts(wanted.parts, String(observed));
}

/**
 * Whether a text can be the parts in a row, with anything in the place of each secret.
 *
 * Shape:  from left to right, each part at its first place: a pattern from a file must not cost more than its length.
 */
export function fitsParts(parts: readonly (string | null)[], text: string): boolean {
  const [first = '', ...others] = plainStretches(parts);
  const last = others.pop();
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return false;
  let from = first.length;
  for (const stretch of others) {
    const at = text.indexOf(stretch, from);
    if (at < 0 || at + stretch.length > end) return false;
    from = at + stretch.length;
  }
  return true;
}

/** What stands before, between and behind the secrets. */
function plainStretches(parts: readonly (string | null)[]): readonly string[] {
  const stretches: string[] = [];
  let current = '';
  for (const part of parts) {
    if (part === null) {
      stretches.push(current);
      current = '';
    } else {
      current += part;
    }
  }
  return [...stretches, current];
}

function shownValues(field: string, from: FieldValue | undefined, to: FieldValue | undefined) {
  const path = splitPointer(field);
  const sensitive =
    typeof to === 'object' || (path[2] === 'headers' && SENSITIVE_HEADERS.includes(path[3] ?? ''));
  return { from: sensitive ? masked(from) : jsonOf(from), to: sensitive ? masked(to) : jsonOf(to) };
}

function masked(value: FieldValue | undefined): Json {
  if (value === undefined) return null;
  return typeof value === 'object' ? jsonOf(value) : '***';
}

function jsonOf(value: FieldValue | undefined): Json {
  if (value === undefined) return null;
  return typeof value === 'object' ? value.parts.map((part) => part ?? '***').join('') : value;
}

/** Changes of the fields that no list shows, as far as the mark of the last apply tells. */
export function hiddenDifferences(mark: Mark, spec: LoadTestSpec, wanted: Digests): FieldChange[] {
  if (mark.hidden === wanted.hidden) return [];
  const before = readHidden(mark.hidden);
  const now = readHidden(wanted.hidden);
  const changes: FieldChange[] = [];
  const threshold = spec.errorThreshold ?? SPEC_DEFAULTS.errorThreshold;
  if (before?.errorThreshold !== threshold) {
    changes.push({
      field: '/error_threshold',
      from: before?.errorThreshold ?? null,
      to: threshold,
      readable: false,
    });
  }
  if (before?.variables !== now?.variables) changes.push(variablesChange(spec));
  return changes;
}

function variablesChange(spec: LoadTestSpec): FieldChange {
  const withVariables = [...spec.targets.entries()].filter(
    ([, target]) => (target.variables ?? []).length > 0,
  );
  const [only] = withVariables;
  const to = withVariables.flatMap(([, target]) => (target.variables ?? []).map(variableText));
  return {
    field:
      withVariables.length === 1 && only !== undefined ? `/urls/${only[0]}/variables` : '/urls/*/variables',
    from: null,
    to,
    readable: false,
  };
}

function variableText(variable: VariableSpec): string {
  return `${variable.name} = ${variable.source} ${variable.property}`;
}

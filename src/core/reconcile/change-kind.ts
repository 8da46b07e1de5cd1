/** Kinds of changes to the fields of a file, such as loosened thresholds. */
import type { Json } from '../canonical.ts';
import { CONNECTION_NAMES, TLS_VERSIONS } from '../model/connection.ts';
import { SPEC_DEFAULTS } from '../model/load-test.ts';
import { parseAllowed } from '../model/regression.ts';
import { TEST_FIELDS } from '../model/test-fields.ts';
import { parseThreshold, requiredSamples } from '../model/threshold.ts';
import { parseDuration } from '../units.ts';

/**
 * Kind of a change to a field. After a `loosened` change, results that failed can pass, or plans that were refused can
 * be permitted.
 */
export type ChangeKind = 'added' | 'removed' | 'loosened' | 'tightened' | 'changed' | 'renamed';

interface Values {
  readonly before: Json;
  readonly after: Json;
  readonly added: boolean;
  readonly removed: boolean;
}

/**
 * Returns the kind of a change to a field.
 * @param path - names of the field and of the maps that contain it, within its section or request
 */
export function changeKind(address: string, path: readonly string[], values: Values): ChangeKind {
  const own = ownKind(address, path, values);
  if (own !== null) return own;
  return values.added ? 'added' : values.removed ? 'removed' : 'changed';
}

/** Returns the kind of a change according to the meaning of its field; null if no rule for the field applies. */
function ownKind(address: string, path: readonly string[], values: Values): ChangeKind | null {
  const { before, after, added, removed } = values;
  const [name = '', group] = [path.at(-1), path.at(-2)];
  if (address === 'limits') return added || removed ? null : limitKind(name, before, after);
  if (group === TEST_FIELDS.connection.name && name === CONNECTION_NAMES.tlsMin)
    return tlsKind(before, after);
  if (!address.startsWith('test.')) return null;
  if (path.includes('expect')) return expectKind(name, values);
  if (group === 'thresholds') return added || removed ? null : thresholdKind(name, before, after);
  if (path.at(-3) === 'thresholds') return thresholdOptionKind(group ?? '', name, values);
  if (group === 'regression') return added || removed ? null : regressionKind(before, after);
  if (path.length > 1) return null;
  switch (name) {
    case 'error_threshold':
      return orderKind(
        numberOf(before ?? SPEC_DEFAULTS.errorThreshold),
        numberOf(after ?? SPEC_DEFAULTS.errorThreshold),
      );
    case 'timeout':
      return orderKind(timeOf(before ?? SPEC_DEFAULTS.timeout), timeOf(after ?? SPEC_DEFAULTS.timeout));
    case 'tls_verify':
      return isFalse(after) ? 'loosened' : isFalse(before) ? 'tightened' : null;
    default:
      return null;
  }
}

function isFalse(value: Json): boolean {
  return value === false || value === 'false';
}

function tlsKind(before: Json, after: Json): ChangeKind | null {
  const [lowest] = TLS_VERSIONS;
  return orderKind(numberOf(after ?? lowest), numberOf(before ?? lowest));
}

/**
 * Returns the kind of a change to a number whose higher values are less strict; null if a number is missing or both are
 * equal.
 */
function orderKind(before: number | null, after: number | null): ChangeKind | null {
  if (before === null || after === null || before === after) return null;
  return after > before ? 'loosened' : 'tightened';
}

function numberOf(value: Json): number | null {
  const number = typeof value === 'number' ? value : typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

/** Returns a duration in ms, or a plain number unchanged; null for any other value. */
function timeOf(value: Json): number | null {
  return (typeof value === 'string' ? parseDuration(value) : null) ?? numberOf(value);
}

function limitKind(name: string, before: Json, after: Json): ChangeKind | null {
  if (name === 'max_duration') return orderKind(secondsOf(before), secondsOf(after));
  if (Array.isArray(before) && Array.isArray(after)) {
    // TypeScript would type the members as `any` without these assertions.
    const [from, to] = [before as readonly Json[], after as readonly Json[]];
    return to.some((pattern) => !from.includes(pattern)) ? 'loosened' : 'tightened';
  }
  return orderKind(numberOf(before), numberOf(after));
}

function secondsOf(value: Json): number | null {
  const parsed = typeof value === 'string' ? parseDuration(value) : null;
  return parsed === null ? numberOf(value) : parsed / 1000;
}

function thresholdKind(metric: string, before: Json, after: Json): ChangeKind {
  if (typeof before !== 'string' || typeof after !== 'string') return 'changed';
  const [from, to] = [before, after].map((text) => parseThreshold(metric, text));
  if (from == null || to == null) return 'changed';
  const isUpper = from.operator.startsWith('<');
  if (isUpper !== to.operator.startsWith('<')) return 'changed';
  const wider = from.value === to.value ? to.operator.endsWith('=') : to.value > from.value === isUpper;
  return wider ? 'loosened' : 'tightened';
}

/** Returns the kind of a change to an option of a threshold. A higher minimum number of responses is stricter. */
function thresholdOptionKind(metric: string, option: string, { before, after }: Values): ChangeKind | null {
  if (option === 'abort_after') return orderKind(timeOf(before), timeOf(after));
  if (option !== 'min_samples') return 'changed';
  const [from, to] = [before, after].map((value) => numberOf(value) ?? requiredSamples({ metric }));
  return orderKind(to ?? null, from ?? null);
}

function regressionKind(before: Json, after: Json): ChangeKind | null {
  const [from = null, to = null] = [before, after].map((value) =>
    typeof value === 'string' ? parseAllowed(value) : null,
  );
  return orderKind(from, to);
}

function expectKind(name: string, { before, after, added, removed }: Values): ChangeKind | null {
  if (removed) return 'removed';
  if (added) return 'added';
  if (name !== 'status') return null;
  const [from, to] = [before, after].map(statusesOf);
  if (from === undefined || to === undefined) return null;
  const covers = (wide: readonly string[], one: string) =>
    wide.includes(one) || wide.includes(`${one.charAt(0)}xx`);
  if (from.every((one) => covers(to, one))) return 'loosened';
  return to.every((one) => covers(from, one)) ? 'tightened' : 'changed';
}

function statusesOf(value: Json): readonly string[] {
  const list = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return list.map((one) => JSON.stringify(one).replaceAll('"', '').toLowerCase());
}

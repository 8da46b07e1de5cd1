/** The requests of a test in the file, under `urls`, its flows and their groups, as one list. */
import type { Flow } from '../core/model/flow.ts';
import { MAX_WEIGHT } from '../core/model/flow.ts';
import {
  comparisonText,
  onlyVariableOf,
  parseComparison,
  type ExpectedValue,
  type VariableCondition,
} from '../core/model/condition.ts';
import { MAX_ITERATION_REQUESTS, type ForEach, type Group, type RepeatUntil } from '../core/model/group.ts';
import type { PhaseName } from '../core/model/phase.ts';
import { originOf } from '../core/model/resolved-url.ts';
import { readUrl } from '../core/model/url.ts';
import { TEST_FIELDS, URL_FIELDS } from '../core/model/test-fields.ts';
import { withoutUndefined } from '../core/present-fields.ts';
import { pointerOf } from '../core/pointer.ts';
import type { FieldPath } from '../core/field-reference.ts';
import { REQUEST_LISTS } from './defaults.ts';
import type { TestEntry, UrlEntry } from './generated/config-file.ts';
import { lowerExpected, lowerPlainTexts } from './lower-target.ts';
import { addError, fieldOf, lowerInteger, type LoweringContext } from './quantities.ts';

interface LocatedEntry {
  readonly entry: UrlEntry;
  readonly pointer: string;
  /** `on_failure` of the entry, or of the innermost enclosing group, flow or test that sets it. */
  readonly onFailure: UrlEntry['on_failure'];
}

/** A group, with the range of its requests in the list of all requests. */
interface LocatedGroup extends LocatedEntry, Pick<Group, 'first' | 'count'> {}

/** Returns the field that contains the requests of a group; null for an entry without such a list. */
function requestListOf(entry: UrlEntry): (typeof REQUEST_LISTS)[number] | null {
  return REQUEST_LISTS.find((name) => entry[name] !== undefined) ?? null;
}

/** Reports whether an entry is a group: an entry with a list of requests, or a single request with a condition. */
function isGroup(entry: UrlEntry): boolean {
  return requestListOf(entry) !== null || entry.when !== undefined;
}

export interface RequestEntries {
  readonly urls: readonly LocatedEntry[];
  /** Groups; each precedes the groups that it contains. */
  readonly groups: readonly LocatedGroup[];
}

/**
 * Returns the requests of a test in the order of the API, and their groups.
 * @param at - Pointer of the test.
 */
export function requestEntriesOf(entry: TestEntry, at: string): RequestEntries {
  const urls: LocatedEntry[] = [];
  const groups: LocatedGroup[] = [];
  const add = (
    entries: Pick<UrlEntry, 'urls' | 'parallel'>,
    pointer: string,
    inherited: UrlEntry['on_failure'],
  ): void => {
    const name = requestListOf(entries) ?? 'urls';
    (entries[name] ?? []).forEach((item, index) => {
      // After the expansion of defaults, each entry is a map, but the type does not express this.
      const url: UrlEntry = typeof item === 'string' ? { url: item } : item;
      const onFailure = url.on_failure ?? inherited;
      const located = { entry: url, pointer: `${pointer}/${name}/${index}`, onFailure };
      const first = urls.length;
      const place = isGroup(located.entry) ? groups.push({ ...located, first, count: 0 }) - 1 : null;
      if (requestListOf(url) === null) urls.push(located);
      else add(url, located.pointer, onFailure);
      if (place !== null) groups[place] = { ...located, first, count: urls.length - first };
    });
  };
  const { urls: own, on_start: onStart = {} } = entry;
  add(onStart, `${at}/on_start`, entry.on_failure);
  if (entry.flows === undefined && own !== undefined) add({ urls: own }, at, entry.on_failure);
  for (const [name, flow] of Object.entries(entry.flows ?? {}))
    add(flow, flowPointer(at, name), flow.on_failure ?? entry.on_failure);
  return { urls, groups };
}

/**
 * Returns an origin for each URL that consists of one variable, such as `{{next}}`; null for other URLs. The origin is
 * that of the request that sets the variable, otherwise that of the first request with a host, if any.
 * @param before - Requests that are performed before these ones.
 */
export function variableOrigins(
  { urls, groups }: RequestEntries,
  before: RequestEntries,
): readonly (string | null)[] {
  const lists = new Map(
    [...before.groups, ...groups].flatMap(({ entry }) =>
      Object.entries(entry.for_each ?? {}).map(([item, list]) => [item, onlyVariableOf(String(list))]),
    ),
  );
  const origins = new Map<string, string>();
  const all = [...before.urls, ...urls].map(({ entry }) => {
    const read = readUrl(entry.url ?? '');
    return { entry, origin: read && originOf(read) };
  });
  const first = all.find(({ origin }) => origin !== null)?.origin ?? null;
  return all
    .map(({ entry, origin: own }) => {
      const variable = onlyVariableOf(entry.url ?? '');
      const resolved = variable === null ? null : (origins.get(lists.get(variable) ?? variable) ?? first);
      const origin = own ?? resolved;
      if (origin !== null) for (const { name } of entry.variables ?? []) origins.set(name, origin);
      return resolved;
    })
    .slice(before.urls.length);
}

export function urlEntriesOf(entry: TestEntry, at: string): readonly LocatedEntry[] {
  return requestEntriesOf(entry, at).urls;
}

export function phaseEntriesOf(entry: TestEntry, name: PhaseName, at: string): RequestEntries {
  const urls = entry[name]?.urls;
  return requestEntriesOf(urls === undefined ? {} : { urls }, `${at}/${name}`);
}

export function flowPointer(at: string, name: string): string {
  return at + pointerOf([TEST_FIELDS.flows.name, name]);
}

export function lowerFlows(to: LoweringContext, { flows }: TestEntry, at: string): readonly Flow[] | null {
  if (flows === undefined) return null;
  return Object.entries(flows).map(([name, flow]) => {
    const pointer = flowPointer(at, name);
    if (flow.urls === undefined && to.isComplete(pointer)) {
      const message = `the flow "${name}" has no "urls"; set them, such as "urls: [https://…/]"`;
      addError(to, 'LT_CONFIG_SHAPE', message, to.locations.key(pointer));
    }
    const weight = lowerInteger(to, fieldOf(flow, 'weight', pointer), { min: 1, max: MAX_WEIGHT });
    const values = flow.values && lowerPlainTexts(to, flow.values, `${pointer}/values`);
    return {
      name,
      weight: weight ?? 1,
      urls: urlEntriesOf(flow.urls === undefined ? {} : { urls: flow.urls }, '').length,
      ...(values === undefined ? {} : { values }),
    };
  });
}

export function lowerOnStart(
  to: LoweringContext,
  { on_start: onStart }: TestEntry,
  at: string,
): number | null {
  if (onStart === undefined) return null;
  const pointer = `${at}/on_start`;
  if (onStart.urls === undefined && to.isComplete(pointer)) {
    const message = `"on_start" has no "urls"; set them, such as "urls: [https://…/login]"`;
    addError(to, 'LT_CONFIG_SHAPE', message, to.locations.key(pointer));
  }
  const { urls, groups } = requestEntriesOf(
    onStart.urls === undefined ? {} : { urls: onStart.urls },
    pointer,
  );
  for (const { pointer: group } of groups) {
    const message = '"on_start" cannot contain groups or "when"; write its requests without them';
    addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(group));
  }
  return urls.length === 0 ? null : urls.length;
}

const GROUP_FIELDS: ReadonlySet<string> = new Set([
  ...REQUEST_LISTS,
  'repeat',
  'for_each',
  'when',
  'on_failure',
]);

export function lowerGroups(to: LoweringContext, { urls, groups }: RequestEntries): readonly Group[] | null {
  for (const { entry: url, pointer } of urls) {
    const name = url.repeat !== undefined ? 'repeat' : url.for_each !== undefined ? 'for_each' : null;
    if (name === null || !to.isComplete(pointer)) continue;
    const message = `"${name}" applies only to a group of requests; write the requests under "urls", next to "${name}"`;
    addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${pointer}/${name}`));
  }
  if (groups.length === 0) return null;
  return groups.map(({ entry: group, pointer, first, count }) => {
    if (requestListOf(group) !== null) checkGroupFields(to, group, pointer);
    return withoutUndefined({
      first,
      count,
      repeat: group.repeat === undefined ? undefined : lowerRepeat(to, group, pointer),
      forEach: group.for_each && lowerList(to, group.for_each, `${pointer}/for_each`),
      when: group.when && lowerConditions(to, group.when, `${pointer}/when`),
      parallel: group.parallel && (true as const),
    });
  });
}

function checkGroupFields(to: LoweringContext, group: UrlEntry, pointer: string): void {
  const others = Object.keys(group).filter((name) => !GROUP_FIELDS.has(name) && !name.startsWith('x-'));
  for (const other of others) {
    const message = `"${other}" applies only to a request, but this entry is a group; write "${other}" in the requests of the group`;
    addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${pointer}/${other}`));
  }
  if (others.length > 0) return;
  if (group.urls !== undefined && group.parallel !== undefined) {
    const message =
      '"urls" and "parallel" cannot be combined; write the requests of "urls" before or after this group';
    addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${pointer}/parallel`));
  } else if (
    [group.repeat, group.for_each, group.when, group.parallel].every((one) => one === undefined) &&
    to.isComplete(pointer)
  ) {
    const message =
      'the group does not set "repeat", "for_each" or "when"; set one of them, such as "repeat: 3", or write the requests without a group';
    addError(to, 'LT_CONFIG_SHAPE', message, to.locations.key(pointer));
  }
}

function lowerRepeat(to: LoweringContext, group: UrlEntry, pointer: string): number | RepeatUntil {
  const bounds = { min: 1, max: MAX_ITERATION_REQUESTS };
  const { repeat } = group;
  if (typeof repeat !== 'object')
    return lowerInteger(to, fieldOf({ ...group, repeat }, 'repeat', pointer), bounds) ?? 1;
  const at = `${pointer}/repeat`;
  for (const name of ['at_most', 'until'] as const) {
    if (repeat[name] !== undefined || !to.isComplete(at)) continue;
    const message = `"repeat" has no "${name}"; set "at_most" and "until", such as "repeat: { at_most: 20, until: { state: done } }"`;
    addError(to, 'LT_CONFIG_SHAPE', message, to.locations.key(at));
  }
  return {
    atMost: lowerInteger(to, fieldOf(repeat, 'at_most', at), bounds) ?? 1,
    until: lowerConditions(to, repeat.until ?? {}, `${at}/until`),
  };
}

/** Lowers `{ NAME: [values] }`, or `{ NAME: '{{list}}', at_most: 50 }`. */
function lowerList(to: LoweringContext, entry: NonNullable<UrlEntry['for_each']>, at: string): ForEach {
  const [name = 'item', ...others] = Object.keys(entry).filter((key) => key !== 'at_most');
  const add = (message: string, pointer: string) => addError(to, 'LT_CONFIG_VALUE', message, pointer);
  const example =
    'for example "for_each: { size: [small, large] }" or "for_each: { item: \'{{items}}\', at_most: 50 }"';
  const list = entry[name];
  if ((list === undefined || others.length > 0) && to.isComplete(at))
    add(`"for_each" must have exactly one variable; write ${example}`, at);
  const pointer = at + pointerOf([name]);
  if (Array.isArray(list)) {
    if (entry['at_most'] !== undefined)
      add('"at_most" has no effect on a list that is written in the file; remove "at_most"', `${at}/at_most`);
    return { name, values: list.map(String) };
  }
  const variable = typeof list === 'string' ? onlyVariableOf(list) : null;
  if (variable === null && list !== undefined)
    add(`"${name}" must be a list, or a single variable whose value is a list; write ${example}`, pointer);
  if (entry['at_most'] === undefined && variable !== null) {
    const message = `"for_each" has no "at_most"; set it to the maximum number of items, which the plan needs to calculate the load`;
    add(message, pointer);
  }
  const field = {
    value: entry['at_most'] as number | string | undefined,
    pointer: `${at}/at_most`,
    name: 'at_most',
  };
  const atMost = lowerInteger(to, field, { min: 1, max: MAX_ITERATION_REQUESTS });
  return { name, list: variable ?? '', atMost: atMost ?? 1 };
}

function lowerConditions(
  to: LoweringContext,
  conditions: NonNullable<UrlEntry['when']>,
  at: string,
): readonly VariableCondition[] {
  return Object.entries(conditions).map(([name, written]) => {
    const value = lowerExpected(to, written, at + pointerOf([name]));
    return { name, value: isComparison(value) ? { number: comparisonText(value) } : value };
  });
}

/** Reports whether a value is a comparison with an operator, such as `> 0`. */
function isComparison(value: ExpectedValue): value is string {
  return typeof value === 'string' && /^\s*[<>=!]/.test(value) && parseComparison(value) !== null;
}

export function checkUrlsConflict(to: LoweringContext, entry: TestEntry, at: string): void {
  if (entry.urls === undefined || entry.flows === undefined) return;
  const message =
    '"urls" and "flows" cannot be combined; move the requests of "urls" into a flow, or remove "flows"';
  addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${at}/urls`));
}

/** Converts a path in the API, relative to the test, to a pointer in the file. */
export function pointerInFile(entry: TestEntry, path: FieldPath): string {
  const [list, index, ...more] = path;
  if (list === 'setup' || list === 'teardown') {
    const [at, ...rest] = more;
    if (list === 'setup' && at === 0 && rest[0] === URL_FIELDS.payloadFile.name) return '/setup/rows';
    const { urls, groups } = phaseEntriesOf(entry, list, '');
    const located = typeof at === 'number' ? (index === 'urls' ? urls : groups)[at] : undefined;
    return located === undefined ? pointerOf(path) : located.pointer + pointerOf(rest);
  }
  if (list === 'urls' && index === undefined && entry.flows !== undefined)
    return pointerOf([TEST_FIELDS.flows.name]);
  if (typeof index !== 'number') return pointerOf(path);
  if (list === 'urls') return (urlEntriesOf(entry, '')[index]?.pointer ?? '') + pointerOf(more);
  if (list === TEST_FIELDS.groups.name)
    return (requestEntriesOf(entry, '').groups[index]?.pointer ?? '') + pointerOf(more);
  if (list !== TEST_FIELDS.flows.name) return pointerOf(path);
  const name = Object.keys(entry.flows ?? {})[index] ?? '';
  return flowPointer('', name) + pointerOf(more[0] === 'name' ? [] : more);
}

/** The requests of a test in the file, below `urls`, its flows and their groups, as one list. */
import type { Flow } from '../core/model/flow.ts';
import { MAX_WEIGHT } from '../core/model/flow.ts';
import { MAX_ITERATION_REQUESTS, type Group } from '../core/model/group.ts';
import type { PhaseName } from '../core/model/phase.ts';
import { TEST_FIELDS } from '../core/model/test-fields.ts';
import { pointerOf } from '../core/pointer.ts';
import type { FieldPath } from '../core/field-reference.ts';
import type { TestEntry, UrlEntry } from './generated/config-file.ts';
import { lowerPlainTexts } from './lower-target.ts';
import { addError, fieldOf, lowerInteger, type LoweringContext } from './quantities.ts';

/** An entry of a list of requests with its pointer. */
interface LocatedEntry {
  readonly entry: UrlEntry;
  readonly pointer: string;
}

/** A group, as the range of its requests in the order of the API. */
interface LocatedGroup extends LocatedEntry, Pick<Group, 'first' | 'count'> {}

interface RequestEntries {
  /** Requests in the order of the API. */
  readonly urls: readonly LocatedEntry[];
  /** Groups; each precedes the groups that it contains. */
  readonly groups: readonly LocatedGroup[];
}

/**
 * Returns the requests of a test in the order of the API, and their groups.
 * @param at - pointer of the test
 */
export function requestEntriesOf(entry: TestEntry, at: string): RequestEntries {
  const urls: LocatedEntry[] = [];
  const groups: LocatedGroup[] = [];
  const add = (list: TestEntry['urls'], pointer: string): void => {
    (list ?? []).forEach((item, index) => {
      const located = { entry: toUrlEntry(item), pointer: `${pointer}/urls/${index}` };
      if (located.entry.urls === undefined) {
        urls.push(located);
        return;
      }
      const first = urls.length;
      const place = groups.push({ ...located, first, count: 0 }) - 1;
      add(located.entry.urls, located.pointer);
      groups[place] = { ...located, first, count: urls.length - first };
    });
  };
  if (entry.flows === undefined) add(entry.urls, at);
  for (const [name, flow] of Object.entries(entry.flows ?? {})) add(flow.urls, flowPointer(at, name));
  return { urls, groups };
}

/** Returns the requests of a test in the order of the API. */
export function urlEntriesOf(entry: TestEntry, at: string): readonly LocatedEntry[] {
  return requestEntriesOf(entry, at).urls;
}

/**
 * Returns the requests of a phase, such as `setup`, and their groups.
 * @param at - pointer of the test
 */
export function phaseEntriesOf(entry: TestEntry, name: PhaseName, at: string): RequestEntries {
  const urls = entry[name]?.urls;
  return requestEntriesOf(urls === undefined ? {} : { urls }, `${at}/${name}`);
}

/** Returns the map form of a URL. The expansion of defaults creates it, but the type does not express this. */
function toUrlEntry(url: string | UrlEntry): UrlEntry {
  return typeof url === 'string' ? { url } : url;
}

/**
 * Returns the pointer of a flow.
 * @param at - pointer of the test
 */
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

/** Fields of groups; all other fields belong to requests. */
const GROUP_FIELDS: ReadonlySet<string> = new Set(['urls', 'repeat']);

export function lowerGroups(to: LoweringContext, entry: TestEntry, at: string): readonly Group[] | null {
  const { urls, groups } = requestEntriesOf(entry, at);
  for (const { entry: url, pointer } of urls) {
    const field = Object.keys(url).find((name) => GROUP_FIELDS.has(name));
    if (field === undefined || !to.isComplete(pointer)) continue;
    const message = `"${field}" belongs to a group of requests; write the requests below "urls", next to "${field}"`;
    addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${pointer}/${field}`));
  }
  if (groups.length === 0) return null;
  return groups.map(({ entry: group, pointer, first, count }) => {
    const other = Object.keys(group).find((name) => !GROUP_FIELDS.has(name) && !name.startsWith('x-'));
    if (other !== undefined) {
      const message = `"${other}" belongs to a request, but this entry is a group; write "${other}" in the requests of the group`;
      addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${pointer}/${other}`));
    }
    if (group.repeat === undefined && to.isComplete(pointer)) {
      const message =
        'the group has no "repeat"; set it, such as "repeat: 3", or write the requests without a group';
      addError(to, 'LT_CONFIG_SHAPE', message, to.locations.key(pointer));
    }
    const bounds = { min: 1, max: MAX_ITERATION_REQUESTS };
    return { first, count, repeat: lowerInteger(to, fieldOf(group, 'repeat', pointer), bounds) ?? 1 };
  });
}

/** Rejects a test that has both `urls` and `flows`. */
export function checkUrlsConflict(to: LoweringContext, entry: TestEntry, at: string): void {
  if (entry.urls === undefined || entry.flows === undefined) return;
  const message =
    '"urls" and "flows" cannot be combined; move the requests into a flow, or remove one of them';
  addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${at}/urls`));
}

/** Returns the pointer in the file of a path in the API, relative to the test. */
export function pointerInFile(entry: TestEntry, path: FieldPath): string {
  const [list, index, ...more] = path;
  if (list === 'urls' && index === undefined && entry.flows !== undefined)
    return pointerOf([TEST_FIELDS.flows.name]);
  if (typeof index !== 'number') return pointerOf(path);
  if (list === 'urls') return (urlEntriesOf(entry, '')[index]?.pointer ?? '') + pointerOf(more);
  if (list === TEST_FIELDS.groups.name)
    return (requestEntriesOf(entry, '').groups[index]?.pointer ?? '') + pointerOf(more);
  if (list !== TEST_FIELDS.flows.name) return pointerOf(path);
  const name = Object.keys(entry.flows ?? {})[index] ?? '';
  // The name of a flow is its key.
  return flowPointer('', name) + pointerOf(more[0] === 'name' ? [] : more);
}

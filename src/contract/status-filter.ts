/** `status=` of a list: which of its records are asked for. */
import { ROUTES } from './routes.ts';

type FilteredList = 'listApps' | 'listTests' | 'listResults';

/** By the words that a list is asked with. */
const STATUSES: Readonly<Record<FilteredList, ReadonlyMap<string, readonly string[]>>> = {
  listApps: toStatusMap(['verified', 'unverified']),
  listTests: new Map([
    ...toStatusMap(['pending', 'running', 'complete']),
    ['active', ['pending', 'running']],
  ]),
  listResults: toStatusMap(['ready', 'not_ready']),
};

function toStatusMap(own: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return new Map(own.map((word) => [word, [word]]));
}

/** @param path of a GET: the words that its list may be asked with; none where it takes no such question */
export function statusValuesOf(path: string): readonly string[] {
  const names = Object.keys(STATUSES) as FilteredList[]; // the table's own keys
  const name = names.find((one) => ROUTES[one].path === path);
  return name === undefined ? [] : [...STATUSES[name].keys()];
}

export interface WithStatus {
  readonly status?: string | null | undefined;
}

/**
 * Tells which records a list is asked for.
 *
 * @param asked the value of the parameter; a list where it was given several times
 */
export function readStatusFilter(
  list: FilteredList,
  asked: unknown,
): { readonly value: (record: WithStatus) => boolean } | { readonly faults: readonly string[] } {
  const known = STATUSES[list];
  const texts = (Array.isArray(asked) ? asked : [asked]).map((one) =>
    typeof one === 'string' ? one.trim().toLowerCase() : '',
  );
  const given = texts.filter((text) => text !== '');
  if (given.length === 0) return { value: () => true };
  const wanted = new Set(given.flatMap((text) => known.get(text) ?? []));
  if (given.every((text) => known.has(text))) return { value: ({ status }) => wanted.has(status ?? '') };
  const may = [...known.keys()].map((word) => `"${word}"`);
  return { faults: [`"status" must be one of ${may.join(', ')}`] };
}

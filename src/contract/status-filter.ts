import { ROUTES } from './routes.ts';

type FilteredList = 'listApps' | 'listTests' | 'listResults';

const STATUSES: Readonly<Record<FilteredList, ReadonlyMap<string, readonly string[]>>> = {
  listApps: toStatusMap(['verified', 'unverified']),
  listTests: new Map([
    ...toStatusMap(['pending', 'running', 'complete']),
    ['active', ['pending', 'running']],
  ]),
  listResults: toStatusMap(['ready', 'not_ready']),
};

function toStatusMap(statuses: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return new Map(statuses.map((status) => [status, [status]]));
}

/** Returns the accepted values of `status` for a route; empty if the route has no such filter. */
export function statusValuesOf(path: string): readonly string[] {
  const names = Object.keys(STATUSES) as FilteredList[]; // The names are the keys of the table.
  const name = names.find((list) => ROUTES[list].path === path);
  return name === undefined ? [] : [...STATUSES[name].keys()];
}

export interface WithStatus {
  readonly status?: string | null | undefined;
}

/**
 * Returns a function that reports whether a record matches the filter, or faults if a value is not accepted.
 * @param query - Value of the query parameter; a list if the parameter is repeated.
 */
export function readStatusFilter(
  list: FilteredList,
  query: unknown,
): { readonly value: (record: WithStatus) => boolean } | { readonly faults: readonly string[] } {
  const accepted = STATUSES[list];
  const values = (Array.isArray(query) ? query : [query]).map((value) =>
    typeof value === 'string' ? value.trim().toLowerCase() : '',
  );
  const requested = values.filter((value) => value !== '');
  if (requested.length === 0) return { value: () => true };
  const statuses = new Set(requested.flatMap((value) => accepted.get(value) ?? []));
  if (requested.every((value) => accepted.has(value)))
    return { value: ({ status }) => statuses.has(status ?? '') };
  const names = [...accepted.keys()].map((value) => `"${value}"`);
  return { faults: [`"status" must be one of ${names.join(', ')}`] };
}

/** Differences between two versions of a file, in the notation of the file. */
import { canonical, type Json } from '../canonical.ts';
import { groupBy } from '../group-by.ts';
import type { FileContent, FileField, FileSection, RequestFields } from '../model/file-content.ts';
import { keyOfAddress, testAddress, type TestKey } from '../model/ids.ts';
import type { SourceLocation } from '../source-location.ts';
import { align, type Similarity } from './align.ts';
import { changeKind, type ChangeKind } from './change-kind.ts';

export interface FileChange {
  /** Section of the file: `test.KEY`, `app.KEY`, `environment.NAME`, or a key of the file such as `limits`. */
  readonly address: string;
  /** Label of the request that the field belongs to; null for other fields. */
  readonly url: string | null;
  /** Path of the field within its section or request: `thresholds.p95`; null for a whole section or request. */
  readonly field: string | null;
  readonly kind: ChangeKind;
  /** Value in the earlier file, for display; null if it is not set. */
  readonly before: Json;
  readonly after: Json;
  /** Numbers of added and removed rows of a payload file; null for other fields. */
  readonly rows: { readonly added: number; readonly removed: number } | null;
  /** Names of the secrets in both values; null if the names are equal. */
  readonly secrets: { readonly before: readonly string[]; readonly after: readonly string[] } | null;
  /** Location in the later file; null if the value was removed. */
  readonly source: SourceLocation | null;
}

interface Sides {
  readonly before: FileContent;
  readonly after: FileContent;
}

/** Name of the section with renamed tests. Changes of this section are reported as changes of the tests. */
const MOVED = 'moved';

/** Name of the section with the project. The addition of this section is not reported. */
const PROJECT = 'project';

/**
 * Returns the changes between two versions of a file, in the order of the later file.
 * @param moved - current keys of renamed tests, by previous key
 */
export function findFileChanges(
  before: FileContent,
  after: FileContent,
  moved: ReadonlyMap<TestKey, TestKey>,
): readonly FileChange[] {
  const renamed = renamedTests(before, after, moved);
  const sides = { before, after };
  const paired = new Set<string>();
  const changes = [...after.sections].flatMap(([address, section]): readonly FileChange[] => {
    if (address === MOVED || (address === PROJECT && !before.sections.has(PROJECT))) return [];
    const formerAddress = before.sections.has(address) ? address : (renamed.get(address) ?? address);
    const former = before.sections.get(formerAddress);
    if (former === undefined) return wholeSection(address, null, section, sides);
    paired.add(formerAddress);
    const changes = sectionChanges(address, former, section, sides);
    if (formerAddress === address) return changes;
    const keys = { before: keyOfAddress(formerAddress), after: keyOfAddress(address) };
    const { source } = section;
    return [changeOf(address, { field: 'key', kind: 'renamed', ...keys, source }), ...changes];
  });
  const removed = [...before.sections]
    .filter(([address]) => !paired.has(address) && address !== MOVED && !after.sections.has(address))
    .flatMap(([address, section]) => wholeSection(address, section, null, sides));
  return [...changes, ...removed];
}

/**
 * Returns the previous addresses of renamed tests, keyed by current address. A renamed test has an entry in `moved`, or
 * an unchanged `id`.
 */
function renamedTests(
  before: FileContent,
  after: FileContent,
  moved: ReadonlyMap<TestKey, TestKey>,
): ReadonlyMap<string, string> {
  const addresses = new Map<string | null, string>();
  for (const [address, section] of before.sections) {
    const id = idOf(section);
    if (id !== null) addresses.set(id, address);
  }
  const adopted = [...after.sections].map(([address, section]): [string, string] => [
    address,
    addresses.get(idOf(section)) ?? address,
  ]);
  const named = [...moved].map(([from, to]): [string, string] => [testAddress(to), testAddress(from)]);
  const isRenamed = ([, former]: readonly [string, string]) =>
    before.sections.has(former) && !after.sections.has(former);
  return new Map([...adopted, ...named].filter(isRenamed));
}

function idOf({ fields }: FileSection): string | null {
  const field = fields.find(({ path }) => path.length === 1 && path[0] === 'id');
  return typeof field?.value === 'string' ? field.value : null;
}

type ChangeParts = Pick<FileChange, 'field' | 'kind' | 'before' | 'after' | 'source'> & Partial<FileChange>;

export function changeOf(address: string, parts: ChangeParts): FileChange {
  return { address, url: null, rows: null, secrets: null, ...parts };
}

/** Reports whether a section is a test or an app. */
export function isResource(address: string): boolean {
  return address.startsWith('test.') || address.startsWith('app.');
}

function wholeSection(
  address: string,
  before: FileSection | null,
  after: FileSection | null,
  sides: Sides,
): readonly FileChange[] {
  if (isResource(address)) return [wholeChange(address, null, before, after)];
  const added = after?.fields.map((field) => fieldChange(address, null, undefined, field, sides)) ?? [];
  const removed = before?.fields.map((field) => fieldChange(address, null, field, undefined, sides)) ?? [];
  return [...added, ...removed];
}

type Whole = Pick<FileSection, 'value' | 'source'>;

function wholeChange(address: string, url: string | null, before: Whole | null, after: Whole | null) {
  const kind = after === null ? 'removed' : 'added';
  return changeOf(address, {
    url,
    field: null,
    kind,
    source: after?.source ?? null,
    before: before?.value ?? null,
    after: after?.value ?? null,
  });
}

function sectionChanges(
  address: string,
  before: FileSection,
  after: FileSection,
  sides: Sides,
): readonly FileChange[] {
  const lists = new Set([...after.requests.keys(), ...before.requests.keys()]);
  return [
    ...fieldChanges(address, null, before, after, sides),
    ...[...lists].flatMap((list) =>
      requestChanges(address, list, before.requests.get(list) ?? [], after.requests.get(list) ?? [], {
        sides,
        source: after.source,
      }),
    ),
  ];
}

function fieldChanges(
  address: string,
  url: string | null,
  before: Pick<FileSection, 'fields'>,
  after: Pick<FileSection, 'fields' | 'source'>,
  sides: Sides,
): readonly FileChange[] {
  const fieldName = ({ path }: FileField) => JSON.stringify(path);
  const earlier = new Map(before.fields.map((field) => [fieldName(field), field]));
  const later = new Map(after.fields.map((field) => [fieldName(field), field]));
  const names = new Set([...later.keys(), ...earlier.keys()]);
  const changes = [...names].flatMap((name) => {
    const [from, to] = [earlier.get(name), later.get(name)];
    if (from?.meaning === to?.meaning) return [];
    const change = fieldChange(address, url, from, to, sides);
    return [{ ...change, source: change.source ?? after.source }];
  });
  const inOrder = ({ fields }: Pick<FileSection, 'fields'>, others: ReadonlyMap<string, FileField>) =>
    fields.filter((field) => field.orderedIn !== null && others.has(fieldName(field)));
  const [from, to] = [inOrder(before, later), inOrder(after, earlier)];
  return [...changes, ...orderChanges(address, url, from, to)];
}

/** Returns a change for each map whose members are in a different order, such as a JSON body. */
function orderChanges(
  address: string,
  url: string | null,
  before: readonly FileField[],
  after: readonly FileField[],
): readonly FileChange[] {
  const maps = new Set(after.map(({ orderedIn }) => orderedIn));
  return [...maps].flatMap((field) => {
    const membersIn = (fields: readonly FileField[]) => fields.filter(({ orderedIn }) => orderedIn === field);
    const names = (fields: readonly FileField[]) => membersIn(fields).map(({ path }) => path.join('.'));
    const [from, to] = [names(before), names(after)];
    if (canonical(from) === canonical(to)) return [];
    const source = membersIn(after)[0]?.source ?? null;
    return [changeOf(address, { url, field, kind: 'changed', before: from, after: to, source })];
  });
}

function fieldChange(
  address: string,
  url: string | null,
  from: FileField | undefined,
  to: FileField | undefined,
  sides: Sides,
): FileChange {
  const path = (to ?? from)?.path ?? [];
  const [before, after] = [from?.value ?? null, to?.value ?? null];
  const secretsDiffer = canonical(from?.secrets ?? []) !== canonical(to?.secrets ?? []);
  return {
    address,
    url,
    field: path.join('.'),
    kind: changeKind(address, path, { before, after, added: from === undefined, removed: to === undefined }),
    before,
    after,
    rows: path.at(-1) === 'payload_file' ? rowsChange(before, after, sides) : null,
    secrets: secretsDiffer ? { before: from?.secrets ?? [], after: to?.secrets ?? [] } : null,
    source: to?.source ?? null,
  };
}

function rowsChange(before: Json, after: Json, sides: Sides): FileChange['rows'] {
  const from = typeof before === 'string' ? sides.before.rowsOf(before) : null;
  const to = typeof after === 'string' ? sides.after.rowsOf(after) : null;
  if (from === null || to === null) return null;
  return { added: countMissing(to, from), removed: countMissing(from, to) };
}

/** Counts the members of a list that have no counterpart in another list. */
function countMissing(list: readonly string[], other: readonly string[]): number {
  const remaining = new Map<string, number>();
  for (const one of other) remaining.set(one, (remaining.get(one) ?? 0) + 1);
  let missing = 0;
  for (const one of list) {
    const count = remaining.get(one) ?? 0;
    if (count === 0) missing++;
    else remaining.set(one, count - 1);
  }
  return missing;
}

const SAME_REQUEST: Similarity<RequestFields> = {
  keys: [
    ({ name, method, url }) => (name === null ? `${method} ${url}` : `name ${name}`),
    ({ method, url }) => `${method} ${url}`,
    ({ url }) => url,
  ],
  equal: (a, b) => meaningOf(a) === meaningOf(b),
};

function meaningOf({ fields }: RequestFields): string {
  return JSON.stringify(fields.map(({ path, meaning }) => [path, meaning]));
}

function requestChanges(
  address: string,
  list: string,
  before: readonly RequestFields[],
  after: readonly RequestFields[],
  { sides, source }: { readonly sides: Sides; readonly source: SourceLocation | null },
): readonly FileChange[] {
  const labelIn = (label: string) => (list === 'urls' ? label : `${list.replace(/\.urls$/, '')}: ${label}`);
  const { pairs, moved } = pairRequests(before, after);
  const changes = pairs.flatMap(([from, to]): readonly FileChange[] => {
    if (from !== null && to !== null) return fieldChanges(address, labelIn(to.label), from, to, sides);
    const url = labelIn((to ?? from)?.label ?? '');
    const change = wholeChange(address, url, from, to);
    return [to === null ? { ...change, source } : change];
  });
  if (!moved) return changes;
  const labels = (requests: readonly RequestFields[]) => requests.map(({ label }) => label);
  const order = { before: labels(before), after: labels(after), source };
  return [changeOf(address, { field: list, kind: 'changed', ...order }), ...changes];
}

type RequestPair = readonly [RequestFields | null, RequestFields | null];

/** Pairs the requests of two lists. A request that was moved is paired with its earlier version. */
function pairRequests(
  before: readonly RequestFields[],
  after: readonly RequestFields[],
): { readonly pairs: readonly RequestPair[]; readonly moved: boolean } {
  const aligned = align(before, after, SAME_REQUEST).map(({ before: from, now }): RequestPair => [
    before[from ?? -1] ?? null,
    after[now ?? -1] ?? null,
  ]);
  const keyOf = ({ name, method, url }: RequestFields) => JSON.stringify(name ?? [method, url]);
  const isSame = ([from, to]: RequestPair) => from !== null && to !== null && keyOf(from) === keyOf(to);
  const others = aligned.filter((pair) => !isSame(pair));
  // A request that exists in both lists, but is not paired with itself, was moved.
  const earlier = groupBy(
    others.flatMap(([from]) => from ?? []),
    keyOf,
  );
  const candidates = new Map(Array.from(earlier, ([key, requests]) => [key, requests.values()]));
  const formerOf = new Map<RequestFields, RequestFields>();
  for (const to of others.flatMap(([, one]) => one ?? [])) {
    const former = candidates.get(keyOf(to))?.next().value;
    if (former !== undefined) formerOf.set(to, former);
  }
  if (formerOf.size === 0) return { pairs: aligned, moved: false };
  const pairs = aligned.flatMap((pair): RequestPair[] => {
    const [, to] = pair;
    if (to === null) return [];
    return [isSame(pair) ? pair : [formerOf.get(to) ?? null, to]];
  });
  const used = new Set(pairs.map(([from]) => from));
  const removed = before.filter((one) => !used.has(one)).map((one): RequestPair => [one, null]);
  return { pairs: [...pairs, ...removed], moved: true };
}

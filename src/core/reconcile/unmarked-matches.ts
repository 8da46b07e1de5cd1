/**
 * Unmarked tests that may be declared tests, because a service can drop or truncate notes.
 * @see docs/internals/reconciler.md, section 1
 */
import { groupBy } from '../group-by.ts';
import type { TestId, TestKey } from '../model/ids.ts';
import { SPEC_DEFAULTS, type DeclaredTest, type ObservedTest } from '../model/load-test.ts';
import { TEST_FIELDS, URL_FIELDS } from '../model/test-fields.ts';
import { isStepEnd, type Steps } from '../steps.ts';
import { jsonOf } from './digests.ts';
import { isPattern, listedDifferences } from './differences.ts';
import {
  normalizeFirstUrl,
  normalizeObserved,
  normalizeSpec,
  normalizeUrl,
  type FieldMap,
  type Normalized,
} from './normalize.ts';
import { readMarker, type MarkerReading } from './ownership-marker.ts';
import { mayBeTruncated, NotesStorage } from './stored-notes.ts';

/** IDs of unmarked tests that may be declared tests, by the keys of the declared tests. */
export type UnmarkedMatches = ReadonlyMap<TestKey, TestId>;

/** The tests of an account without a complete marker, and how the service stores notes. */
export class UnmarkedTests {
  readonly #tests: ObservedTest[] = [];
  readonly #storage = new NotesStorage();

  add(test: ObservedTest, reading: MarkerReading): void {
    this.#storage.add(test, reading);
    if (reading.kind !== 'marker') this.#tests.push(test);
  }

  /**
   * Finds, for each declared test, the first test in the list that may be the same. Reads all fields of a test only if
   * its name, load and first URL match, to save time in large accounts.
   */
  *findMatches(declared: readonly DeclaredTest[]): Steps<UnmarkedMatches> {
    const matches = new Map<TestKey, TestId>();
    const index = new DeclaredTestIndex(declared);
    for (const [at, test] of this.#tests.entries()) {
      if (isStepEnd(at)) yield;
      if (index.isEmpty) break;
      if (!this.#storage.mayHaveLostMarker(test)) continue;
      for (const { key } of index.take(test)) matches.set(key, test.id);
    }
    return matches;
  }
}

/** Declared tests whose fields are equal, apart from notes and the values of secrets. */
interface EqualTests {
  readonly fields: Normalized;
  readonly tests: Set<DeclaredTest>;
}

class DeclaredTestIndex {
  /** Secret fields of declared tests; the keys of the index do not contain their values. */
  readonly #secretFields: ReadonlySet<string>;
  readonly #loads = new Set<string>();
  readonly #firstUrls = new Set<string>();
  readonly #byFields = new Map<string, EqualTests[]>();

  constructor(declared: readonly DeclaredTest[]) {
    const normalized = declared.map((test) => ({ test, fields: normalizeSpec(test.spec) }));
    this.#secretFields = new Set(normalized.flatMap(({ fields }) => secretFieldsOf(fields)));
    const known = new Map<string, EqualTests>();
    for (const { test, fields } of normalized) {
      for (const name of storedNames(fields)) this.#loads.add(loadKey(test.spec, name));
      const id = fieldsKey(fields, new Set());
      const equal = known.get(id) ?? { fields, tests: new Set() };
      equal.tests.add(test);
      if (known.has(id)) continue;
      known.set(id, equal);
      this.#firstUrls.add(this.#firstUrlKey(fields.urls[0]));
      const key = fieldsKey(fields, this.#secretFields);
      this.#byFields.set(key, [...(this.#byFields.get(key) ?? []), equal]);
    }
  }

  get isEmpty(): boolean {
    return this.#byFields.size === 0;
  }

  /** Returns the declared tests that may match a test on the service, and removes them from the index. */
  take(test: ObservedTest): readonly DeclaredTest[] {
    if (!this.#loads.has(loadKey(test, test.name))) return [];
    if (!this.#firstUrls.has(this.#firstUrlKey(normalizeFirstUrl(test)))) return [];
    const fields = normalizeObserved(test);
    const key = fieldsKey(fields, this.#secretFields);
    const candidates = this.#byFields.get(key) ?? [];
    const taken = candidates.flatMap(({ fields: desired, tests }) => {
      if (!hasEqualFields(fields, desired)) return [];
      const fitting = [...tests].filter(({ spec }) => mayBeTruncated(test.notes, spec.notes));
      for (const one of fitting) tests.delete(one);
      return fitting;
    });
    if (candidates.every(({ tests }) => tests.size === 0)) this.#byFields.delete(key);
    return taken;
  }

  #firstUrlKey(fields: FieldMap = new Map()): string {
    return mapKey(fields, 1, this.#secretFields);
  }
}

function loadKey(
  { testType, stages, duration, total }: Pick<ObservedTest, 'testType' | 'stages' | 'duration' | 'total'>,
  name: string | null,
): string {
  const load = stages === null ? [duration, total ?? SPEC_DEFAULTS.total] : null;
  return JSON.stringify([testType, load, normalizeUrl(name ?? '')]);
}

/** Returns the names that a service may list for a test, including the first URL for an unnamed test. */
function storedNames({ test, urls }: Normalized): readonly (string | null)[] {
  const [name, url] = [test.get(NAME_POINTER), urls[0]?.get(URL_POINTER)];
  if (typeof name === 'string') return [name];
  return [null, ...(typeof url === 'string' ? [url] : [])];
}

function secretFieldsOf({ test, urls }: Normalized): readonly string[] {
  return [test, ...urls].flatMap((fields, at) =>
    [...fields].flatMap(([pointer, value]) => (isPattern(value) ? [`${at}${pointer}`] : [])),
  );
}

/**
 * Returns a key that is equal for equal fields, apart from the notes.
 * @param without - fields whose values the key does not contain
 */
function fieldsKey({ test, urls }: Normalized, without: ReadonlySet<string>): string {
  return [test, ...urls].map((fields, at) => mapKey(fields, at, without)).join('\n\n');
}

/**
 * Returns a key that is equal for equal fields of a test, or of one URL.
 * @param at - 0 for the fields of the test; for the fields of a URL, the number of the URL
 */
function mapKey(fields: FieldMap, at: number, without: ReadonlySet<string>): string {
  const keys: string[] = [];
  for (const [pointer, value] of fields) {
    if (pointer === NOTES_POINTER) continue;
    const isHidden = without.size > 0 && without.has(`${at}${pointer}`);
    keys.push(isHidden ? pointer : `${pointer} ${JSON.stringify(jsonOf(value))}`);
  }
  return keys.sort().join('\n');
}

/** Creates a function that reports whether a test may be a declared test that lost its marker. */
export function createPossibleMatchFilter(
  declared: readonly DeclaredTest[],
): (test: ObservedTest) => boolean {
  const byUrls = groupBy(declared, ({ spec }) => urlsKey(spec.duration, spec.targets));
  return (test) => {
    if (readMarker(test.notes).kind === 'marker') return false;
    const alike = byUrls.get(urlsKey(test.duration, test.targets())) ?? [];
    return alike.some(({ spec }) => mayBeTruncated(test.notes, spec.notes));
  };
}

function urlsKey(duration: number | null, targets: readonly { readonly url: string }[]): string {
  return JSON.stringify([duration, ...targets.map(({ url }) => normalizeUrl(url))]);
}

/** Reports whether all listed fields are equal, except for notes and the values of secrets. */
function hasEqualFields(observed: Normalized, desired: Normalized): boolean {
  const { changes } = listedDifferences(observed, desired);
  return changes.every(({ field, rotated }) => field === NOTES_POINTER || rotated === true);
}

const NAME_POINTER = `/${TEST_FIELDS.name.name}`;
const NOTES_POINTER = `/${TEST_FIELDS.notes.name}`;
const URL_POINTER = `/${URL_FIELDS.url.name}`;

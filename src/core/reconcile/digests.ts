/** The two digests of a mark: what the list can show, and what it cannot. No secret enters either. */
import { canonical, type Json, type Sha256 } from '../canonical.ts';
import { SPEC_DEFAULTS, type LoadTestSpec } from '../model/load-test.ts';
import { ReturnedText, Secret } from '../model/secret.ts';
import type { MarkerField } from '../model/test-fields.ts';
import { normalizeSpec, pointerInUrl, type FieldValue, type Normalized } from './normalize.ts';

export interface Digests {
  readonly listed: string;
  readonly unlisted: string;
}

export function digestsOf(spec: LoadTestSpec, sha256: Sha256): Digests {
  return { listed: digestOfFields(normalizeSpec(spec), sha256), unlisted: unlistedDigestOf(spec, sha256) };
}

/** 12 hex digits over fields in the order of their names. */
export function digestOfFields({ test, urls }: Normalized, sha256: Sha256): string {
  const ofUrls = urls.flatMap((fields, index) =>
    [...fields].map(([pointer, value]) => [pointerInUrl(index, pointer), value] as const),
  );
  const entries = [...test, ...ofUrls].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return sha256(canonical(entries.map(([pointer, value]) => [pointer, jsonOf(value)]))).slice(0, 12);
}

function jsonOf(value: FieldValue): Json {
  if (typeof value !== 'object') return value;
  if (value instanceof ReturnedText) return value.reveal();
  return { parts: value.parts.map((part) => (part instanceof Secret ? null : part)) };
}

/** @param placeOf the number that the mark has for a URL; null: none */
export function unlistedDigestOf(
  spec: LoadTestSpec,
  sha256: Sha256,
  placeOf: (index: number) => number | null = (index) => index,
): string {
  const bodies = UNLISTED_VALUES.jsonBody(spec, placeOf);
  const ofBodies = bodies.length === 0 ? '' : `${BODIES_PREFIX}${digestOfUnlisted(bodies, sha256)}`;
  const ofVariables = digestOfUnlisted(UNLISTED_VALUES.variables(spec, placeOf), sha256);
  return `${UNLISTED_VALUES.errorThreshold(spec)}.${ofVariables}${ofBodies}`;
}

/** Whether a mark tells that values are escaped in the bodies of these URLs, and of no other ones. */
export function matchesJsonBodies(hidden: string, places: readonly number[], sha256: Sha256): boolean {
  return parseUnlistedDigests(hidden)?.jsonBodies === digestOfUnlisted(places, sha256);
}

function digestOfUnlisted(value: Json, sha256: Sha256): string {
  return sha256(canonical(value)).slice(0, 8);
}

/** Before the digest of the JSON bodies, which only those have that need it; no other digest begins so. */
const BODIES_PREFIX = '.j';

/** What the mark says of each field that no list shows. Its form is fixed: it lies in the notes of existing tests. */
const UNLISTED_VALUES = {
  errorThreshold: ({ errorThreshold }: LoadTestSpec) => errorThreshold ?? SPEC_DEFAULTS.errorThreshold,
  // URLs without variables leave no trace here: the list shows them.
  variables: ({ targets }: LoadTestSpec, placeOf: (index: number) => number | null) =>
    targets.flatMap(({ variables: given }, index): Json[] =>
      given === null || given.length === 0
        ? []
        : [
            [
              placeOf(index),
              // Names of headers mean the same in any case.
              ...given.map(({ name, property, source }) => [
                name,
                source === 'header' ? property.toLowerCase() : property,
                source,
              ]),
            ],
          ],
    ),
  jsonBody: ({ targets }: LoadTestSpec, placeOf: (index: number) => number | null) =>
    targets.flatMap(({ jsonBody }, index): Json[] => (jsonBody === true ? [placeOf(index)] : [])),
} as const satisfies Readonly<
  Record<MarkerField, (spec: LoadTestSpec, placeOf: (index: number) => number | null) => Json>
>;

/** What a mark says of the hidden fields: digests, but for the threshold. */
export interface UnlistedDigests {
  readonly errorThreshold: number;
  readonly variables: string;
  /** Null: no body has values that are escaped. */
  readonly jsonBodies: string | null;
}

/** Takes apart what a mark says of the hidden fields; null where it is no such text. */
export function parseUnlistedDigests(hidden: string): UnlistedDigests | null {
  const bodies = hidden.lastIndexOf(BODIES_PREFIX);
  const rest = bodies === -1 ? hidden : hidden.slice(0, bodies);
  const dot = rest.lastIndexOf('.');
  const errorThreshold = Number(rest.slice(0, dot));
  if (dot < 1 || !Number.isFinite(errorThreshold)) return null;
  const jsonBodies = bodies === -1 ? null : hidden.slice(bodies + BODIES_PREFIX.length);
  return { errorThreshold, variables: rest.slice(dot + 1), jsonBodies };
}

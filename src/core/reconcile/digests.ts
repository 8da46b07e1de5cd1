/**
 * The digests in a marker, for listed fields and for `UNLISTED_VALUES`. The digests do not depend on the values of
 * secrets.
 */
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

/** Returns a digest of 12 hex digits, which does not depend on the order of the fields. */
export function digestOfFields({ test, urls }: Normalized, sha256: Sha256): string {
  const ofUrls = urls.flatMap((fields, index) =>
    [...fields].map(([pointer, value]) => [pointerInUrl(index, pointer), value] as const),
  );
  const entries = [...test, ...ofUrls].sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(canonical(entries.map(([pointer, value]) => [pointer, jsonOf(value)]))).slice(0, 12);
}

/** Converts a value to JSON. Declared secrets become null; strings from a service are included in plain text. */
export function jsonOf(value: FieldValue): Json {
  if (typeof value !== 'object') return value;
  if (value instanceof ReturnedText) return value.reveal();
  return { parts: value.parts.map((part) => (part instanceof Secret ? null : part)) };
}

/**
 * Returns the marker data of the unlisted fields, which `parseUnlistedDigests` reads.
 * @param markerIndexOf - returns the index of a URL in the marker; null if the marker does not contain it
 */
export function unlistedDigestOf(
  spec: LoadTestSpec,
  sha256: Sha256,
  markerIndexOf: (index: number) => number | null = (index) => index,
): string {
  const bodies = UNLISTED_VALUES.jsonBody(spec, markerIndexOf);
  const ofBodies = bodies.length === 0 ? '' : `${BODIES_PREFIX}${digestOfUnlisted(bodies, sha256)}`;
  const ofVariables = digestOfUnlisted(UNLISTED_VALUES.variables(spec, markerIndexOf), sha256);
  return `${UNLISTED_VALUES.errorThreshold(spec)}.${ofVariables}${ofBodies}`;
}

/** Reports whether, according to a marker, exactly these URLs have JSON bodies in which values are escaped. */
export function matchesJsonBodies(unlisted: string, indexes: readonly number[], sha256: Sha256): boolean {
  return parseUnlistedDigests(unlisted)?.jsonBodies === digestOfUnlisted(indexes, sha256);
}

function digestOfUnlisted(value: Json, sha256: Sha256): string {
  return sha256(canonical(value)).slice(0, 8);
}

/** Prefix that identifies the digest of the JSON bodies, which only some markers contain. */
const BODIES_PREFIX = '.j';

/**
 * Marker data for each unlisted field. The format must not change, because the notes of existing tests contain this
 * data.
 */
const UNLISTED_VALUES = {
  errorThreshold: ({ errorThreshold }: LoadTestSpec) => errorThreshold ?? SPEC_DEFAULTS.errorThreshold,
  variables: ({ targets }: LoadTestSpec, markerIndexOf: (index: number) => number | null) =>
    targets.flatMap(({ variables }, index): Json[] =>
      variables === null || variables.length === 0
        ? []
        : [
            [
              markerIndexOf(index),
              ...variables.map(({ name, property, source, pick }) => [
                name,
                source === 'header' ? property.toLowerCase() : property,
                source,
                ...(pick === undefined ? [] : [pick]),
              ]),
            ],
          ],
    ),
  jsonBody: ({ targets }: LoadTestSpec, markerIndexOf: (index: number) => number | null) =>
    targets.flatMap(({ body }, index): Json[] => (body?.kind === 'json' ? [markerIndexOf(index)] : [])),
} as const satisfies Readonly<
  Record<MarkerField, (spec: LoadTestSpec, markerIndexOf: (index: number) => number | null) => Json>
>;

export interface UnlistedDigests {
  readonly errorThreshold: number;
  readonly variables: string;
  /** Digest of the URLs whose JSON bodies have escaped values; null if there are none. */
  readonly jsonBodies: string | null;
}

export function parseUnlistedDigests(text: string): UnlistedDigests | null {
  const bodies = text.lastIndexOf(BODIES_PREFIX);
  const rest = bodies === -1 ? text : text.slice(0, bodies);
  const dot = rest.lastIndexOf('.');
  const errorThreshold = Number(rest.slice(0, dot));
  if (dot < 1 || !Number.isFinite(errorThreshold)) return null;
  const jsonBodies = bodies === -1 ? null : text.slice(bodies + BODIES_PREFIX.length);
  return { errorThreshold, variables: rest.slice(dot + 1), jsonBodies };
}

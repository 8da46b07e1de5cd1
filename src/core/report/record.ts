/** Reading a result's record as a service gives it: anything may be missing, and nothing has to be what it should be. */
import type { Json } from '../canonical.ts';

export type ResultRecord = Readonly<Record<string, Json>> | null;

/** Counts by name. */
export type Counts = readonly (readonly [what: string, count: number])[];

/** Counts above 0, by name. */
export function countsOf(value: Json | undefined): Counts {
  return Object.entries(objectOf(value)).flatMap(([what, count]): [string, number][] =>
    typeof count === 'number' && count > 0 ? [[what, count]] : [],
  );
}

export function objectOf(value: Json | undefined): Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>) // a JSON value that is no list
    : {};
}

export function numberOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Access to the record of a result as received from a service. Any member can be missing or have the wrong
 * type.
 */
import type { Json } from '../canonical.ts';
import { objectOf } from '../unknown-value.ts';

export type ResultRecord = Readonly<Record<string, Json>> | null;

/** Counts by name. */
export type Counts = readonly (readonly [name: string, count: number])[];

/** Returns the positive counts, by name. */
export function countsOf(value: Json | undefined): Counts {
  return Object.entries(objectOf(value)).flatMap(([name, count]): [string, number][] =>
    typeof count === 'number' && count > 0 ? [[name, count]] : [],
  );
}

export function numberOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

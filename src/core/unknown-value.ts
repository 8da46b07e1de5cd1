import type { Json } from './canonical.ts';

/** Reports whether a value is an object other than an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reports whether a value is a non-negative safe integer. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

export function objectOf(value: Json | undefined): Readonly<Record<string, Json>>;
export function objectOf(value: unknown): Readonly<Record<string, unknown>>;
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** Returns the code of an error, such as `ENOENT`; null if there is none. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Conditions that a response must meet to count as a success. */

/** All status codes with the same first digit. */
export type StatusClass = '2xx' | '3xx' | '4xx' | '5xx';

/** A header that the response must have. A `*` at the start or end of `value` matches any text. */
export interface ExpectedHeader {
  readonly name: string;
  readonly value: string;
}

/** A JSON primitive: a string, number, Boolean or null. */
export type JsonScalar = string | number | boolean | null;

/** A value that a JSON body must contain at a location. */
export interface ExpectedJson {
  /** JSON Pointer (RFC 6901). */
  readonly pointer: string;
  readonly value: JsonScalar;
}

/** Conditions for a response, which are an extension. Null members are not checked. */
export interface Expectation {
  /** Accepted status codes; null accepts any status below 400. */
  readonly status: readonly (number | StatusClass)[] | null;
  /** Required headers. Their names are case-insensitive. */
  readonly headers: readonly ExpectedHeader[] | null;
  /** Text that the body must contain. */
  readonly body: string | null;
  readonly json: readonly ExpectedJson[] | null;
}

/** Returns the list, or null if it is empty and thus contains no condition. */
export function nullIfEmpty<T>(items: readonly T[]): readonly T[] | null {
  return items.length === 0 ? null : items;
}

/** Range of the status codes that can be expected. */
export const EXPECTED_CODES = { min: 200, max: 599 } as const;

/** Parses a status code or class; returns null if the value is neither. */
export function parseExpectedStatus(text: string | number): number | StatusClass | null {
  if (typeof text === 'string' && /^[2-5]xx$/i.test(text)) return text.toLowerCase() as StatusClass; // matches StatusClass
  const code = typeof text === 'number' ? text : /^\d{3}$/.test(text) ? Number(text) : Number.NaN;
  const { min, max } = EXPECTED_CODES;
  return Number.isInteger(code) && code >= min && code <= max ? code : null;
}

export function expectsStatus({ status }: Expectation, actual: number): boolean {
  if (status === null) return actual < 400;
  return status.some((one) =>
    typeof one === 'number' ? one === actual : one.startsWith(`${actual}`.charAt(0)),
  );
}

/** Reports whether a redirect is an expected response; if it is, it is not followed. */
export function expectsRedirect({ status }: Expectation): boolean {
  return (status ?? []).some((one) => one === '3xx' || (typeof one === 'number' && one >= 300 && one < 400));
}

/**
 * Formats the expected status codes: `201, 409`. The text does not depend on the order in which they are declared.
 */
export function statusText({ status }: Expectation): string {
  return status === null ? 'below 400' : [...new Set(status.map(String))].sort().join(', ');
}

/** Reports whether text matches a pattern. A `*` at its start or end matches any text. */
export function matchesWildcard(pattern: string, text: string): boolean {
  if (pattern === '*') return true;
  const [openStart, openEnd] = [pattern.startsWith('*'), pattern.endsWith('*')];
  const own = pattern.slice(openStart ? 1 : 0, openEnd ? -1 : undefined);
  if (openStart && openEnd) return text.includes(own);
  if (openStart) return text.endsWith(own);
  return openEnd ? text.startsWith(own) : text === own;
}

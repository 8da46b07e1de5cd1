/** What an answer must be like to count as a success. */

/** All codes of a hundred. */
export type StatusClass = '2xx' | '3xx' | '4xx' | '5xx';

/** A header that the answer must have. `value`: in which `*` at the beginning or end stands for any text. */
export interface ExpectedHeader {
  readonly name: string;
  readonly value: string;
}

/** A value of JSON that holds no others. */
export type JsonScalar = string | number | boolean | null;

/** A value that must stand at a place of a JSON body. */
export interface ExpectedJson {
  /** RFC 6901. */
  readonly pointer: string;
  readonly value: JsonScalar;
}

/** An extension. Null: nothing is asked of that. */
export interface Expectation {
  /** Null: below 400. */
  readonly status: readonly (number | StatusClass)[] | null;
  /** Names in any case. */
  readonly headers: readonly ExpectedHeader[] | null;
  /** A text that the body contains. */
  readonly body: string | null;
  readonly json: readonly ExpectedJson[] | null;
}

/** An empty list or map asks for nothing. */
export function nullIfEmpty<T>(items: readonly T[]): readonly T[] | null {
  return items.length === 0 ? null : items;
}

/** The codes that can be named. */
export const EXPECTED_CODES = { min: 200, max: 599 } as const;

/** Null for a text that is neither a code that can be named nor a class. */
export function parseExpectedStatus(text: string | number): number | StatusClass | null {
  if (typeof text === 'string' && /^[2-5]xx$/i.test(text)) return text.toLowerCase() as StatusClass; // matches its words
  const code = typeof text === 'number' ? text : /^\d{3}$/.test(text) ? Number(text) : Number.NaN;
  const { min, max } = EXPECTED_CODES;
  return Number.isInteger(code) && code >= min && code <= max ? code : null;
}

export function expectsStatus({ status }: Expectation, came: number): boolean {
  if (status === null) return came < 400;
  return status.some((one) => (typeof one === 'number' ? one === came : one.startsWith(`${came}`.charAt(0))));
}

/** Whether redirects are answers of their own: somebody who expects one does not want it followed. */
export function expectsRedirect({ status }: Expectation): boolean {
  return (status ?? []).some((one) => one === '3xx' || (typeof one === 'number' && one >= 300 && one < 400));
}

/** `201, 409`; one spelling for all orders. */
export function statusText({ status }: Expectation): string {
  return status === null ? 'below 400' : [...new Set(status.map(String))].sort().join(', ');
}

/** Whether a text is as a pattern says in which `*` at the beginning or end stands for any text. */
export function matchesWildcard(pattern: string, text: string): boolean {
  if (pattern === '*') return true;
  const [openStart, openEnd] = [pattern.startsWith('*'), pattern.endsWith('*')];
  const own = pattern.slice(openStart ? 1 : 0, openEnd ? -1 : undefined);
  if (openStart && openEnd) return text.includes(own);
  if (openStart) return text.endsWith(own);
  return openEnd ? text.startsWith(own) : text === own;
}

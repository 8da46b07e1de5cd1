/** Conditions for a response to count as a success. */
import { isCondition, textsOfExpected, type ExpectedValue } from './condition.ts';
import { compileTemplate } from './template.ts';

export type StatusClass = '2xx' | '3xx' | '4xx' | '5xx';

/** A header that the response must have. A `*` at the start or end of `value` matches any text. */
export interface ExpectedHeader {
  readonly name: string;
  readonly value: string;
}

/** A location in a JSON body, and the value or conditions required there. */
export interface ExpectedJson {
  /** JSON Pointer (RFC 6901). */
  readonly pointer: string;
  readonly value: ExpectedValue;
}

/** Conditions for the text of a body, which must meet all of them. */
export interface ExpectedBody {
  readonly contains: readonly string[];
  readonly notContains: readonly string[];
  /** RE2 patterns, each of which must match a part of the body. */
  readonly matches: readonly string[];
}

/** For members other than `status`, null means no condition. Strings may contain `{{name}}`. */
export interface Expectation {
  /** Accepted status codes; null accepts any status below 400. */
  readonly status: readonly (number | StatusClass)[] | null;
  /** Names of headers are case-insensitive. */
  readonly headers: readonly ExpectedHeader[] | null;
  readonly body: ExpectedBody | null;
  readonly json: readonly ExpectedJson[] | null;
  /** Maximum response time in ms; absent if it is not limited. */
  readonly within?: number;
}

export function nullIfEmpty<T>(items: readonly T[]): readonly T[] | null {
  return items.length === 0 ? null : items;
}

export const EXPECTED_CODES = { min: 200, max: 599 } as const;

/** Parses a status code from 200 to 599, or a class such as `2xx`; returns null for any other value. */
export function parseExpectedStatus(text: string | number): number | StatusClass | null {
  // Every string that the pattern matches is a StatusClass in lower case.
  if (typeof text === 'string' && /^[2-5]xx$/i.test(text)) return text.toLowerCase() as StatusClass;
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

/** Reports whether a redirect is an expected response. */
export function expectsRedirect({ status }: Expectation): boolean {
  return (status ?? []).some((one) => one === '3xx' || (typeof one === 'number' && one >= 300 && one < 400));
}

/** Formats the expected status codes, sorted and without repetitions: `201, 409`; `below 400` if none are declared. */
export function statusText({ status }: Expectation): string {
  return status === null ? 'below 400' : [...new Set(status.map(String))].sort().join(', ');
}

/** A string with wildcards: `own` is literal, and any text may precede it (`openStart`) or follow it (`openEnd`). */
export interface Wildcard {
  readonly openStart: boolean;
  readonly openEnd: boolean;
  readonly own: string;
}

export function parseWildcard(pattern: string): Wildcard {
  if (pattern === '*') return { openStart: true, openEnd: true, own: '' };
  const [openStart, openEnd] = [pattern.startsWith('*'), pattern.endsWith('*')];
  return { openStart, openEnd, own: pattern.slice(openStart ? 1 : 0, openEnd ? -1 : undefined) };
}

export function matchesWildcard({ openStart, openEnd, own }: Wildcard, text: string): boolean {
  if (openStart && openEnd) return text.includes(own);
  if (openStart) return text.endsWith(own);
  return openEnd ? text.startsWith(own) : text === own;
}

/** Returns the conditions for a body in the short form, which is one text that the body must contain. */
export function bodyContaining(text: string): ExpectedBody {
  return { contains: [text], notContains: [], matches: [] };
}

/** Returns the text of the short form; null if the conditions require the long form. */
export function onlyTextOf({ contains, notContains, matches }: ExpectedBody): string | null {
  const [text, ...others] = contains;
  return text === undefined || others.length + notContains.length + matches.length > 0 ? null : text;
}

export interface BodyCondition {
  readonly kind: keyof ExpectedBody;
  readonly index: number;
  readonly text: string;
}

/** Kinds of conditions for a body, in the order in which they are checked. */
export const BODY_KINDS = ['contains', 'notContains', 'matches'] as const;

export function bodyConditionsOf(body: ExpectedBody | null): readonly BodyCondition[] {
  if (body === null) return [];
  return BODY_KINDS.flatMap((kind) => body[kind].map((text, index) => ({ kind, index, text })));
}

/** A string of an expectation, with its path within the expectation in the file. */
export interface ExpectedText {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** Returns the strings of an expectation that may contain variables. */
export function expectedTextsOf(expectation: Expectation | null): readonly ExpectedText[] {
  const { headers, body, json } = expectation ?? { headers: null, body: null, json: null };
  const isShort = body !== null && onlyTextOf(body) !== null;
  return [
    ...(headers ?? []).map(({ name, value }) => ({ path: ['headers', name], text: value })),
    ...bodyConditionsOf(body).map(({ kind, index, text }) => ({
      path: isShort ? ['body'] : ['body', BODY_NAMES[kind], index],
      text,
    })),
    ...(json ?? []).flatMap(({ pointer, value }) =>
      textsOfExpected(value).map(({ path, text }) => ({ path: ['json', pointer, ...path], text })),
    ),
  ];
}

/** Names of the conditions for a body in the file and in the API. */
export const BODY_NAMES = { contains: 'contains', notContains: 'not_contains', matches: 'matches' } as const;

/** Reports whether an expectation requires the extension `expect_conditions`. */
export function usesConditions(expectation: Expectation): boolean {
  const { body, json } = expectation;
  return (
    expectation.within !== undefined ||
    (body !== null && onlyTextOf(body) === null) ||
    (json ?? []).some(({ value }) => isCondition(value)) ||
    expectedTextsOf(expectation).some(({ text }) => compileTemplate(text).names.length > 0)
  );
}

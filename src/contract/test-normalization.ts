/**
 * Converts create requests from public clients of the API to the form of `schemas/api/test-create`.
 *
 * Some clients send back listed records. Others use field names of an earlier API version. Programming
 * languages also encode null, lists and maps differently. Only unambiguous input is converted; the schema
 * rejects the rest.
 *
 * @see docs/reference/http-api.md, section 2.5.
 */
import { OWN_LIMITS } from '../core/model/capabilities.ts';
import { TEST_FIELDS, URL_FIELDS } from '../core/model/test-fields.ts';
import { isObject } from '../core/unknown-value.ts';
import { readTestType } from './test-keywords.ts';

/** In a form, all values are strings. */
export type BodyFormat = 'json' | 'form';

export interface NormalizedTest {
  readonly test: unknown;
  /** Warnings about fields that have no effect. */
  readonly warnings: readonly string[];
  /** Faults of the input. A fault contains field names but no values. */
  readonly faults: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;
type Draft = Map<string, unknown>;

interface Findings {
  readonly warnings: string[];
  readonly faults: string[];
}

/**
 * Maximum number of fields in an object to normalize. The schema rejects larger objects, because tests and URLs have
 * fewer fields.
 */
const MAX_FIELDS = 100;

export function normalizeTest(body: unknown, format: BodyFormat): NormalizedTest {
  const findings: Findings = { warnings: [], faults: [] };
  if (!isObject(body) || Object.keys(body).length > MAX_FIELDS) return { test: body, ...findings };
  const test = draftOf(body, format);
  const testType = test.get('test_type');
  const type = typeof testType === 'string' ? readTestType(testType) : null;
  if (typeof type === 'string') test.set('test_type', type);
  rename(test, { callback_url: 'callback', email_callback: 'callback_email' }, findings);
  splitLegacyLoad(test, findings);
  wrapUrl(test, findings);
  const user = takeUser(test);
  putField(test, TEST_FIELDS.values.name, mapOf(test.get(TEST_FIELDS.values.name)));
  if (test.has('urls')) {
    const urls = listOf(test.get('urls'));
    const normalize = (entry: unknown, index: number) =>
      normalizeUrl(withUser(entry, user), `/urls/${index}`, { findings, format });
    const isWithinLimit = Array.isArray(urls) && urls.length <= OWN_LIMITS.targets;
    test.set('urls', isWithinLimit ? urls.map(normalize) : urls);
  }
  if (format === 'form') parseFormValues(test, Object.values(TEST_FIELDS));
  dropServiceFields(test, findings);
  warnOfIgnored(test, findings);
  return { test: Object.fromEntries(test), ...findings };
}

/** Returns the fields that are set. Null does not count as set. In a form, an empty string does not count as set. */
function draftOf(fields: Fields, format: BodyFormat): Draft {
  const isSet = (name: string, value: unknown) => {
    if (value !== '') return value !== null;
    // An empty start time counts as set even in a form. Otherwise, the test would start immediately.
    return format === 'json' || name === TEST_FIELDS.scheduledAt.name;
  };
  return new Map(Object.entries(fields).filter(([name, value]) => isSet(name, value)));
}

function rename(draft: Draft, names: Readonly<Record<string, string>>, { faults }: Findings): void {
  for (const [from, to] of Object.entries(names)) {
    if (!draft.has(from)) continue;
    if (draft.has(to)) faults.push(`"${from}" and "${to}" are the same field; send only one of them`);
    draft.set(to, take(draft, from));
  }
}

function take(draft: Draft, name: string): unknown {
  const value = draft.get(name);
  draft.delete(name);
  return value;
}

function putField(draft: Draft, name: string, value: unknown): void {
  if (value === undefined) draft.delete(name);
  else draft.set(name, value);
}

/**
 * Converts an object with numeric names to a list. Forms number the members of lists, and PHP encodes sparse lists as
 * objects.
 */
function listOf(value: unknown): unknown {
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  // The values are in order, because JavaScript enumerates integer keys in ascending order.
  return names.length > 0 && names.every((name) => /^(?:0|[1-9]\d{0,8})$/.test(name))
    ? Object.values(value)
    : value;
}

/** Converts `load: FROM-TO-SECONDS` from the first API version, in which all tests are cycling tests. */
function splitLegacyLoad(test: Draft, { faults }: Findings): void {
  if (!test.has('load')) return;
  const load = take(test, 'load');
  const match = typeof load === 'string' ? /^(\d{1,9})-(\d{1,9})-(\d{1,9})$/.exec(load.trim()) : null;
  if (match === null) {
    faults.push(
      '"load" must have the form FROM-TO-SECONDS, such as "0-250-60"; alternatively, send "initial", "total" and "duration"',
    );
  }
  for (const [index, name] of ['initial', 'total', 'duration'].entries()) {
    if (test.has(name)) faults.push(`"load" cannot be combined with "${name}"; remove one of them`);
    test.set(name, Number(match?.[index + 1]));
  }
  if (!test.has('test_type')) test.set('test_type', 'cycling');
}

const TEST_NAMES = new Set<string>(Object.values(TEST_FIELDS).map(({ name }) => name));
/** URL fields that are allowed in a test with a single URL. */
const MOVED_URL_FIELDS = [
  ...Object.values(URL_FIELDS).map(({ name }) => name),
  'authentication',
  'post_body',
].filter((name) => !TEST_NAMES.has(name));

/** Moves URL fields of a test to a URL entry. In the first API version, a test has a single URL. */
function wrapUrl(test: Draft, { faults }: Findings): void {
  if (!test.has('url')) return;
  if (test.has('urls')) {
    faults.push('"url" cannot be combined with "urls"; put all URLs in "urls"');
    test.delete('url');
    return;
  }
  const moved = MOVED_URL_FIELDS.filter((name) => test.has(name));
  test.set('urls', [Object.fromEntries(moved.map((name) => [name, take(test, name)]))]);
}

/**
 * Removes and returns the credentials of a test. In the first API version, the credentials of a test apply to all URLs.
 */
function takeUser(test: Draft): Fields | null {
  const login = take(test, 'user_login');
  const password = take(test, 'user_password');
  if (login === undefined && password === undefined) return null;
  return { ...(login === undefined ? {} : { login }), password: password ?? '' };
}

function withUser(entry: unknown, user: Fields | null): unknown {
  return user !== null && isObject(entry) ? { credentials: user, ...entry } : entry;
}

function normalizeUrl(
  entry: unknown,
  pointer: string,
  { findings, format }: { readonly findings: Findings; readonly format: BodyFormat },
): unknown {
  if (!isObject(entry) || Object.keys(entry).length > MAX_FIELDS) return entry;
  const url = draftOf(entry, format);
  rename(url, { post_body: 'raw_post_body' }, findings);
  const method = url.get('request_type');
  if (typeof method === 'string') url.set('request_type', method.toUpperCase());
  for (const name of ['headers', 'request_params']) putField(url, name, mapOf(url.get(name)));
  putField(url, 'variables', listOf(url.get('variables')));
  putField(url, 'credentials', userIn(url, pointer, findings));
  // `truncated_url` is a prefix of the URL that services add to records.
  url.delete('truncated_url');
  if (take(url, 'raw_post_body_truncated') === true) {
    findings.faults.push(
      `"raw_post_body" of "${pointer}" was truncated in a list of tests; use the complete body from GET /v2/tests/{test_id}`,
    );
  }
  if (format === 'form') parseFormValues(url, Object.values(URL_FIELDS));
  return Object.fromEntries(url);
}

/** Converts a list of pairs to a map, and values to strings. Returns undefined for an empty map or list. */
function mapOf(value: unknown): unknown {
  const size = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  if (size > OWN_LIMITS.params) return value;
  const members = Array.isArray(value) ? pairsOf(value) : isObject(value) ? Object.entries(value) : null;
  if (members === null || new Set(members.map(([name]) => name)).size < members.length) return value;
  if (members.length === 0) return undefined;
  return Object.fromEntries(
    members.filter(([, member]) => member !== null).map(([name, member]) => [name, toText(member)]),
  );
}

function pairsOf(list: readonly unknown[]): readonly (readonly [string, unknown])[] | null {
  const pairs = list.map((pair) => {
    const { key = null, value = null, ...more } = isObject(pair) ? pair : {};
    return typeof key === 'string' && key !== '__proto__' && Object.keys(more).length === 0
      ? ([key, value] as const)
      : null;
  });
  return pairs.some((pair) => pair === null) ? null : pairs.filter((pair) => pair !== null);
}

function toText(value: unknown): unknown {
  if (typeof value === 'boolean') return String(value);
  // Unsafe integers are not converted, because JSON parsing may have rounded them.
  const isExact = typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value));
  return isExact ? String(value) : value;
}

/**
 * Merges `authentication`, a field of listed tests, into `credentials`, a field of create requests. Returns undefined
 * if there are no credentials.
 */
function userIn(url: Draft, pointer: string, { faults }: Findings): unknown {
  const listed = userOf(take(url, 'authentication'), `${pointer}/authentication`, faults);
  const sent = userOf(url.get('credentials'), `${pointer}/credentials`, faults);
  if (sent === undefined && isObject(listed) && 'login' in listed && !('password' in listed)) {
    faults.push(
      `"password" is missing in "${pointer}/authentication", because responses never contain passwords; add the password`,
    );
    return undefined;
  }
  if (!isObject(listed) || !isObject(sent)) return sent ?? listed;
  for (const name of ['login', 'password']) {
    if (!(name in listed) || !(name in sent) || listed[name] === sent[name]) continue;
    faults.push(
      `"authentication" and "credentials" of "${pointer}" have different ${name}s; send only "credentials"`,
    );
  }
  return { ...listed, ...sent };
}

function userOf(value: unknown, pointer: string, faults: string[]): unknown {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  if (!isObject(value)) return value;
  // Removes only null values, because an empty password is valid.
  const user = Object.fromEntries(Object.entries(value).filter(([, text]) => text !== null));
  const { type = 'basic', ...rest } = user;
  if (typeof type !== 'string' || type.toLowerCase() !== 'basic') {
    faults.push(`"type" in "${pointer}" must be "basic"`);
  }
  return Object.keys(rest).length === 0 ? undefined : rest;
}

const NUMBER_KINDS: ReadonlySet<string> = new Set(['count', 'percent', 'seconds', 'milliseconds', 'delay']);

/** Converts strings of a form to numbers and booleans, according to the kinds of the fields. */
function parseFormValues(
  draft: Draft,
  rows: readonly { readonly name: string; readonly kind: string }[],
): void {
  for (const { name, kind } of rows) {
    const text = draft.get(name);
    if (typeof text !== 'string') continue;
    if (NUMBER_KINDS.has(kind) && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) draft.set(name, Number(text));
    if (kind === 'flag' && (text === 'true' || text === 'false')) draft.set(name, text === 'true');
  }
}

const SERVICE_FIELDS = ['test_id', 'domain', 'status', 'progress'];

function dropServiceFields(test: Draft, { warnings }: Findings): void {
  const present = SERVICE_FIELDS.filter((name) => test.has(name));
  for (const name of present) test.delete(name);
  if (present.length === 0) return;
  const names = present.map((name) => `"${name}"`).join(', ');
  warnings.push(
    `${names} ${present.length === 1 ? 'has' : 'have'} no effect, because only the service sets ${present.length === 1 ? 'this field' : 'these fields'}`,
  );
}

function warnOfIgnored(test: Draft, { warnings, faults }: Findings): void {
  const tags = listOf(test.get('tag_names'));
  putField(test, 'tag_names', Array.isArray(tags) && tags.length === 0 ? undefined : tags);
  if (test.has('next_run_at') && !test.has('scheduled_at')) {
    faults.push('"next_run_at" has no effect; use "scheduled_at" to schedule the test');
  }
  for (const name of Object.keys(ignoredOf(Object.fromEntries(test)))) {
    warnings.push(`"${name}" has no effect; the service only stores and returns it`);
  }
}

/** Fields without effect, which are stored and returned unchanged. */
export interface IgnoredFields {
  readonly tag_names?: string[];
  readonly next_run_at?: string;
}

/** @param test - A test that matches the schema. */
export function ignoredOf(test: IgnoredFields): IgnoredFields {
  const { tag_names: tags, next_run_at: next } = test;
  return {
    ...(tags === undefined ? {} : { tag_names: tags }),
    ...(next === undefined ? {} : { next_run_at: next }),
  };
}

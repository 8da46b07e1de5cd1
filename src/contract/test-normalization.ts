/**
 * A create as public clients of such services write it → as schemas/api/test-create has it.
 *
 * Some send back what a list gave them, some write as an earlier version of the API had it, and languages differ in how
 * they write nothing, lists and maps. Only what can mean one thing is taken; all else is left for the schema to refuse.
 *
 * Source: docs/reference/http-api.md, section 2.5.
 */
import { OWN_LIMITS } from '../core/model/capabilities.ts';
import { TEST_FIELDS, URL_FIELDS } from '../core/model/test-fields.ts';
import { readTestType } from './test-keywords.ts';

/** How the body came: with the types of JSON, or as a form, where every value is a text. */
export type BodyFormat = 'json' | 'form';

export interface NormalizedTest {
  readonly test: unknown;
  /** What it said and what has no effect, a sentence each. */
  readonly warnings: readonly string[];
  /** What cannot be read, a sentence each. They name fields, and never values. */
  readonly faults: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;
/** Fields that are being respelt, by name. */
type Draft = Map<string, unknown>;

interface Findings {
  readonly warnings: string[];
  readonly faults: string[];
}

/** More fields than a test or a URL has, also by their earlier names. What is longer is left alone: it is refused. */
const MAX_FIELDS = 100;

export function normalizeTest(body: unknown, written: BodyFormat): NormalizedTest {
  const found: Findings = { warnings: [], faults: [] };
  if (!isFields(body) || Object.keys(body).length > MAX_FIELDS) return { test: body, ...found };
  const test = draftOf(body, written);
  const word = test.get('test_type');
  const type = typeof word === 'string' ? readTestType(word) : null;
  if (typeof type === 'string') test.set('test_type', type);
  rename(test, { callback_url: 'callback', email_callback: 'callback_email' }, found);
  splitLegacyLoad(test, found);
  wrapUrl(test, found);
  const user = takeUser(test);
  if (test.has('urls')) {
    const urls = listOf(test.get('urls'));
    const respelt = (entry: unknown, at: number) =>
      normalizeUrl(withUser(entry, user), `/urls/${at}`, { found, written });
    const isShort = Array.isArray(urls) && urls.length <= OWN_LIMITS.targets;
    test.set('urls', isShort ? urls.map(respelt) : urls);
  }
  if (written === 'form') parseFormValues(test, Object.values(TEST_FIELDS));
  dropServiceFields(test, found);
  warnOfIgnored(test, found);
  return { test: Object.fromEntries(test), ...found };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null says that a field is not given; in a form, where there is none, the empty text does. */
function draftOf(fields: Fields, written: BodyFormat): Draft {
  const isGiven = (name: string, value: unknown) => {
    if (value !== '') return value !== null;
    // A time that was lost on the way must not become a start at once.
    return written === 'json' || name === TEST_FIELDS.scheduledAt.name;
  };
  return new Map(Object.entries(fields).filter(([name, value]) => isGiven(name, value)));
}

function rename(draft: Draft, names: Readonly<Record<string, string>>, { faults }: Findings): void {
  for (const [from, to] of Object.entries(names)) {
    if (!draft.has(from)) continue;
    if (draft.has(to)) faults.push(`"${from}" and "${to}" are the same field; give one of them`);
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

/** Also where its places are names, as a form numbers them, and as PHP writes a list that has lost a member. */
function listOf(value: unknown): unknown {
  if (!isFields(value)) return value;
  const names = Object.keys(value);
  // Such names come in their order, whatever order they were written in.
  return names.length > 0 && names.every((name) => /^(?:0|[1-9]\d{0,8})$/.test(name))
    ? Object.values(value)
    : value;
}

/** The first version of the API: `load: FROM-TO-SECONDS`, always of the kind that is called cycling now. */
function splitLegacyLoad(test: Draft, { faults }: Findings): void {
  if (!test.has('load')) return;
  const load = take(test, 'load');
  const match = typeof load === 'string' ? /^(\d{1,9})-(\d{1,9})-(\d{1,9})$/.exec(load.trim()) : null;
  if (match === null) {
    faults.push(
      '"load" must be FROM-TO-SECONDS, such as "0-250-60"; or give "initial", "total" and "duration"',
    );
  }
  for (const [at, name] of ['initial', 'total', 'duration'].entries()) {
    if (test.has(name)) faults.push(`"load" cannot be combined with "${name}"`);
    test.set(name, Number(match?.[at + 1]));
  }
  if (!test.has('test_type')) test.set('test_type', 'cycling');
}

const TEST_NAMES = new Set<string>(Object.values(TEST_FIELDS).map(({ name }) => name));
/** The fields of a URL that can be meant where a test has only one. */
const MOVED_URL_FIELDS = [
  ...Object.values(URL_FIELDS).map(({ name }) => name),
  'authentication',
  'post_body',
].filter((name) => !TEST_NAMES.has(name));

/** The first version had the one URL of a test among the fields of the test. */
function wrapUrl(test: Draft, { faults }: Findings): void {
  if (!test.has('url')) return;
  if (test.has('urls')) {
    faults.push('"url" cannot be combined with "urls"; give all of them in "urls"');
    test.delete('url');
    return;
  }
  const moved = MOVED_URL_FIELDS.filter((name) => test.has(name));
  test.set('urls', [Object.fromEntries(moved.map((name) => [name, take(test, name)]))]);
}

/** The first version had one user for all URLs. */
function takeUser(test: Draft): Fields | null {
  const login = take(test, 'user_login');
  const password = take(test, 'user_password');
  if (login === undefined && password === undefined) return null;
  return { ...(login === undefined ? {} : { login }), password: password ?? '' };
}

function withUser(entry: unknown, user: Fields | null): unknown {
  return user !== null && isFields(entry) ? { credentials: user, ...entry } : entry;
}

function normalizeUrl(
  entry: unknown,
  at: string,
  { found, written }: { readonly found: Findings; readonly written: BodyFormat },
): unknown {
  if (!isFields(entry) || Object.keys(entry).length > MAX_FIELDS) return entry;
  const url = draftOf(entry, written);
  rename(url, { post_body: 'raw_post_body' }, found);
  const method = url.get('request_type');
  if (typeof method === 'string') url.set('request_type', method.toUpperCase());
  for (const name of ['headers', 'request_params']) putField(url, name, mapOf(url.get(name)));
  putField(url, 'variables', listOf(url.get('variables')));
  putField(url, 'credentials', userIn(url, at, found));
  // A service says it beside the URL, of which it is the beginning.
  url.delete('truncated_url');
  if (take(url, 'raw_post_body_truncated') === true) {
    found.faults.push(`"raw_post_body" of "${at}" was cut off in a list; GET /v2/tests/{id} has it whole`);
  }
  if (written === 'form') parseFormValues(url, Object.values(URL_FIELDS));
  return Object.fromEntries(url);
}

/** A map of texts, also from pairs, and from an empty list, which is how PHP writes an empty map. */
function mapOf(value: unknown): unknown {
  const size = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  if (size > OWN_LIMITS.params) return value;
  const members = Array.isArray(value) ? pairsOf(value) : isFields(value) ? Object.entries(value) : null;
  if (members === null || new Set(members.map(([name]) => name)).size < members.length) return value;
  if (members.length === 0) return undefined;
  return Object.fromEntries(
    members.filter(([, text]) => text !== null).map(([name, text]) => [name, toText(text)]),
  );
}

function pairsOf(list: readonly unknown[]): readonly (readonly [string, unknown])[] | null {
  const pairs = list.map((pair) => {
    const { key = null, value = null, ...more } = isFields(pair) ? pair : {};
    return typeof key === 'string' && key !== '__proto__' && Object.keys(more).length === 0
      ? ([key, value] as const)
      : null;
  });
  return pairs.some((pair) => pair === null) ? null : pairs.filter((pair) => pair !== null);
}

function toText(value: unknown): unknown {
  if (typeof value === 'boolean') return String(value);
  // JSON has rounded larger ones already: they are no longer what was written.
  const isExact = typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value));
  return isExact ? String(value) : value;
}

/** Lists call `authentication` what creates call `credentials`, and do not tell the password. Undefined: none. */
function userIn(url: Draft, at: string, { faults }: Findings): unknown {
  const listed = userOf(take(url, 'authentication'), `${at}/authentication`, faults);
  const sent = userOf(url.get('credentials'), `${at}/credentials`, faults);
  if (sent === undefined && isFields(listed) && 'login' in listed && !('password' in listed)) {
    faults.push(
      `"password" is missing in "${at}/authentication"; lists do not contain passwords, so add it, or send "credentials"`,
    );
    return undefined;
  }
  if (!isFields(listed) || !isFields(sent)) return sent ?? listed;
  for (const name of ['login', 'password']) {
    if (!(name in listed) || !(name in sent) || listed[name] === sent[name]) continue;
    faults.push(`"authentication" and "credentials" of "${at}" have different ${name}s`);
  }
  return { ...listed, ...sent };
}

function userOf(value: unknown, at: string, faults: string[]): unknown {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  if (!isFields(value)) return value;
  // An empty password is one.
  const user = Object.fromEntries(Object.entries(value).filter(([, text]) => text !== null));
  const { type = 'basic', ...rest } = user;
  if (typeof type !== 'string' || type.toLowerCase() !== 'basic') {
    faults.push(`"type" in "${at}" must be "basic"`);
  }
  return Object.keys(rest).length === 0 ? undefined : rest;
}

const NUMBER_KINDS: ReadonlySet<string> = new Set(['count', 'percent', 'seconds', 'milliseconds', 'delay']);

/** Numbers and flags of a form, by the kinds of their fields. */
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

/** What a service says of a test, and nobody else. */
const SERVICE_FIELDS = ['test_id', 'domain', 'status', 'progress'];

function dropServiceFields(test: Draft, { warnings }: Findings): void {
  const given = SERVICE_FIELDS.filter((name) => test.has(name));
  for (const name of given) test.delete(name);
  if (given.length === 0) return;
  const names = given.map((name) => `"${name}"`).join(', ');
  warnings.push(`what was given for ${names} has no effect; the service says that of a test`);
}

function warnOfIgnored(test: Draft, { warnings, faults }: Findings): void {
  const tags = listOf(test.get('tag_names'));
  putField(test, 'tag_names', Array.isArray(tags) && tags.length === 0 ? undefined : tags);
  if (test.has('next_run_at') && !test.has('scheduled_at')) {
    faults.push('"next_run_at" has no effect; use "scheduled_at" for a test that is to start later');
  }
  for (const name of Object.keys(ignoredOf(Object.fromEntries(test)))) {
    warnings.push(`"${name}" has no effect; it is kept and listed`);
  }
}

/** Fields that mean nothing here: kept and listed as they were given. */
export interface IgnoredFields {
  readonly tag_names?: string[];
  readonly next_run_at?: string;
}

/** @param test that fits the schema */
export function ignoredOf(test: IgnoredFields): IgnoredFields {
  const { tag_names: tags, next_run_at: next } = test;
  return {
    ...(tags === undefined ? {} : { tag_names: tags }),
    ...(next === undefined ? {} : { next_run_at: next }),
  };
}

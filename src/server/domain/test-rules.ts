/** What a test must mean to be accepted, beyond its schema. Finds everything that is wrong; touches nothing. */
import type { TestCreate, UrlEntry } from '../../contract/generated/test-create.ts';
import { formatInstant, parseInstant } from '../../core/instant.ts';
import { faultsOfExpressions, findExpressions } from '../../core/load/expression.ts';
import { compileTemplate } from '../../core/load/template.ts';
import { isHeaderToken, isReservedHeader } from '../../core/model/header-name.ts';
import { parseUrl } from './app-host.ts';
import type { MailRecipients } from './mail-recipients.ts';
import type { OutsideHosts } from './outside-hosts.ts';
import type { TestPayload } from './payload-files.ts';

const CONTROL = /\p{Cc}/u;
/** All of them but the tab, which a header's value may hold (RFC 9110, section 5.5). */
const CONTROL_IN_HEADER = /(?!\t)\p{Cc}/u;

/** A URL of a test, read. */
export interface ReadUrl {
  readonly secure: boolean;
  /** Host with non-default port, as apps are named. */
  readonly authority: string;
  /** The same without the port; IPv6 in brackets. */
  readonly bareHost: string;
  readonly port: number;
  /** Path and query as they are sent, but for variables; the parser may have escaped the braces of these. */
  readonly path: string;
}

/** What the service can do, and when it is asked. */
export interface RuleSettings {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether tests may wait for a time. */
  readonly schedules: boolean;
  /** Null: no mail can be sent. */
  readonly mail: MailRecipients | null;
  readonly outside: OutsideHosts;
}

/** The errors of a test that fits the schema, in words, in the order of its fields. None: empty. */
export function errorsOfTest(test: TestCreate, settings: RuleSettings): readonly string[] {
  const errors = [...errorsOfSchedule(test, settings), ...errorsOfNotices(test, settings)];
  test.urls.forEach((entry, index) => {
    errors.push(...[...errorsOfUrl(entry, settings)].map((text) => `urls[${index}]: ${text}`));
  });
  // A payload file may define what is missing here: see errorsOfPayload.
  const complete = test.urls.every((entry) => entry.payload_file_url === undefined);
  return complete ? [...errors, ...undefinedVariables(test, new Set())] : errors;
}

/** The errors of a test together with its payload files, which are known only once they are fetched. */
export function errorsOfPayload(test: TestCreate, payload: TestPayload): readonly string[] {
  const errors: string[] = [];
  const columns = payload.passRows.flatMap((list) => list.names);
  const names = new Set(columns);
  // Not which one: what stands in a file is nothing for its reader to tell.
  if (names.size < columns.length) errors.push('two payload files define the same variable');
  const taken = new Set(test.urls.flatMap((entry) => (entry.variables ?? []).map(({ name }) => name)));
  for (const name of taken) if (names.has(name)) errors.push(`the variable "${name}" is defined twice`);
  payload.requestRows.forEach((rows, index) => {
    if (rows === null || test.urls[index]?.raw_post_body === undefined) return;
    errors.push(`urls[${index}]: "raw_post_body" and a payload file with "keys" exclude each other`);
  });
  return [...errors, ...undefinedVariables(test, names)];
}

/** @param known from the beginning of a pass */
function undefinedVariables(test: TestCreate, known: ReadonlySet<string>): readonly string[] {
  const defined = new Set(known);
  return test.urls.flatMap((entry, index) => {
    const missing = new Set<string>();
    for (const { text, escaped } of slots(entry)) {
      for (const name of compileTemplate(text, { escaped }).names) if (!defined.has(name)) missing.add(name);
    }
    for (const variable of entry.variables ?? []) defined.add(variable.name);
    return Array.from(
      missing,
      (name) => `urls[${index}]: "{{${name}}}" is not a variable of an earlier URL of the test`,
    );
  });
}

function* errorsOfSchedule(test: TestCreate, settings: RuleSettings): Generator<string> {
  if (test.scheduled_at === undefined) return;
  const at = parseInstant(test.scheduled_at);
  if (at === null) {
    yield '"scheduled_at" must be a time such as "2026-12-24 03:00:00" in UTC, or RFC 3339';
  } else if (!settings.schedules) {
    yield '"scheduled_at" needs a service that stays: this one ends with its command; use "loadtests serve"';
  } else if (at <= settings.now) {
    yield `"scheduled_at" has passed; it is ${formatInstant(settings.now)} UTC`;
  }
}

function* errorsOfNotices(test: TestCreate, settings: RuleSettings): Generator<string> {
  const { callback, callback_email: address } = test;
  if (callback !== undefined) {
    const reason = settings.outside.refusalOf(callback);
    if (reason !== null) yield `"callback" ${reason}`;
  }
  if (address === undefined) return;
  if (settings.mail === null) {
    yield '"callback_email" needs a service that was told of a mail relay; this one has none';
    return;
  }
  const reason = settings.mail.refusalOf(address);
  if (reason !== null) yield `"callback_email" ${reason}`;
}

function* errorsOfUrl(entry: UrlEntry, settings: RuleSettings): Generator<string> {
  yield* errorsOfAddress(entry.url);
  if (entry.payload_file_url !== undefined) {
    const reason = settings.outside.refusalOf(entry.payload_file_url);
    if (reason !== null) yield `"payload_file_url" ${reason}`;
  }
  if (entry.request_type !== 'POST' && entry.raw_post_body !== undefined) {
    yield '"raw_post_body" is for POST; a GET has no body';
  }
  if (entry.raw_post_body !== undefined && entry.request_params !== undefined) {
    yield '"raw_post_body" and "request_params" exclude each other';
  }
  yield* errorsOfHeaders(entry);
  yield* errorsOfCredentials(entry);
  yield* errorsOfVariables(entry);
  yield* errorsOfExpressions(entry);
}

function* errorsOfAddress(text: string): Generator<string> {
  if (CONTROL.test(text) || text.trim() !== text) {
    yield 'the URL holds a control character, or a blank at its ends';
    return;
  }
  if (!/^https?:\/\//i.test(text)) {
    yield 'the URL must be absolute and begin with http:// or https://';
    return;
  }
  if (readUrl(text) !== null) return;
  const authority = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
  if (authority.includes('@')) yield 'the URL holds a user part; give "credentials" instead';
  else if (/[{}]/.test(authority)) yield 'the host of the URL must be fixed; variables may follow after it';
  else yield 'the URL has no usable host';
}

/**
 * Reads a URL of a test.
 *
 * Errors: null where it is not absolute http(s), has a user part, or a host that is not plain.
 */
export function readUrl(text: string): ReadUrl | null {
  // A backslash is a slash to some readers of URLs and not to others, so it may not decide where the host ends.
  const parts = /^(https?):\/\/([^/?#\\@]+)((?:[/?][^#]*)?)(?:#.*)?$/is.exec(text);
  if (parts === null || CONTROL.test(text)) return null;
  const [, scheme = '', host = '', rest = ''] = parts;
  const url = parseUrl(`${scheme}://${host}/`);
  if (url === null || /[^a-z0-9._:[\]-]/.test(url.host) || url.port === '0') return null;
  const secure = url.protocol === 'https:';
  return {
    secure,
    authority: url.host,
    bareHost: url.hostname,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: pathOf(url, rest),
  };
}

function pathOf(origin: URL, rest: string): string {
  const url = new URL(rest.startsWith('/') ? `${origin.origin}${rest}` : `${origin.origin}/${rest}`);
  return url.pathname + url.search;
}

function* errorsOfHeaders(entry: UrlEntry): Generator<string> {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(entry.headers ?? {})) {
    const lower = name.toLowerCase();
    if (!isHeaderToken(name)) yield `a header name has characters that no header has`;
    else if (isReservedHeader(name)) yield `the header "${name}" is set by the service and cannot be given`;
    if (seen.has(lower)) yield `the header "${name}" is given twice`;
    seen.add(lower);
    if (CONTROL_IN_HEADER.test(value))
      yield `the value of the header "${name}" holds a line break or control character`;
  }
}

function* errorsOfCredentials(entry: UrlEntry): Generator<string> {
  if (entry.credentials === undefined) return;
  const { login, password } = entry.credentials;
  if (login.includes(':')) yield 'the login holds a colon, which Basic authentication cannot carry';
  if (CONTROL.test(login) || CONTROL.test(password))
    yield 'the credentials hold a line break or control character';
  const names = Object.keys(entry.headers ?? {}).map((name) => name.toLowerCase());
  if (names.includes('authorization'))
    yield '"credentials" and the header "Authorization" exclude each other';
}

function* errorsOfVariables(entry: UrlEntry): Generator<string> {
  const own = new Set<string>();
  for (const { name, property } of entry.variables ?? []) {
    if (own.has(name)) yield `the variable "${name}" is taken twice from one answer`;
    own.add(name);
    if (!isHeaderToken(property)) yield `the variable "${name}" reads a header whose name no header has`;
  }
}

function* errorsOfExpressions(entry: UrlEntry): Generator<string> {
  yield* new Set([...slots(entry)].flatMap(({ text, escaped }) => faultsOfExpressions(text, { escaped })));
  for (const name of Object.keys(entry.request_params ?? {})) {
    if (compileTemplate(name).names.length > 0 || findExpressions(name).length > 0) {
      yield 'the name of a parameter holds a variable or an expression; only its value may';
    }
  }
}

/** The texts in which variables and expressions mean something; in URLs also with escaped braces. */
function* slots(entry: UrlEntry): Generator<{ readonly text: string; readonly escaped: boolean }> {
  yield { text: entry.url, escaped: true };
  for (const text of Object.values(entry.headers ?? {})) yield { text, escaped: false };
  for (const text of Object.values(entry.request_params ?? {})) yield { text, escaped: false };
  if (entry.raw_post_body !== undefined) yield { text: entry.raw_post_body, escaped: false };
}

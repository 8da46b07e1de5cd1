/**
 * Brings what is declared and what is listed into one comparable form: a flat map from field to value.
 *
 * Shape:  fields that are empty or equal their default are not in the map, on either side, so that
 *         null, "", {}, [] and absent are one.
 * Source: docs/design/reconciler.md, section 2; known facts on spellings of test types.
 */
import { formatInstant } from '../instant.ts';
import {
  SPEC_DEFAULTS,
  type LoadTestSpec,
  type ObservedTarget,
  type ObservedTest,
  type TargetSpec,
} from '../model/load-test.ts';
import { Secret, type Text } from '../model/secret.ts';
import { pointerOf } from '../pointer.ts';
import { plainNotes, readNotes } from './mark.ts';

/** A text with secret parts; null stands for each of them. */
export interface SecretPattern {
  readonly parts: readonly (string | null)[];
}

export type FieldValue = string | number | boolean | SecretPattern;

/** From JSON Pointer, with the API's field names, to value. */
export type FieldMap = ReadonlyMap<string, FieldValue>;

export function normalizeSpec(spec: LoadTestSpec): FieldMap {
  const targets = spec.targets.map(declaredTarget);
  return fieldMap({ ...spec, notes: plainNotes(spec.notes), targets });
}

export function normalizeObserved(test: ObservedTest): FieldMap {
  const testType =
    typeof test.testType === 'string' ? test.testType : `unrecognised: ${test.testType.unrecognised}`;
  const targets = test.targets().map(observedTarget);
  return fieldMap({ ...test, testType, notes: readNotes(test.notes).own, targets });
}

/** What both sides have in common before they become a map. */
interface Comparable {
  readonly testType: string;
  readonly name: string | null;
  readonly notes: string | null;
  readonly initial: number | null;
  readonly total: number | null;
  readonly duration: number | null;
  readonly timeout: number | null;
  readonly callback: string | null;
  readonly callbackEmail: string | null;
  readonly scheduledAt: number | null;
  readonly tlsVerify: boolean | null;
  readonly targets: readonly ComparableTarget[];
}

interface ComparableTarget {
  readonly url: string;
  readonly method: string | null;
  readonly login: FieldValue | null;
  readonly headers: readonly (readonly [string, FieldValue])[];
  readonly params: readonly (readonly [string, FieldValue])[];
  readonly body: FieldValue | null;
  readonly payloadFileUrl: string | null;
}

function declaredTarget(target: TargetSpec): ComparableTarget {
  return {
    ...target,
    login: target.credentials && patternOf(target.credentials.login),
    headers: (target.headers ?? []).map((header) => [header.name, patternOf(header.value)] as const),
    params: (target.params ?? []).map((param) => [param.name, patternOf(param.value)] as const),
    body: target.body === null ? null : patternOf(target.body),
  };
}

function observedTarget(target: ObservedTarget): ComparableTarget {
  return {
    ...target,
    login: target.credentials?.login ?? null,
    headers: target.headers.map((header) => [header.name, header.value] as const),
    params: target.params.map((param) => [param.name, param.value] as const),
  };
}

function patternOf(text: Text): FieldValue {
  if (typeof text === 'string') return text;
  return { parts: text.parts.map((part) => (part instanceof Secret ? null : part)) };
}

function fieldMap(test: Comparable): FieldMap {
  const fields = new Map<string, FieldValue>();
  const set = (path: readonly (string | number)[], value: FieldValue | null, standard?: FieldValue) => {
    if (value !== null && value !== '' && value !== standard) fields.set(pointerOf(path), value);
  };
  const firstUrl = test.targets[0]?.url ?? '';
  set(['test_type'], test.testType);
  if (test.name !== null && normalizeUrl(test.name) !== normalizeUrl(firstUrl)) set(['name'], test.name);
  if (test.testType === 'cycling') set(['initial'], test.initial, SPEC_DEFAULTS.initial);
  set(['total'], test.total, SPEC_DEFAULTS.total);
  set(['duration'], test.duration === null ? null : test.duration / 1000);
  set(['timeout'], test.timeout, SPEC_DEFAULTS.timeout);
  set(['callback'], test.callback === null ? null : normalizeUrl(test.callback));
  set(['callback_email'], test.callbackEmail);
  set(['scheduled_at'], test.scheduledAt === null ? null : formatInstant(test.scheduledAt));
  set(['notes'], test.notes);
  set(['tls_verify'], test.tlsVerify, true);
  for (const [index, target] of test.targets.entries()) {
    const at = (...path: string[]) => ['urls', index, ...path];
    set(at('url'), normalizeUrl(target.url));
    set(
      at('request_type'),
      target.method === null ? null : target.method.toUpperCase(),
      SPEC_DEFAULTS.method,
    );
    set(at('credentials', 'login'), target.login);
    for (const [name, value] of target.headers) set(at('headers', name.toLowerCase()), value);
    for (const [name, value] of target.params) set(at('request_params', name), value);
    set(at('raw_post_body'), target.body);
    set(at('payload_file_url'), target.payloadFileUrl === null ? null : normalizeUrl(target.payloadFileUrl));
  }
  return fields;
}

/**
 * One spelling of a URL: scheme and host in lower case, no default port, no fragment, a path without `.` and `..`,
 * escapes in capitals and only where they are needed.
 *
 * Errors: none; a text that is no http(s) URL comes back as it is.
 */
export function normalizeUrl(url: string): string {
  const match = /^(https?):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?/i.exec(url.trim());
  if (match === null) return url;
  const scheme = (match[1] ?? '').toLowerCase();
  const [, user = '', host = ''] = /^(.*@)?(.*)$/.exec(match[2] ?? '') ?? [];
  const authority = user + host.toLowerCase().replace(scheme === 'https' ? /:443$/ : /:80$/, '');
  const path = withoutDots(escapes(match[3] ?? '')) || '/';
  const query = match[4] === '?' ? '' : escapes(match[4] ?? '');
  return `${scheme}://${authority}${path}${query}`;
}

// A service may store {{name}} escaped; unreserved characters mean the same with and without escape.
function escapes(text: string): string {
  return text
    .replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
      const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
      return /[A-Za-z0-9._~'{}-]/.test(character) ? character : escape.toUpperCase();
    })
    .replaceAll(/[^\x21-\x7e\ud800-\udfff]|["<>`]/gu, encodeURIComponent);
}

/** Source: RFC 3986 §5.2.4. */
function withoutDots(path: string): string {
  const segments: string[] = [];
  const parts = path.split('/');
  for (const [index, part] of parts.entries()) {
    const dots = part === '.' || part === '..';
    if (part === '..' && segments.length > 1) segments.pop();
    if (!dots) segments.push(part);
    else if (index === parts.length - 1) segments.push('');
  }
  return segments.join('/');
}

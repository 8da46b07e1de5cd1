/** Spellings of records of hosted services; the differences must not change behavior. */
import type { TestRecord, UrlRecord } from '../../src/contract/generated/test-record.ts';
import type { LoadTestSpec, TestType } from '../../src/core/model/load-test.ts';
import { maskText, revealText } from '../../src/core/model/secret.ts';

export interface Spelling {
  readonly labels: Readonly<Record<TestType, string>>;
  /** Representation of fields without a value. */
  readonly emptyValue: 'documented' | 'null' | 'empty' | 'object' | 'absent';
  readonly unnamed: 'empty' | 'null' | 'first-url';
  readonly numbersAsStrings: boolean;
  readonly urls: 'kept' | 'shouted';
  readonly headers: 'kept' | 'shouted';
  /** `padded`: with trailing white space. A number: truncated to this number of characters. A function: as it returns. */
  readonly notes: 'kept' | 'crlf' | 'padded' | 'dropped' | number | ((notes: string) => string);
  readonly instants: 'kept' | 'rfc3339';
  readonly echoPasswords: boolean;
  readonly defaults: 'shown' | 'absent';
}

export const PLAIN_SPELLING: Spelling = {
  labels: { cycling: 'Cycling', 'non-cycling': 'Non-Cycling', 'per-second': 'Clients per second' },
  emptyValue: 'documented',
  unnamed: 'empty',
  numbersAsStrings: false,
  urls: 'kept',
  headers: 'kept',
  notes: 'kept',
  instants: 'kept',
  echoPasswords: false,
  defaults: 'shown',
};

/** Returns notes as the service stores them. */
export function storedNotes(notes: string, spelling: Spelling): string {
  if (typeof spelling.notes === 'number') return notes.slice(0, spelling.notes);
  if (typeof spelling.notes === 'function') return spelling.notes(notes);
  switch (spelling.notes) {
    case 'kept':
      return notes;
    case 'crlf':
      return notes.replaceAll(/\r?\n/g, '\r\n');
    case 'padded':
      return notes === '' ? '' : `${notes} \n\n`;
    case 'dropped':
      return '';
  }
}

/** Rewrites a record of `encodeTestRecord` in the service's spelling. */
export function respellRecord(record: TestRecord, spec: LoadTestSpec, spelling: Spelling): object {
  const notes = storedNotes(spec.notes ?? '', spelling);
  const written = {
    ...record,
    test_type: spelling.labels[spec.testType],
    name: nameOf(record, spelling),
    notes: notes === '' ? emptyValueOf('notes', spelling) : notes,
    callback: valueOr(spec.callback === null ? null : respellUrl(spec.callback, spelling), spelling),
    callback_email: valueOr(spec.callbackEmail, spelling),
    scheduled_at: valueOr(instantOf(record.scheduled_at ?? null, spelling), spelling),
    ...respellNumbers({ duration: record.duration }, spelling),
    ...respellNumbers(
      spelling.defaults === 'shown'
        ? { initial: record.initial, total: record.total, timeout: record.timeout }
        : { initial: spec.initial, total: spec.total, timeout: spec.timeout },
      spelling,
    ),
    urls: record.urls.map((url, index) => respellTarget(url, { spec, index, spelling })),
    answered_by: 'memory',
  };
  return spelling.emptyValue === 'absent' ? withoutUndefined(written) : written;
}

function nameOf(record: TestRecord, spelling: Spelling): unknown {
  if (record.name !== undefined && record.name !== null && record.name !== '') return record.name;
  switch (spelling.unnamed) {
    case 'empty':
      return '';
    case 'null':
      return null;
    case 'first-url':
      return record.urls[0]?.url;
  }
}

function respellTarget(
  record: UrlRecord,
  { spec, index, spelling }: { spec: LoadTestSpec; index: number; spelling: Spelling },
): object {
  const target = spec.targets[index];
  const credentials = target?.credentials ?? null;
  const written = {
    ...record,
    url: respellUrl(record.url, spelling),
    truncated_url: record.url.slice(0, 30),
    request_type: spelling.defaults === 'absent' && target?.method === null ? undefined : record.request_type,
    authentication:
      credentials === null
        ? emptyValueOf('authentication', spelling)
        : {
            type: 'basic',
            login: maskText(credentials.login),
            ...(spelling.echoPasswords ? { password: revealText(credentials.password) } : {}),
          },
    headers: mapOr(record.headers, spelling, spelling.headers === 'shouted'),
    request_params: mapOr(record.request_params, spelling, false),
    raw_post_body: valueOr(record.raw_post_body ?? null, spelling),
    payload_file_url: valueOr(record.payload_file_url ?? null, spelling),
  };
  return spelling.emptyValue === 'absent' ? withoutUndefined(written) : written;
}

function mapOr(map: UrlRecord['headers'], spelling: Spelling, shouted: boolean): unknown {
  const entries = Object.entries(map ?? {});
  if (entries.length === 0) return emptyValueOf('map', spelling);
  return Object.fromEntries(entries.map(([name, value]) => [shouted ? name.toUpperCase() : name, value]));
}

function valueOr(value: string | null, spelling: Spelling): unknown {
  return value ?? emptyValueOf('text', spelling);
}

function emptyValueOf(kind: 'notes' | 'text' | 'map' | 'authentication', spelling: Spelling): unknown {
  switch (spelling.emptyValue) {
    case 'documented':
      return kind === 'map' ? {} : kind === 'notes' ? '' : null;
    case 'null':
      return null;
    case 'empty':
      return kind === 'map' ? [] : kind === 'authentication' ? {} : '';
    case 'object':
      return kind === 'map' || kind === 'authentication' ? {} : null;
    case 'absent':
      return undefined;
  }
}

function respellUrl(url: string, { urls }: Spelling): string {
  if (urls === 'kept') return url;
  const [, scheme = '', authority = '', rest = ''] = /^(https?):\/\/([^/?#]*)(.*)$/.exec(url) ?? [];
  const port = /:\d+$/.test(authority) ? '' : scheme === 'https' ? ':443' : ':80';
  return `${scheme.toUpperCase()}://${authority.toUpperCase()}${port}${rest === '/' ? '' : rest}`;
}

function instantOf(text: string | null, { instants }: Spelling): string | null {
  return text === null || instants === 'kept' ? text : `${text.replace(' ', 'T')}Z`;
}

function respellNumbers(
  fields: Readonly<Record<string, unknown>>,
  spelling: Spelling,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
      if (value === null || value === undefined) return [[name, emptyValueOf('text', spelling)]];
      return [[name, spelling.numbersAsStrings && typeof value === 'number' ? String(value) : value]];
    }),
  );
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

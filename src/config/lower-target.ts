/** Lowering of a URL entry to a target. */
import { basename, dirname, join } from 'node:path';
import { delayOf, type Delay } from '../core/model/delay.ts';
import {
  SPEC_DEFAULTS,
  type NamedText,
  type TargetSpec,
  type VariableSpec,
} from '../core/model/load-test.ts';
import type { BodyFile, PayloadFile } from '../core/model/payload-file.ts';
import {
  readRequestBody,
  type BodyFault,
  type BodyFields,
  type BodyPart,
  type NamedValue,
} from '../core/model/request-body.ts';
import { AWS_NAMES } from '../core/model/aws-sigv4.ts';
import { Secret, type Text } from '../core/model/secret.ts';
import { URL_FIELDS } from '../core/model/test-fields.ts';
import type { RowOptions } from '../core/model/payload-file.ts';
import { readUrl } from '../core/model/url.ts';
import { withoutUndefined } from '../core/present-fields.ts';
import { pointerOf } from '../core/pointer.ts';
import { quote } from '../core/quote.ts';
import { comparisonText, type ExpectedValue, type JsonScalar } from '../core/model/condition.ts';
import {
  bodyContaining,
  EXPECTED_CODES,
  nullIfEmpty,
  parseExpectedStatus,
  type Expectation,
  type ExpectedBody,
  type StatusClass,
} from '../core/model/expectation.ts';
import type {
  AwsSigv4Entry,
  ConditionEntry,
  CredentialsEntry,
  ExpectationEntry,
  ExpectedBodyEntry,
  UrlEntry,
} from './generated/config-file.ts';
import { lowerJson } from './lower-json.ts';
import { normalizeUrl } from './hosts.ts';
import { appKeyOf } from './import-names.ts';
import {
  fieldOf,
  lowerDuration,
  lowerFlag,
  addError,
  addWarning,
  type LoweringContext,
} from './quantities.ts';

export type KnownHosts = ReadonlySet<string>;

/** A target, with a fault if the target cannot represent the body. */
export interface LoweredTarget {
  readonly target: TargetSpec;
  readonly fault: BodyFault | null;
}

export function lowerTarget(
  to: LoweringContext,
  entry: UrlEntry,
  pointer: string,
  {
    hosts,
    origin,
    compression,
    onFailure,
  }: {
    readonly hosts: KnownHosts | null;
    /** Origin of a URL that consists of one variable, such as `{{next}}`; null for any other URL. */
    readonly origin: string | null;
    readonly compression: boolean;
    readonly onFailure: string | null;
  },
): LoweredTarget {
  const texts = (field: 'headers' | 'request_params') =>
    entry[field] === undefined ? null : lowerTextMap(to, entry[field], `${pointer}/${field}`);
  const fields = {
    params: texts('request_params'),
    ...lowerBody(to, entry, pointer),
    bodyFile:
      entry.body_file === undefined ? null : lowerBodyFile(to, entry.body_file, `${pointer}/body_file`),
    multipart: lowerMultipart(to, entry, `${pointer}/multipart`),
  };
  const { body, fault } = readRequestBody(fields, entry.request_type ?? SPEC_DEFAULTS.method);
  const target: TargetSpec = {
    url: lowerUrl(
      to,
      origin === null ? entry : { ...entry, url: `${origin}/${entry.url ?? ''}` },
      pointer,
      hosts,
    ),
    resolveUrl: origin === null ? null : true,
    method: entry.request_type ?? null,
    credentials: lowerCredentials(to, entry, pointer),
    awsSigv4: lowerAwsSigv4(to, entry, pointer),
    headers: withCompression(
      withContentType(texts('headers'), entry),
      lowerFlag(to, fieldOf(entry, 'compression', pointer)) ?? compression,
    ),
    body,
    payloadFileUrl: entry.payload_file_url ?? null,
    payloadFile:
      entry.payload_file === undefined
        ? null
        : lowerPayloadFile(to, entry.payload_file, `${pointer}/payload_file`),
    delay: lowerDelay(to, entry, `${pointer}/delay`),
    onFailure,
    variables:
      entry.variables === undefined
        ? null
        : entry.variables.map((one, index) => lowerVariable(to, one, `${pointer}/variables/${index}`)),
    expect: typeof entry.expect === 'object' ? lowerExpectation(to, entry.expect, `${pointer}/expect`) : null,
  };
  return { target, fault };
}

function lowerUrl(to: LoweringContext, entry: UrlEntry, pointer: string, hosts: KnownHosts | null): string {
  if (entry.url === undefined) {
    // A group without requests has a message of its own.
    if (to.isComplete(pointer) && entry.repeat === undefined && entry.for_each === undefined)
      addError(
        to,
        'LT_CONFIG_SHAPE',
        'the entry has no "url"; set "url" for a request, or "urls" for a group of requests',
        pointer,
      );
    return '';
  }
  if (entry.url === '') {
    const message = '"url" is empty; write an http or https URL, such as https://www.example.com/';
    addError(to, 'LT_CONFIG_VALUE', message, `${pointer}/url`);
  }
  const read = readUrl(entry.url);
  // Ignores an invalid URL, because the test rules report it.
  if (read !== null && hosts !== null && !hosts.has(read.authority) && !hosts.has(read.bareHost)) {
    const known =
      hosts.size === 0
        ? ''
        : ` (declared: ${firstHosts(hosts, 10).join(', ')}${hosts.size > 10 ? ', …' : ''})`;
    const message = `no app is declared for "${read.authority}"${known}; add one under "apps", for example: ${appKeyOf(read.authority)}: "${read.authority}"`;
    addError(to, 'LT_CONFIG_NO_APP', message, `${pointer}/url`);
  }
  return normalizeUrl(entry.url);
}

function firstHosts(hosts: KnownHosts, count: number): readonly string[] {
  const first: string[] = [];
  for (const host of hosts) {
    if (first.push(host) === count) break;
  }
  return first;
}

function lowerCredentials(to: LoweringContext, entry: UrlEntry, pointer: string): TargetSpec['credentials'] {
  const { credentials } = entry;
  if (credentials === undefined) return null;
  const at = `${pointer}/credentials`;
  const part = (key: keyof CredentialsEntry): Text => {
    if (credentials[key] !== undefined) return textAtPointer(to, `${at}/${key}`);
    const message = `"credentials" has no "${key}"; set both "login" and "password"`;
    if (to.isComplete(at)) addError(to, 'LT_CONFIG_SHAPE', message, to.locations.key(at));
    return '';
  };
  return { login: part('login'), password: part('password') };
}

function lowerAwsSigv4(to: LoweringContext, entry: UrlEntry, pointer: string): TargetSpec['awsSigv4'] {
  const { aws_sigv4: settings } = entry;
  if (settings === undefined) return null;
  const at = `${pointer}/${URL_FIELDS.awsSigv4.name}`;
  const { sessionToken, ...required } = AWS_NAMES;
  for (const name of Object.values(required)) {
    if ((settings[name] ?? '') !== '' || !to.isComplete(at)) continue;
    const message = `"aws_sigv4" has no "${name}"; set "region", "service", "access_key_id" and "secret_access_key"`;
    addError(to, 'LT_CONFIG_SHAPE', message, to.locations.key(at));
  }
  const text = (name: keyof AwsSigv4Entry): Text =>
    settings[name] === undefined ? '' : textAtPointer(to, `${at}/${name}`);
  return {
    region: settings.region ?? '',
    service: settings.service ?? '',
    accessKeyId: text(AWS_NAMES.accessKeyId),
    secretAccessKey: asSecret(AWS_NAMES.secretAccessKey, text(AWS_NAMES.secretAccessKey)),
    sessionToken: settings[sessionToken] === undefined ? null : asSecret(sessionToken, text(sessionToken)),
  };
}

/** Converts a string from a file or variable to a secret, so that its value is never displayed. */
export function asSecret(name: string, text: Text): Text {
  return typeof text === 'string' ? { parts: [new Secret(name, text)] } : text;
}

function lowerDelay(to: LoweringContext, { delay }: UrlEntry, pointer: string): Delay | null {
  if (delay === undefined) return null;
  const duration = (value: number | string, at: string) =>
    lowerDuration(to, { value, pointer: at, name: 'delay' }, { bare: 'ms', unit: 'ms', min: 0 });
  const min = Array.isArray(delay) ? duration(delay[0], `${pointer}/0`) : duration(delay, pointer);
  const max = Array.isArray(delay) ? duration(delay[1], `${pointer}/1`) : min;
  return min === null || max === null ? null : delayOf(min, max);
}

export function lowerPayloadFile(
  to: LoweringContext,
  entry: NonNullable<UrlEntry['payload_file']>,
  pointer: string,
): PayloadFile {
  const { file: path, ...named } = typeof entry === 'string' ? { file: entry } : entry;
  const options: RowOptions = named;
  const { delimiter } = options;
  if (delimiter !== undefined && (delimiter.length !== 1 || /[\w"\r\n]/.test(delimiter))) {
    const message = `${quote(delimiter)} is not a valid delimiter; write a single character such as ",", ";", "|" or "\\t"`;
    addError(to, 'LT_CONFIG_VALUE', message, `${pointer}/delimiter`);
    return { sha256: '', declared: null };
  }
  const read = to.readRows(path, Object.keys(options).length === 0 ? undefined : options);
  if ('file' in read) return read.file;
  const { place } = read;
  const pathLocation = to.locations.value(typeof entry === 'string' ? pointer : `${pointer}/file`);
  // The location contains no line text, because rows may contain credentials.
  const source =
    place === undefined
      ? pathLocation
      : { file: join(dirname(pathLocation.file), path), ...place, length: 1, lineText: '' };
  addError(to, 'LT_CONFIG_VALUE', `the payload file ${quote(path)} ${read.reason}`, source);
  return { sha256: '', declared: null };
}

function lowerBodyFile(to: LoweringContext, path: string, pointer: string): BodyFile {
  const read = to.readBodyFile(path);
  if ('file' in read) return read.file;
  addError(to, 'LT_CONFIG_VALUE', `the file ${quote(path)} ${read.reason}`, pointer);
  return UNREAD_FILE;
}

const UNREAD_FILE: BodyFile = { sha256: '', declared: null };

function lowerMissingFile(to: LoweringContext, name: string, at: string): BodyFile {
  const message = `the part ${quote(name)} has neither a "file" nor a "value"; add one of them`;
  if (to.isComplete(at)) addError(to, 'LT_CONFIG_SHAPE', message, to.locations.key(at));
  return UNREAD_FILE;
}

function lowerMultipart(
  to: LoweringContext,
  { multipart }: UrlEntry,
  pointer: string,
): readonly BodyPart<Text>[] | null {
  if (multipart === undefined) return null;
  if (Object.keys(multipart).length === 0 && to.isComplete(pointer))
    addError(to, 'LT_CONFIG_SHAPE', '"multipart" is empty; add at least one part', pointer);
  return Object.entries(multipart).map(([name, part]) => {
    const at = pointer + pointerOf([name]);
    if (typeof part !== 'object') return { name, value: textAtPointer(to, at) };
    const { value, file: path, content_type: contentType, filename } = part;
    if (value !== undefined) {
      if (path !== undefined) {
        const message = `the part "${name}" has a "value" and a "file"; remove one of them`;
        addError(to, 'LT_CONFIG_SHAPE', message, at);
      }
      return withoutUndefined({ name, value: textAtPointer(to, `${at}/value`), contentType, filename });
    }
    return {
      name,
      file: path === undefined ? lowerMissingFile(to, name, at) : lowerBodyFile(to, path, `${at}/file`),
      contentType: contentType ?? null,
      filename: filename ?? (path === undefined ? null : basename(path)),
    };
  });
}

/**
 * Lowers the body of a request. `json` becomes plain text unless values are inserted at run time, because every service
 * supports plain text.
 */
function lowerBody(
  to: LoweringContext,
  entry: UrlEntry,
  pointer: string,
): Pick<BodyFields, 'body' | 'jsonBody'> {
  if (entry.json === undefined) {
    const body = entry.raw_post_body === undefined ? null : textAtPointer(to, `${pointer}/raw_post_body`);
    return { body, jsonBody: null };
  }
  if (entry.raw_post_body !== undefined) {
    const message = '"json" and "raw_post_body" both define the body of the request; remove one of them';
    addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${pointer}/raw_post_body`));
  }
  if (typeof entry.json === 'string' && isJsonText(entry.json)) {
    const message =
      '"json" is text that contains JSON, so the body is a string in quotes; write the JSON as YAML without quotes, or write the text in "raw_post_body"';
    addWarning(to, message, `${pointer}/json`);
  }
  const node = to.locations.node(`${pointer}/json`);
  if (node === null) throw new Error(`Bug: the file has no value at ${pointer}/json`);
  return lowerJson(node);
}

/** Reports whether a text is a JSON object or list. */
function isJsonText(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

function withCompression(headers: NamedText[] | null, compression: boolean): NamedText[] | null {
  const has = headers?.some(({ name }) => name.toLowerCase() === 'accept-encoding') ?? false;
  if (!compression || has) return headers;
  return [...(headers ?? []), { name: 'accept-encoding', value: ACCEPTED_ENCODINGS }];
}

function withContentType(headers: NamedText[] | null, { json }: UrlEntry): NamedText[] | null {
  if (json === undefined) return headers;
  const has = headers?.some(({ name }) => name.toLowerCase() === 'content-type') ?? false;
  return has ? headers : [...(headers ?? []), { name: 'content-type', value: 'application/json' }];
}

function lowerVariable(
  to: LoweringContext,
  { name, property, source = 'header', pick }: NonNullable<UrlEntry['variables']>[number],
  pointer: string,
): VariableSpec {
  if (property === undefined && source !== 'status' && to.isComplete(pointer)) {
    const message = `the variable ${quote(name)} has no "property"; set it to the location of the value in the ${source === 'json' || source === 'body' ? 'response body' : 'response'}`;
    addError(to, 'LT_CONFIG_SHAPE', message, to.locations.key(pointer));
    // Uses the source `status`, because the rules would report an empty property for any other source.
    return { name, property: '', source: 'status' };
  }
  return { name, property: property ?? '', source, ...(pick === undefined ? {} : { pick }) };
}

function lowerExpectation(to: LoweringContext, entry: ExpectationEntry, pointer: string): Expectation {
  const { status, headers = {}, body, json = {} } = entry;
  const within = lowerDuration(to, fieldOf(entry, 'within', pointer), { bare: 'ms', unit: 'ms', min: 1 });
  const values = Object.entries(json).map(([name, value]) => ({
    pointer: name,
    value: lowerExpected(to, value, `${pointer}/json${pointerOf([name])}`),
  }));
  return {
    status: status === undefined ? null : lowerStatuses(to, status, `${pointer}/status`),
    headers: nullIfEmpty(lowerPlainTexts(to, headers, `${pointer}/headers`)),
    body:
      body === undefined ? null : typeof body === 'string' ? bodyContaining(body) : lowerExpectedBody(body),
    json: nullIfEmpty(values),
    ...(within === null ? {} : { within }),
  };
}

function lowerStatuses(
  to: LoweringContext,
  status: NonNullable<ExpectationEntry['status']>,
  at: string,
): readonly (number | StatusClass)[] {
  return Array.isArray(status)
    ? status.flatMap((one, index) => lowerStatus(to, one, `${at}/${index}`))
    : lowerStatus(to, status, at);
}

function lowerStatus(
  to: LoweringContext,
  value: number | string,
  at: string,
): readonly (number | StatusClass)[] {
  const status = parseExpectedStatus(value);
  if (status !== null) return [status];
  const { min, max } = EXPECTED_CODES;
  const message = `${quote(value)} is not a valid status; "status" accepts codes from ${min} to ${max}, such as 201, and classes, such as "2xx"`;
  addError(to, 'LT_CONFIG_VALUE', message, at);
  return [];
}

function lowerExpectedBody({
  contains,
  not_contains: notContains,
  matches,
}: ExpectedBodyEntry): ExpectedBody {
  const listOf = (texts: string | readonly string[] = []) => (typeof texts === 'string' ? [texts] : texts);
  return { contains: listOf(contains), notContains: listOf(notContains), matches: listOf(matches) };
}

export function lowerExpected(
  to: LoweringContext,
  entry: JsonScalar | ConditionEntry,
  at: string,
): ExpectedValue {
  if (typeof entry !== 'object' || entry === null) return entry;
  const { length, number, one_of: oneOf, matches, not } = entry;
  const exists = lowerFlag(to, fieldOf(entry, 'exists', at));
  return withoutUndefined({
    // An invalid flag was already reported, so it counts as true here.
    exists: entry.exists === undefined ? undefined : (exists ?? true),
    length: length === undefined ? undefined : comparisonText(length),
    number: number === undefined ? undefined : comparisonText(number),
    oneOf,
    matches,
    not: not === undefined ? undefined : lowerExpected(to, not, `${at}/not`),
  });
}

/** Lowers a map whose values cannot contain secrets, because interpolation rejects secrets in the map. */
export function lowerPlainTexts(
  to: LoweringContext,
  map: Readonly<Record<string, unknown>>,
  pointer: string,
): readonly NamedValue<string>[] {
  return lowerTextMap(to, map, pointer).map(({ name, value }) => {
    if (typeof value !== 'string')
      throw new Error(`Bug: the interpolation accepted a secret reference at ${pointer}`);
    return { name, value };
  });
}

function lowerTextMap(
  to: LoweringContext,
  map: Readonly<Record<string, unknown>>,
  pointer: string,
): NamedText[] {
  return Object.keys(map).map((name) => ({ name, value: textAtPointer(to, pointer + pointerOf([name])) }));
}

/** Returns the text of a scalar in the file, with its secrets. Returns numbers as written, such as `1.10`. */
export function textAtPointer(to: LoweringContext, pointer: string): Text {
  const node = to.locations.node(pointer);
  if (node?.kind !== 'scalar')
    throw new Error(`Bug: the shape check accepted a value at ${pointer} that is not a scalar`);
  return node.secret ?? node.written;
}

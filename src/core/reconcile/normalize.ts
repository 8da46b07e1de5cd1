/**
 * Normalization of declared and listed tests to a comparable form: maps from field to value.
 * @remarks Fields that are empty or have their default value are excluded, so null, "", {}, [] and absent values are
 * equal. Except in `normalizeFull`, fields that the base API does not list are also excluded.
 * @see docs/internals/reconciler.md, section 2
 */
import type { AbortRule } from '../model/abort-rule.ts';
import { AWS_NAMES } from '../model/aws-sigv4.ts';
import { counted } from '../counted.ts';
import { formatInstant } from '../instant.ts';
import {
  CONNECTION_NAMES,
  HIDDEN_TEXTS,
  CONNECTION_TEXTS,
  type HostConnection,
} from '../model/connection.ts';
import { delayText } from '../model/delay.ts';
import type { Flow } from '../model/flow.ts';
import type { ForEach, Group } from '../model/group.ts';
import type { Stage } from '../model/ramps.ts';
import type { LoadTestSpec, ObservedTest, VariableSpec } from '../model/load-test.ts';
import type { ExpectedValue, VariableCondition } from '../model/condition.ts';
import { keyOfRows } from '../model/payload-file.ts';
import {
  BODY_KINDS,
  BODY_NAMES,
  onlyTextOf,
  statusText,
  type Expectation,
  type ExpectedBody,
} from '../model/expectation.ts';
import type { BodyPart, FilePart, TextPart } from '../model/request-body.ts';
import { ReturnedText, type KnownText } from '../model/secret.ts';
import {
  listEffectiveTestFields,
  listEffectiveUrlFields,
  urlValuesOf,
  type EffectiveField,
  type TestValues,
  type UrlValues,
} from '../model/test-fields.ts';
import { pointerOf } from '../pointer.ts';
import { formatDuration } from '../units.ts';
import { plainNotes, readNotes } from './ownership-marker.ts';

export type FieldValue = KnownText | number | boolean;

/** Field values by JSON Pointer, with the field names of the API. */
export type FieldMap = ReadonlyMap<string, FieldValue>;

export interface Normalized {
  readonly test: FieldMap;
  /** Fields of each URL, with pointers relative to the URL. */
  readonly urls: readonly FieldMap[];
}

export function normalizeSpec(spec: LoadTestSpec): Normalized {
  const name = nameUnlessUrl(spec.name, spec.targets[0]?.url);
  return normalizeTest({ ...spec, name, notes: plainNotes(spec.notes) }, spec.targets.map(urlValuesOf));
}

export function normalizeObserved(test: ObservedTest): Normalized {
  const { values, targets } = listedValues(test);
  return normalizeTest(values, targets);
}

/** Returns the normalized fields of the first URL, which is sufficient to rule out most matches. */
export function normalizeFirstUrl({ targets }: Pick<ObservedTest, 'targets'>): FieldMap {
  const [first] = targets(1);
  return first === undefined ? new Map() : normalizeTarget(first);
}

/** Normalizes a test on the service. Includes fields outside the base API if the service returns them. */
export function normalizeFull(test: ObservedTest): Normalized {
  const { values, targets } = listedValues(test);
  return normalizeTest(values, targets, true);
}

export function pointerInUrl(index: number, pointer: string): string {
  return `/urls/${index}${pointer}`;
}

/**
 * Returns the values of a listed test, without the ownership marker in the notes and without a name that equals the
 * first URL.
 */
export function listedValues(test: ObservedTest): {
  readonly values: TestValues;
  readonly targets: readonly UrlValues[];
} {
  const targets = test.targets();
  const name = nameUnlessUrl(test.name, targets[0]?.url);
  return { values: { ...test, name, notes: readNotes(test.notes).own }, targets };
}

/** Returns null for a name that equals the first URL, because services assign such a name to an unnamed test. */
function nameUnlessUrl(name: string | null, firstUrl = ''): string | null {
  return name !== null && normalizeUrl(name) === normalizeUrl(firstUrl) ? null : name;
}

/**
 * Normalizes the fields of a test and of its URLs.
 * @param full - whether to include the fields that the base API does not list
 */
function normalizeTest(test: TestValues, targets: readonly UrlValues[], full = false): Normalized {
  return {
    test: fieldMap(listEffectiveTestFields(test), full),
    urls: targets.map((target) => normalizeTarget(target, full)),
  };
}

function normalizeTarget(target: UrlValues, full = false): FieldMap {
  return fieldMap(listEffectiveUrlFields(target), full);
}

function fieldMap(effective: readonly EffectiveField[], full: boolean): FieldMap {
  const fields = new Map<string, FieldValue>();
  for (const field of effective) {
    if (field.readFrom === 'marker' && !full) continue;
    for (const [path, value] of toComparableFields(field)) {
      if (!isEmpty(value)) fields.set(`/${field.name}${pointerOf(path)}`, value);
    }
  }
  return fields;
}

function isEmpty(value: FieldValue): boolean {
  return value instanceof ReturnedText ? value.empty : value === '';
}

type ComparableField = readonly [path: readonly string[], value: FieldValue];

function toComparableFields(field: EffectiveField): readonly ComparableField[] {
  switch (field.kind) {
    case 'text':
    case 'count':
    case 'percent':
    case 'milliseconds':
    case 'flag':
      return [[[], field.value]];
    case 'seconds':
      return [[[], field.value / 1000]];
    case 'url':
      return [[[], normalizeUrl(field.value)]];
    case 'instant':
      return [[[], formatInstant(field.value)]];
    case 'type':
      return [
        [[], typeof field.value === 'string' ? field.value : `unrecognized: ${field.value.unrecognized}`],
      ];
    case 'secretText':
      return [[[], field.value]];
    case 'headers':
      return field.value.map(({ name, value }) => [[name.toLowerCase()], value]);
    case 'params':
      return field.value.map(({ name, value }) => [[name], value]);
    case 'values':
      return field.value.map(({ name, value }) => [[name], value]);
    case 'credentials':
      return [[['login'], field.value.login]];
    case 'awsSigv4': {
      const { region, service, accessKeyId } = field.value;
      return [
        [[AWS_NAMES.region], region],
        [[AWS_NAMES.service], service],
        [[AWS_NAMES.accessKeyId], accessKeyId],
      ];
    }
    case 'connection':
      return field.value.flatMap(connectionFields);
    case 'flows':
      return [[[], flowsText(field.value)]];
    case 'groups':
      return [[[], groupsText(field.value)]];
    case 'abortRules':
      return field.value.map((rule) => [[subjectOfRule(rule)], abortText(rule)]);
    case 'stages':
      return [[[], stagesText(field.value)]];
    case 'phase': {
      const { targets, groups, refresh } = field.value;
      const ofTargets = targets.flatMap((target, index) =>
        listEffectiveUrlFields(urlValuesOf(target)).flatMap((one) =>
          toComparableFields(one).map(([path, value]): ComparableField => [
            ['urls', String(index), one.name, ...path],
            value,
          ]),
        ),
      );
      return [
        ...ofTargets,
        ...(groups === undefined ? [] : [[['groups'], groupsText(groups)] as const]),
        ...(refresh === undefined ? [] : [[['refresh'], formatDuration(refresh)] as const]),
      ];
    }
    case 'expectation':
      return expectationFields(field.value);
    case 'delay':
      return [[[], delayText(field.value)]];
    case 'payloadFile':
      return [[[], `sha256:${keyOfRows(field.value)}`]];
    case 'bodyFile':
      return [[[], `sha256:${field.value.sha256}`]];
    case 'multipart':
      return multipartFields(field.value);
    case 'variables':
      return [[[], field.value.map(variableText).join(', ')]];
  }
}

/** Returns the settings of a host, without those that services never return. */
function connectionFields({ host, options }: HostConnection<KnownText>): readonly ComparableField[] {
  const { serverName, tlsMin, resolve = [], ip } = options;
  const shown = CONNECTION_TEXTS.filter((name) => !HIDDEN_TEXTS.some((hidden) => hidden === name));
  return [
    ...shown.map((name): ComparableField => [[host, name], options[name] ?? '']),
    [[host, CONNECTION_NAMES.serverName], serverName ?? ''],
    [[host, CONNECTION_NAMES.tlsMin], tlsMin ?? ''],
    [[host, CONNECTION_NAMES.resolve], resolve.join(', ')],
    [[host, CONNECTION_NAMES.ip], ip ?? ''],
  ];
}

function subjectOfRule({ metric, url, flow, group }: AbortRule): string {
  if (group !== undefined) return `${metric} of the URLs ${group.urls.join(', ')}`;
  if (flow !== undefined) return `${metric} of flow ${flow}`;
  return url === undefined ? metric : `${metric} of URL ${url}`;
}

function abortText({ limit, after, minSamples }: AbortRule): string {
  const samples = minSamples === undefined ? '' : `, with at least ${counted(minSamples, 'response')}`;
  return `${limit} after ${formatDuration(after)}${samples}`;
}

function variableText({ name, source, property, pick }: VariableSpec): string {
  const location = property === '' ? source : `${source} ${property}`;
  return `${name} from ${location}${pick === undefined ? '' : ` (${pick})`}`;
}

function expectationFields(expectation: Expectation): readonly ComparableField[] {
  const { status, headers, body, json, within } = expectation;
  return [
    ...(status === null ? [] : [[['status'], statusText(expectation)] as const]),
    ...(headers ?? []).map(({ name, value }) => [['headers', name.toLowerCase()], value] as const),
    ...(body === null ? [] : bodyFields(body)),
    ...(json ?? []).map(({ pointer, value }) => [['json', pointer], expectedValueText(value)] as const),
    ...(within === undefined ? [] : [[['within'], within] as const]),
  ];
}

function bodyFields(body: ExpectedBody): readonly ComparableField[] {
  const only = onlyTextOf(body);
  if (only !== null) return [[['body'], only]];
  return BODY_KINDS.flatMap((kind): ComparableField[] =>
    body[kind].length === 0 ? [] : [[['body', BODY_NAMES[kind]], JSON.stringify(body[kind])]],
  );
}

/** The format must not change, because digests in existing markers depend on it. */
function expectedValueText(value: ExpectedValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { exists, length, number, oneOf, matches, not } = value;
  const named = [
    ['exists', exists],
    ['length', length],
    ['number', number],
    ['one_of', oneOf],
    ['matches', matches],
  ] as const;
  const members = named.flatMap(([name, member]) =>
    member === undefined ? [] : [`${name}: ${JSON.stringify(member)}`],
  );
  if (not !== undefined) members.push(`not: ${expectedValueText(not)}`);
  return `{ ${members.join(', ')} }`;
}

/** Returns the names of the parts in order, and the content of each part. */
function multipartFields(parts: readonly BodyPart<KnownText>[]): readonly ComparableField[] {
  return [
    [[], parts.map(({ name }) => name).join(', ')],
    ...parts.flatMap((part): readonly ComparableField[] =>
      'value' in part ? textPartFields(part) : [[[part.name], filePartText(part)]],
    ),
  ];
}

function textPartFields({
  name,
  value,
  contentType,
  filename,
}: TextPart<KnownText>): readonly ComparableField[] {
  return [
    [[name], value],
    ...(contentType === undefined ? [] : [[[name, 'content_type'], contentType] as const]),
    ...(filename === undefined ? [] : [[[name, 'filename'], filename] as const]),
  ];
}

function filePartText({ file, contentType, filename }: FilePart): string {
  return [`sha256:${file.sha256}`, contentType ?? '', filename ?? ''].join(' ').trimEnd();
}

/** Returns text like `to 200 in 30s, to 200 in 2m`. */
function stagesText(stages: readonly Stage[]): string {
  const text = ({ duration, to }: Stage) =>
    duration === 0 ? ['at', 'once', to].join(' ') : `to ${to} in ${formatDuration(duration)}`;
  return stages.map(text).join(', ');
}

/** Returns text like `browse 70 (2 URLs), buy 30 (1 URL)`. */
function flowsText(flows: readonly Flow[]): string {
  const text = ({ name, weight, urls, values = [] }: Flow) => {
    const variables = values.map((value) => `, ${value.name}: ${JSON.stringify(value.value)}`);
    return `${name} ${weight} (${counted(urls, 'URL')}${variables.join('')})`;
  };
  return flows.map(text).join(', ');
}

function listText(forEach: ForEach): string {
  const list =
    'values' in forEach ? JSON.stringify(forEach.values) : `{{${forEach.list}}} up to ${forEach.atMost}`;
  return `for each ${forEach.name} in ${list}`;
}

/** Returns text like `URLs 1 to 3 repeat 5, URL 2 when role: "admin"`. */
function groupsText(groups: readonly Group[]): string {
  const conditionsText = (conditions: readonly VariableCondition[]) =>
    conditions.map(({ name, value }) => `${name}: ${expectedValueText(value)}`).join(' and ');
  const text = ({ first, count, repeat, forEach, when, parallel }: Group) => {
    const urls = count === 1 ? `URL ${first + 1}` : `URLs ${first + 1} to ${first + count}`;
    const repetitions =
      typeof repeat === 'object'
        ? `repeat up to ${repeat.atMost} until ${conditionsText(repeat.until)}`
        : repeat === undefined
          ? ''
          : `repeat ${repeat}`;
    return [
      urls,
      repetitions,
      parallel === undefined ? '' : 'parallel',
      forEach === undefined ? '' : listText(forEach),
      when === undefined ? '' : `when ${conditionsText(when)}`,
    ]
      .filter((part) => part !== '')
      .join(' ');
  };
  return groups.map(text).join(', ');
}

/**
 * Normalizes a URL: lowercase scheme and host, no default port, fragment, empty query or dot segments. Decodes escapes
 * of unreserved characters, single quotes and braces; other escapes have uppercase hex digits. Returns other text
 * unchanged.
 */
export function normalizeUrl(url: string): string {
  if (NORMALIZED_URL.test(url) && !url.includes('/.')) return url;
  const match = /^(https?):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?/i.exec(url.trim());
  if (match === null) return url;
  const scheme = (match[1] ?? '').toLowerCase();
  const [, user = '', host = ''] = /^(.*@)?(.*)$/.exec(match[2] ?? '') ?? [];
  const authority = user + host.toLowerCase().replace(scheme === 'https' ? /:443$/ : /:80$/, '');
  const path = removeDotSegments(normalizeEscapes(match[3] ?? '')) || '/';
  const query = match[4] === '?' ? '' : normalizeEscapes(match[4] ?? '');
  return `${scheme}://${authority}${path}${query}`;
}

/** Matches the most common form of URLs, which is already normalized unless a path segment starts with a dot. */
const NORMALIZED_URL = /^https?:\/\/[a-z0-9.-]+\/[A-Za-z0-9._~/-]*$/;

// Services may percent-encode `{{name}}` and unreserved characters.
function normalizeEscapes(text: string): string {
  return text
    .replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
      const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
      return /[A-Za-z0-9._~'{}-]/.test(character) ? character : escape.toUpperCase();
    })
    .replaceAll(/[^\x21-\x7e\ud800-\udfff]|["<>`]/gu, encodeURIComponent);
}

/**
 * Resolves the segments `.` and `..` of a path.
 * @see RFC 3986, section 5.2.4
 */
function removeDotSegments(path: string): string {
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

/**
 * Correlation: replaces a value in recorded requests with a variable if an earlier response contains the value.
 * @remarks To avoid matches by chance, the value is replaced only if it differs between two recordings of the same
 * actions. Without a second recording, a value must look like an identifier, or have the same name in the response and
 * in the request.
 */
import { pointerOf } from '../pointer.ts';
import type { Json } from '../canonical.ts';
import { isNestedDeeperThan } from '../json-nesting.ts';
import {
  mapTexts,
  type IntakeCapture,
  type IntakeNote,
  type IntakeRequest,
  type RecordedResponse,
} from './intake.ts';
import {
  FlatText,
  literalOf,
  type IntakeText,
  type IntakeTextPart,
  decodedFormText,
  decodedJson,
} from './intake-text.ts';

export interface Correlated {
  readonly requests: readonly IntakeRequest[];
  readonly notes: readonly IntakeNote[];
}

interface Source {
  readonly index: number;
  readonly value: string;
  readonly key: string;
  readonly capture: Omit<IntakeCapture, 'name'>;
}

interface Variable {
  readonly name: string;
  /** Name of the fields in which the value is replaced; null for all fields and paths. */
  readonly key: string | null;
}

interface SentValue {
  readonly value: string;
  /** Name of the field; null for a part of a path. */
  readonly key: string | null;
  /** Segments of the path before the value; absent if the value is not part of a path. */
  readonly segments?: readonly string[] | undefined;
}

/**
 * Replaces values from earlier responses with variables, and adds the captures that set these variables.
 * @param again - requests of a second recording of the same actions; null if there is none
 * @param before - number of requests at the beginning that the second recording does not contain
 */
export function correlate(
  requests: readonly IntakeRequest[],
  again: readonly IntakeRequest[] | null,
  before = 0,
): Correlated {
  const notes: IntakeNote[] = [];
  const sources = requests.map(({ response }, index) =>
    response === null ? [] : sourcesOf(response, index),
  );
  const changed =
    again === null
      ? null
      : new Set([
          ...changedValues(requests.slice(before), again),
          ...sources.slice(0, before).flatMap(distinctValues),
        ]);
  const firstSent = new Map<string, number>();
  const variables = new Map<string, Variable>();
  const captures = new Map<number, IntakeCapture[]>();
  const names = new Set<string>();
  const urls = new Map<string, string>();
  const capture = ({ index, key, capture: found }: Source): string => {
    const name = uniqueName(key, names);
    names.add(name);
    captures.set(index, [...(captures.get(index) ?? []), { name, ...found }]);
    return name;
  };
  requests.forEach((request, index) => {
    const url = literalOf(request.url) ?? '';
    const isNew = (value: string) => (firstSent.get(value) ?? index) === index;
    const parts = sentValues({ ...request, headers: [], body: null });
    if (!urls.has(url) && parts.some(({ value }) => isNew(value) && isDistinct(value, changed))) {
      const source = findUrl(requests.slice(0, index), sources, url);
      if (source !== null) urls.set(url, capture(source));
    }
    for (const sent of sentValues(urls.has(url) ? { ...request, url: [] } : request)) {
      const { value } = sent;
      if (!firstSent.has(value)) firstSent.set(value, index);
      if (variables.has(value)) continue;
      const source = isNew(value)
        ? (findSource(sources.slice(0, index), sent, changed) ??
          findLink(requests.slice(0, index), sent, changed))
        : null;
      if (source === null) {
        if (changed?.has(value) === true && isNew(value) && index >= before)
          notes.push(lostChange(request, sent));
        continue;
      }
      const key = isDistinct(value, changed) ? null : source.key;
      variables.set(value, { name: capture(source), key });
    }
  });
  return {
    requests: requests.map((request, index) => {
      const variable = urls.get(literalOf(request.url) ?? '');
      return {
        ...(variables.size === 0 ? request : withVariables(request, variables)),
        ...(variable === undefined ? {} : { url: [{ variable }] }),
        captures: [...request.captures, ...(captures.get(index) ?? [])],
      };
    }),
    notes,
  };
}

function lostChange({ at }: IntakeRequest, { key }: SentValue): IntakeNote {
  const what = key === null ? 'a part of the path' : `the value of ${JSON.stringify(key)}`;
  const message = `${what} differs between the recordings, but no earlier response contains it; the value of the first recording is used`;
  return { kind: 'loss', at, message };
}

// --- rules

/**
 * Minimum length of a value that, without a second recording, is replaced even if its names in the response and in the
 * request differ.
 */
const MIN_LENGTH = 6;

function findSource(
  earlier: readonly (readonly Source[])[],
  sent: SentValue,
  changed: ReadonlySet<string> | null,
): Source | null {
  const candidates = earlier.flat().filter(({ value }) => value === sent.value);
  const [first] = candidates;
  if (first === undefined) return null;
  if (changed !== null) return changed.has(sent.value) ? first : null;
  const sameKey = candidates.find(({ key }) => isSameKey(key, sent.key));
  if (sameKey !== undefined && sent.value.length >= 2 && !isOrdinary(sent.value)) return sameKey;
  return isDistinctive(sent.value, candidates) ? first : null;
}

function distinctValues(sources: readonly Source[]): readonly string[] {
  return sources.map(({ value }) => value).filter((value) => isDistinct(value, null));
}

/**
 * Reports whether a value differs between the recordings or, without a second recording, is unlikely to match by
 * chance.
 */
function isDistinct(value: string, changed: ReadonlySet<string> | null): boolean {
  return changed === null ? value.length >= MIN_LENGTH && !isOrdinary(value) : changed.has(value);
}

function isSameKey(key: string, other: string | null): boolean {
  return other !== null && simpleKey(key) === simpleKey(other);
}

function simpleKey(key: string): string {
  return key
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replace(/^x(?=csrf|xsrf|auth)/, '');
}

function isDistinctive(value: string, candidates: readonly Source[]): boolean {
  if (!isDistinct(value, null)) return false;
  // A value that occurs in more than three places of a response is often not an identifier, unless the value is long.
  const inOneResponse = candidates.filter(({ index }) => index === candidates[0]?.index).length;
  return inOneResponse <= 3 || value.length >= 16;
}

/** Reports whether a value is probably not an identifier: words, a date, a version or a decimal number. */
function isOrdinary(value: string): boolean {
  return isWord(value) || /^\d{4}-\d\d-\d\d(?:[T ].*)?$/.test(value) || /^v?\d+(?:\.\d+)+$/.test(value);
}

/** Reports whether a value consists of words, such as `in-stock` or `Blue Shirt`. */
function isWord(value: string): boolean {
  return /^[\p{L}]+(?:[ _.,/-][\p{L}]+)*$/u.test(value) && (value.length < 20 || /[ _-]/.test(value));
}

/**
 * Returns the values in the first recording that differ from the value at the same position in the second recording.
 */
function changedValues(
  first: readonly IntakeRequest[],
  second: readonly IntakeRequest[],
): ReadonlySet<string> {
  const changed = new Set<string>();
  first.forEach((request, index) => {
    const other = second[index];
    if (other === undefined || other.method !== request.method) return;
    const [values, others] = [sentValues(request), sentValues(other)];
    if (values.length !== others.length) return;
    values.forEach(({ value }, at) => {
      if (others[at]?.value !== value) changed.add(value);
    });
  });
  return changed;
}

// --- URLs in responses, and their parts

/**
 * Finds the URL of a later request in an earlier response: in a header, a cookie or JSON. Searches the `Location`
 * header only in responses with a status below 300.
 * @remarks Searches only responses of the same origin.
 */
function findUrl(
  earlier: readonly IntakeRequest[],
  sources: readonly (readonly Source[])[],
  url: string,
): Source | null {
  for (const [index, { url: base, response }] of earlier.entries()) {
    const origin = originOf(literalOf(base) ?? '');
    if (response === null || originOf(url) !== origin) continue;
    const created = response.headers.filter(
      ({ name }) => response.status < 300 && name.toLowerCase() === 'location',
    );
    const header = created.map(({ name, value }): Source => ({
      index,
      value,
      key: name,
      capture: { source: 'header', property: name },
    }));
    const found = [...header, ...(sources[index] ?? [])].find(
      ({ value, capture }) =>
        capture.source !== 'body' && (value === url || (value.startsWith('/') && origin + value === url)),
    );
    if (found !== undefined) return { ...found, key: relationOf(found) };
  }
  return null;
}

function originOf(url: string): string {
  return /^https?:\/\/[^/?#]+/i.exec(url)?.[0] ?? '';
}

/** Returns the relation of a link: `next` for `/_links/next/href`. */
function relationOf({ key, capture: { property } }: Source): string {
  const names = property.split('/').filter((name) => !/^\d*$|^(?:href|url|uri|link)$/i.test(name));
  return names.at(-1) ?? key;
}

const MAX_SEARCHED = 100;

/** Matches a part of a URL that contains only unreserved characters, which percent-encoding does not change. */
const PLAIN_PART = /^[\w.~-]+$/;
const URL_PART = String.raw`[\w.~-]+`;

/**
 * Finds a URL in an earlier response, such as the target of a link, that contains a value from the URL of a request.
 */
function findLink(
  earlier: readonly IntakeRequest[],
  { value, key, segments }: SentValue,
  changed: ReadonlySet<string> | null,
): Source | null {
  if (!isDistinct(value, changed) || !PLAIN_PART.test(value)) return null;
  if (segments === undefined && key === null) return null;
  // Numbers and short words must match exactly, because they are often a version or the name of a resource.
  const part = (segment: string) => (isDistinct(segment, changed) ? URL_PART : escaped(segment));
  const before =
    segments === undefined
      ? `[?&;]${escaped(key ?? '')}=`
      : `["'](?:https?://[^/"']+)?${segments.map((segment) => `${part(segment)}/`).join('')}`;
  const pattern = `${before}(${URL_PART})`;
  const start = Math.max(0, earlier.length - MAX_SEARCHED);
  const hasLink = ({ response }: IntakeRequest, at: number) =>
    at >= start &&
    response?.body?.includes(value) === true &&
    new RegExp(pattern).exec(response.body)?.[1] === value;
  const index = earlier.findIndex(hasLink);
  if (index === -1) return null;
  const named = segments?.findLast((segment) => segment !== '' && !isDistinct(segment, changed));
  return { index, value, key: key ?? named ?? 'part', capture: { source: 'body', property: pattern } };
}

// --- values of responses

const MAX_VALUES = 20_000;

/** Matches the names of response headers whose complete values rarely occur in later requests. */
const IGNORED_HEADERS =
  /^(?:set-cookie|date|content-.*|cache-control|expires|last-modified|server|vary|connection|keep-alive|age|via|alt-svc|strict-transport-security|access-control-.*|x-powered-by|x-frame-options|x-content-type-options|transfer-encoding|pragma|p3p|nel|report-to|link|location)$/i;

function sourcesOf({ headers, body }: RecordedResponse, index: number): readonly Source[] {
  const found: Source[] = [];
  const add = (value: string, key: string, capture: Source['capture']) => {
    if (value !== '' && found.length < MAX_VALUES) found.push({ index, value, key, capture });
  };
  if (body !== null) addBodyValues(body, add);
  for (const { name, value } of headers) {
    const [, cookie = '', content = ''] = /^\s*([^=;\s]+)=([^;]*)/.exec(value) ?? [];
    if (name.toLowerCase() === 'set-cookie')
      add(decodedFormText(content), cookie, { source: 'cookie', property: cookie });
    else if (!IGNORED_HEADERS.test(name)) add(value.trim(), name, { source: 'header', property: name });
  }
  return found;
}

type AddSource = (value: string, key: string, capture: Source['capture']) => void;

function addBodyValues(body: string, add: AddSource): void {
  const json = parseJson(body);
  if (json !== undefined) {
    addJsonValues(json, '', '', add);
    return;
  }
  let form = '';
  const patterns = new Set<string>();
  for (const [element] of body.matchAll(/<(?:input|meta|form)\b[^<>]{1,2000}>/gi)) {
    if (/^<form/i.test(element)) {
      form = attributeOf(element, 'action')?.text ?? '';
      continue;
    }
    const name = attributeOf(element, 'name');
    const isMeta = /^<meta/i.test(element);
    const content = attributeOf(element, isMeta ? 'content' : 'value');
    if (name === null || content === null) continue;
    const [first, second] = name.at < content.at ? [name, content] : [content, name];
    const gap = '[^>]*';
    const pattern =
      first === name
        ? `${escaped(name.text)}${gap}${isMeta ? 'content' : 'value'}=["']([^"']+)`
        : `${isMeta ? 'content' : 'value'}=["']([^"']+)["']${gap}${escaped(second.text)}`;
    // A capture uses the first match of its pattern. If an earlier form has a field with the same name, the pattern
    // therefore begins with the `action` attribute of the form.
    const ofForm = `${escaped(form)}[\\s\\S]*?${pattern}`;
    const property = patterns.has(pattern) && form !== '' && !patterns.has(ofForm) ? ofForm : pattern;
    patterns.add(pattern).add(ofForm);
    add(unescapedHtml(content.value), name.value, { source: 'body', property });
  }
}

interface Attribute {
  readonly at: number;
  readonly text: string;
  readonly value: string;
}

function attributeOf(element: string, name: string): Attribute | null {
  const match = new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`, 'i').exec(element);
  return match === null
    ? null
    : { at: match.index, text: match[0].trim(), value: match[1] ?? match[2] ?? '' };
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

function unescapedHtml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function addJsonValues(value: Json, pointer: string, key: string, add: AddSource): void {
  if (typeof value === 'string' || typeof value === 'number') {
    add(String(value), key, { source: 'json', property: pointer });
  } else if (typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value);
    for (const [name, member] of Object.entries(value as Readonly<Record<string, Json>>))
      addJsonValues(member, pointer + pointerOf([name]), isList ? key : name, add);
  }
}

const MAX_DEPTH = 50;

function parseJson(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text) || isNestedDeeperThan(text, MAX_DEPTH)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

// --- values of requests

/** Matches the names, strings and numbers of JSON text. */
const JSON_VALUE = /"((?:[^"\\]|\\.)*)"(\s*:\s*)?|(?<=[:[,]\s*)-?\d[\d.eE+-]*(?=\s*[,}\]])/g;

function sentValues(request: IntakeRequest): readonly SentValue[] {
  const values: SentValue[] = [];
  replaceValues(request, (value, key, segments) => {
    values.push({ value, key, segments });
    return null;
  });
  return values;
}

function withVariables(request: IntakeRequest, variables: ReadonlyMap<string, Variable>): IntakeRequest {
  return replaceValues(request, (value, key) => {
    const variable = variables.get(value);
    if (variable === undefined || (variable.key !== null && !isSameKey(variable.key, key))) return null;
    return { variable: variable.name };
  });
}

type Replace = (
  value: string,
  key: string | null,
  /** See `SentValue.segments`. */
  segments?: readonly string[],
) => IntakeTextPart | null;

function replaceValues(request: IntakeRequest, replace: Replace): IntakeRequest {
  return mapTexts(request, (text, use, name) => {
    switch (use) {
      case 'url':
        return replaceInUrl(text, replace);
      case 'header':
        return replaceInHeader(name, text, replace);
      case 'field':
        return replaceWhole(text, name, replace);
      case 'body':
        return replaceInJson(text, replace);
      case 'identity':
      case 'secret':
        return text;
    }
  });
}

function replaceWhole(text: IntakeText, key: string, replace: Replace): IntakeText {
  const literal = literalOf(text);
  const part = literal === null || literal === '' ? null : replace(literal, key);
  return part === null ? text : [part];
}

function replaceInUrl(url: IntakeText, replace: Replace): IntakeText {
  const match = /^(https?:\/\/[^/?#]+)([^?#]*)(\?[^#]*)?/i.exec(literalOf(url) ?? '');
  if (match === null) return url;
  const [, origin = '', path = '', query] = match;
  const flat = new FlatText(url);
  const placed = (value: string, key: string | null, before?: readonly string[]) => {
    const part = value === '' ? null : replace(decodedFormText(value), key, before);
    return part === null ? value : flat.placeholder(part);
  };
  const segments = path.split('/').map((segment, at, all) => placed(segment, null, all.slice(0, at)));
  const pairs = (query ?? '')
    .slice(1)
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=');
      const name = pair.slice(0, at);
      return at === -1 ? pair : `${name}=${placed(pair.slice(at + 1), decodedFormText(name))}`;
    });
  return flat.toText(origin + segments.join('/') + (query === undefined ? '' : `?${pairs.join('&')}`));
}

function replaceInHeader(name: string, value: IntakeText, replace: Replace): IntakeText {
  const [, scheme = '', rest = ''] = /^((?:Bearer|Token|JWT) )?(.*)$/is.exec(literalOf(value) ?? '') ?? [];
  const part = rest === '' ? null : replace(rest, name);
  if (part === null) return value;
  return scheme === '' ? [part] : [scheme, part];
}

function replaceInJson(text: IntakeText, replace: Replace): IntakeText {
  const literal = literalOf(text);
  if (literal === null || !/^\s*[[{"]/.test(literal)) return text;
  const flat = new FlatText(text);
  let key = '';
  const replaced = literal.replaceAll(
    JSON_VALUE,
    (all: string, string: string | undefined, colon: string | undefined) => {
      if (string !== undefined && colon !== undefined) {
        key = string;
        return all;
      }
      const part = replace(string === undefined ? all : decodedJson(string), key);
      if (part === null) return all;
      return string === undefined ? flat.placeholder(part) : `"${flat.placeholder(part)}"`;
    },
  );
  return replaced === literal ? text : flat.toText(replaced);
}

/** Returns a valid, unused name for a variable: `order-id` → `order_id`. */
function uniqueName(key: string, taken: ReadonlySet<string>): string {
  const word = key
    .replaceAll(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^_+(?=.)/, '')
    .slice(0, 50);
  const base = /^[A-Za-z_]/.test(word) ? word : `value_${word}`;
  let name = base;
  for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
  return name;
}

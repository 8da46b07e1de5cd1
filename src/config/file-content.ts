/**
 * The content of a file for reviews: the fields of the evaluated tree, with the names and values that the file uses.
 */
import { AWS_HIDDEN } from '../core/model/aws-sigv4.ts';
import { canonical, type Json } from '../core/canonical.ts';
import type { FileContent, FileField, FileSection, RequestFields } from '../core/model/file-content.ts';
import { HIDDEN_TEXTS } from '../core/model/connection.ts';
import { isCredentialHeader } from '../core/model/header-name.ts';
import { Secret } from '../core/model/secret.ts';
import { TEST_FIELDS, URL_FIELDS } from '../core/model/test-fields.ts';
import { urlLabels } from '../core/model/url-label.ts';
import { once } from '../core/once.ts';
import { locationOf, type SourceLocation } from '../core/source-location.ts';
import { parseDuration } from '../core/units.ts';
import {
  childOf,
  type ConfigNode,
  type LocateSpan,
  type MapEntry,
  type MapNode,
  type ScalarNode,
} from './config-tree.ts';
import { REQUEST_LISTS } from './defaults.ts';
import type { ReadRows } from './included-files.ts';
import { lowerJson } from './lower-json.ts';

/** Keys that have no section: `version`, and keys whose values are part of other fields. */
const RESOLVED_KEYS: ReadonlySet<string> = new Set(['version', 'vars', 'environments', 'defaults']);

interface ContentOptions {
  readonly locate: LocateSpan;
  readonly readRows: ReadRows;
}

/** @param root - The evaluated tree with expanded defaults. */
export function createFileContent(root: MapNode, options: ContentOptions): FileContent {
  const sections = new Map<string, FileSection>();
  for (const [key, entry] of root.entries) {
    if (RESOLVED_KEYS.has(key)) continue;
    const members = entry.node.kind === 'map' ? [...entry.node.entries] : [];
    if (key === 'tests' || key === 'apps') {
      const kind = key === 'tests' ? 'test' : 'app';
      for (const [name, member] of members) sections.set(`${kind}.${name}`, sectionOf(member, kind, options));
    } else sections.set(key, sectionOf(entry, key, options));
  }
  return {
    sections,
    rowsOf: (path) => {
      const read = options.readRows(path);
      return 'file' in read ? read.listRows() : null;
    },
  };
}

function sectionOf(entry: MapEntry, kind: string, options: ContentOptions): FileSection {
  const { node } = entry;
  // The short form of an app, which consists only of the host, is compared as the field `app`.
  const path = node.kind === 'map' ? [] : [kind === 'app' ? 'app' : kind];
  const source = locationAt(entry.keySpan, options);
  // A plan needs only the value of a new section, and nothing of an unchanged one.
  const content = once(() => {
    const fields: FileField[] = [];
    const requests = new Map<string, readonly RequestFields[]>();
    walk(node, { path, source }, options, {
      add: (one) => fields.push(one),
      addRequests: (name, list) => requests.set(name, list),
    });
    return { fields, requests };
  });
  const value = once(() => displayOf(node, path));
  return {
    source,
    get fields() {
      return content().fields;
    },
    get requests() {
      return content().requests;
    },
    get value() {
      return value();
    },
  };
}

interface Sink {
  readonly add: (field: FileField) => void;
  readonly addRequests: (path: string, requests: readonly RequestFields[]) => void;
}

interface Place {
  readonly path: readonly string[];
  readonly source: SourceLocation | null;
}

function walk(node: ConfigNode, place: Place, options: ContentOptions, sink: Sink): void {
  if (node.kind === 'map' && node.entries.size > 0) {
    for (const [key, entry] of node.entries) {
      const source = locationAt(entry.keySpan, options);
      // The condition of a threshold has the same path in the short form and in the map form.
      const isCondition = key === 'limit' && place.path.at(-2) === 'thresholds';
      const path = isCondition ? place.path : [...place.path, key];
      walk(entry.node, { path, source }, options, sink);
    }
    return;
  }
  const isRequestList = REQUEST_LISTS.some((name) => name === place.path.at(-1));
  if (node.kind === 'list' && isRequestList && place.path[0] !== 'groups') {
    sink.addRequests(place.path.join('.'), requestsOf(node.items, options));
    return;
  }
  sink.add({
    path: place.path,
    value: displayOf(node, place.path),
    meaning: meaningOf(node, place.path, options),
    orderedIn: orderedIn(place.path),
    secrets: [...new Set(secretNamesOf(node))],
    source: place.source,
  });
}

function requestsOf(items: readonly ConfigNode[], options: ContentOptions): readonly RequestFields[] {
  const read = items.map((item) => {
    const scalarText = (key: string) => {
      const node = item.kind === 'map' ? item.entries.get(key)?.node : key === 'url' ? item : undefined;
      return node?.kind === 'scalar' ? String(node.value) : null;
    };
    const fields: FileField[] = [];
    const source = locationAt(item.span, options);
    const place = { path: item.kind === 'map' ? [] : ['url'], source };
    // Requests in a group are compared as fields of the group.
    const addRequests: Sink['addRequests'] = (path, requests) =>
      requests.forEach((request, index) => {
        for (const field of request.fields)
          fields.push({ ...field, path: [path, String(index), ...field.path] });
      });
    walk(item, place, options, { add: (one) => fields.push(one), addRequests });
    return {
      name: scalarText('name'),
      method: scalarText('request_type') ?? 'GET',
      url: scalarText('url') ?? '',
      source,
      fields,
      value: displayOf(item, place.path),
    };
  });
  const labels = urlLabels(read);
  return read.map((one, index) => ({ ...one, label: labels[index] ?? '' }));
}

function displayOf(node: ConfigNode, path: readonly string[]): Json {
  switch (node.kind) {
    case 'scalar':
      return isLiteralCredential(node, path) ? '***' : writtenOf(node, path);
    case 'list':
      return node.items.map((item) => displayOf(item, path));
    case 'map':
      return Object.fromEntries(
        [...node.entries].map(([key, entry]) => [key, displayOf(entry.node, [...path, key])]),
      );
  }
}

/** Matches strings that YAML would parse as another type without quotation marks. */
const QUOTED = /^(?:[-+]?\.?\d[\d.]*(?:e[-+]?\d+)?|true|false|null|~|)$/i;

/** Returns a scalar as written in the file, with a reference in place of each secret. */
function writtenOf({ value, written, secret }: ScalarNode, path: readonly string[]): Json {
  if (secret !== null)
    return secret.parts.map((part) => (part instanceof Secret ? `\${secret:${part.name}}` : part)).join('');
  if (typeof value === 'number') return String(value) === written ? value : written;
  const isQuoted = typeof value === 'string' && exactFieldOf(path) === JSON_FIELD && QUOTED.test(value);
  return isQuoted ? JSON.stringify(value) : value;
}

function isLiteralCredential({ secret, value }: ScalarNode, path: readonly string[]): boolean {
  if (secret !== null || value === null) return false;
  const [group, name] = path.slice(-2);
  if (group === 'credentials') return name === 'password';
  if (group === URL_FIELDS.awsSigv4.name) return AWS_HIDDEN.some((hidden) => hidden === name);
  if (group === TEST_FIELDS.connection.name) return HIDDEN_TEXTS.some((hidden) => hidden === name);
  return group === 'headers' && path.at(-3) !== 'expect' && isCredentialHeader(name ?? '');
}

function meaningOf(node: ConfigNode, path: readonly string[], options: ContentOptions): string {
  const text = canonical(comparableOf(node, path));
  if (path.at(-1) !== 'payload_file') return text;
  // Adds the digest of the payload file, so that different content counts as a change.
  const file = node.kind === 'map' ? childOf(node, 'file') : node;
  if (file?.kind !== 'scalar' || typeof file.value !== 'string') return text;
  const read = options.readRows(file.value);
  return 'file' in read ? `${text} ${read.file.sha256}` : text;
}

function comparableOf(node: ConfigNode, path: readonly string[]): Json {
  switch (node.kind) {
    case 'scalar':
      return node.secret === null ? comparableScalar(node, path) : writtenOf(node, path);
    case 'list':
      return node.items.map((item) => comparableOf(item, path));
    case 'map': {
      const members = [...node.entries].map(
        ([key, entry]) => [key, comparableOf(entry.node, [...path, key])] as const,
      );
      return orderedIn(path) === null ? Object.fromEntries(members) : members;
    }
  }
}

/** Fields with a duration, each with the length of its default unit in ms. */
const DURATION_FIELDS: ReadonlyMap<string, number> = new Map([
  ['duration', 1000],
  ['warmup', 1000],
  ['for', 1000],
  ['max_duration', 1000],
  ['wait', 1000],
  ['timeout', 1],
  ['delay', 1],
]);

/**
 * Fields whose scalars are sent or compared as written, so that `1.0` and `1` differ. In other fields, strings such as
 * `5` and `true` are compared as numbers and Booleans.
 */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  ...['name', 'notes', 'url', 'command', 'body', 'raw_post_body', 'headers', 'request_params', 'multipart'],
  ...['login', 'password', 'cert', 'key', 'passphrase', 'ca', 'server_name'],
  ...['variables', 'values', 'for_each', 'when'],
]);

const JSON_FIELD = 'json';

/**
 * Returns the path of the request body that contains a value; null if there is none, or the order of its members does
 * not matter.
 */
function orderedIn(path: readonly string[]): string | null {
  const field = exactFieldOf(path);
  const isBody = (field === JSON_FIELD && !path.includes('expect')) || field === 'multipart';
  return isBody ? path.slice(0, path.indexOf(field) + 1).join('.') : null;
}

/** Returns the first field in a path whose scalars are compared as written; undefined if the path has no such field. */
function exactFieldOf(path: readonly string[]): string | undefined {
  return path.find((key) => key === JSON_FIELD || TEXT_FIELDS.has(key));
}

function comparableScalar(node: ScalarNode, path: readonly string[]): Json {
  const { value, written } = node;
  const exact = exactFieldOf(path);
  if (exact === JSON_FIELD) return lowerJson(node).body as string; // The node contains no secrets.
  if (exact !== undefined) return value === null ? null : written;
  const field = path.at(-1) ?? '';
  const unit = DURATION_FIELDS.get(field);
  if (unit !== undefined) {
    if (typeof value === 'number') return `${value * unit}ms`;
    const parsed = typeof value === 'string' ? parseDuration(value) : null;
    if (parsed !== null) return `${parsed}ms`;
  }
  if (typeof value === 'string') {
    if (/^-?\d+(?:\.\d+)?$/.test(value)) return Number(value);
    if (value === 'true' || value === 'false') return value === 'true';
    // Thresholds: `< 1s` and `<1000ms` are equivalent.
    const limit = /^\s*(<=|>=|<|>)\s*(\d+(?:\.\d+)?)\s*(s?)(.*?)\s*$/.exec(value);
    if (limit !== null) {
      const [, operator = '', digits = '', seconds = '', unitText = ''] = limit;
      return seconds === ''
        ? `${operator} ${Number(digits)}${unitText}`
        : `${operator} ${Number(digits) * 1000}ms`;
    }
  }
  return value;
}

function secretNamesOf(node: ConfigNode): readonly string[] {
  switch (node.kind) {
    case 'scalar':
      return (node.secret?.parts ?? []).flatMap((part) => (part instanceof Secret ? [part.name] : []));
    case 'list':
      return node.items.flatMap(secretNamesOf);
    case 'map':
      return [...node.entries.values()].flatMap((entry) => secretNamesOf(entry.node));
  }
}

function locationAt(span: MapEntry['keySpan'], { locate }: ContentOptions): SourceLocation {
  return locationOf(locate(span));
}

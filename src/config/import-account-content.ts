/** Converts a listed test to the content of its draft. */
import { AWS_NAMES } from '../core/model/aws-sigv4.ts';
import type { Sha256 } from '../core/canonical.ts';
import { formatInstant } from '../core/instant.ts';
import { CONNECTION_NAMES, connectionMember } from '../core/model/connection.ts';
import { isCondition, type ExpectedValue } from '../core/model/condition.ts';
import {
  BODY_KINDS,
  BODY_NAMES,
  onlyTextOf,
  type Expectation,
  type ExpectedBody,
} from '../core/model/expectation.ts';
import { describeAbortRules } from './import-abort-rules.ts';
import { isCredentialHeader } from '../core/model/header-name.ts';
import type { DeclaredTest, ObservedTest, TargetSpec } from '../core/model/load-test.ts';
import { PHASES } from '../core/model/phase.ts';
import { milliseconds } from '../core/units.ts';
import type { FilePart } from '../core/model/request-body.ts';
import { authorityOf, readUrl } from '../core/model/url.ts';
import { urlVariableOf } from '../core/model/resolved-url.ts';
import { ReturnedText, Secret, revealText, type KnownText } from '../core/model/secret.ts';
import {
  listEffectiveTestFields,
  listEffectiveUrlFields,
  secretTextsOf,
  urlValuesOf,
  type EffectiveField,
  type UrlValues,
} from '../core/model/test-fields.ts';
import { matchesParts, listedDifferences } from '../core/reconcile/differences.ts';
import { digestOfFields, matchesJsonBodies } from '../core/reconcile/digests.ts';
import type { Marker } from '../core/reconcile/ownership-marker.ts';
import { readUnlistedFields, type UnlistedFields } from '../core/reconcile/unlisted-fields.ts';
import { listedValues, normalizeObserved, normalizeSpec } from '../core/reconcile/normalize.ts';
import { compileTemplate } from '../core/model/template.ts';
import type { DraftContent, DraftMember, DraftValue, PossibleSecret } from './import-draft.ts';
import { parseJsonBody, withJson } from './import-json.ts';
import {
  describeDelay,
  describeRows,
  escapeReferences,
  membersOf,
  type PrintableMember,
  type PrintableText,
  type PrintableValue,
} from './yaml-printer.ts';

export interface AccountTest {
  readonly test: ObservedTest;
  /** Ownership marker; null if the notes of the test contain no valid marker. */
  readonly marker: Marker | null;
  /** Reason for adopting the test by its ID; null if its marker identifies it. */
  readonly pinReason: string | null;
  readonly earlier: readonly ObservedTest[];
}

interface ContentContext {
  /** The test in the current file; null if the file does not declare it. */
  readonly declared: DeclaredTest | null;
  readonly sha256: Sha256;
  /** Returns the path of the file with this content in the current configuration; null if there is none. */
  readonly payloadPathOf: (sha256: string) => string | null;
}

export function describeAccountTest(
  { test, marker, pinReason, earlier }: AccountTest,
  { declared, sha256, payloadPathOf }: ContentContext,
): DraftContent {
  const { values, targets } = listedValues(test);
  const hidden = readUnlistedFields(test, marker, sha256);
  const fields = listEffectiveTestFields({
    ...values,
    flows: null,
    groups: null,
    abortRules: null,
    onStart: null,
    setup: null,
    teardown: null,
    errorThreshold: hidden.errorThreshold,
  });
  const rules = describeAbortRules(values.abortRules ?? []);
  const observed = normalizeObserved(test);
  // If the digest in the marker matches the listed fields, the test was declared without secrets, which change the
  // digest.
  const hasNoSecrets = marker !== null && digestOfFields(observed, sha256) === marker.listed;
  const pairs = declared === null ? [] : listedDifferences(observed, normalizeSpec(declared.spec)).urls;
  const declaredIndexes = new Map(pairs.map(({ before, now }) => [before, now]));
  const escaped = escapedBodies(targets, marker, sha256);
  const describeUrl = (target: UrlValues, declaredTarget: TargetSpec | undefined, isJson: boolean) => {
    const declaredFields =
      declaredTarget === undefined ? [] : listEffectiveUrlFields(urlValuesOf(declaredTarget));
    const context = { url: target.url ?? '', declared: declaredFields, hasNoSecrets, payloadPathOf };
    // These fields do not exist in the file: `json` implies `jsonBody`, and a URL that consists of one variable implies
    // `resolveUrl`.
    const unlisted = { jsonBody: null, resolveUrl: null };
    const url = target.resolveUrl === true ? variableInUrl(target.url ?? '') : target.url;
    const urlFields = listEffectiveUrlFields({ ...target, url, ...unlisted });
    return withJson(describeFields(urlFields, context), isJson);
  };
  return {
    comments: [
      ...(pinReason === null ? [] : [`adopted with "id": ${pinReason}`]),
      ...unlistedFieldsComment(hidden, pinReason),
      ...earlier.map(({ id }) => `omitted: ${id}, an earlier version of this test`),
    ],
    fields: [
      ...(pinReason === null ? [] : [{ name: 'id', value: test.id }]),
      ...describeFields(fields, {
        url: '',
        declared: declared === null ? [] : listEffectiveTestFields(declared.spec),
        hasNoSecrets,
        payloadPathOf,
      }),
      ...rules.ofTest,
    ],
    urls: targets.map((target, index) => [
      ...describeUrl(target, declared?.spec.targets[declaredIndexes.get(index) ?? -1], escaped.has(index)),
      ...rules.ofUrl(index),
    ]),
    flows: values.flows?.map((flow, index) => ({ ...flow, fields: rules.ofFlow(index) })) ?? null,
    groups: values.groups,
    onStart: values.onStart,
    phases: PHASES.flatMap((name) => {
      const phase = values[name];
      if (phase === null) return [];
      const urls = phase.targets.map((target, index) => {
        // In the file, the rows belong to the phase, not to a request.
        const listed = { ...urlValuesOf(target), payloadFile: null };
        return describeUrl(listed, declared?.spec[name]?.targets[index], listed.jsonBody === true);
      });
      const rows = phase.targets[0]?.payloadFile ?? null;
      const rowsPath = rows === null ? '' : (payloadPathOf(rows.sha256) ?? '');
      const fields = membersOf<PrintableValue>({
        rows: rows ? describeRows(rowsPath, rows.options ?? {}) : undefined,
        refresh: phase.refresh && { duration: phase.refresh },
      });
      return [{ name, fields, urls, groups: phase.groups ?? null }];
    }),
  };
}

function variableInUrl(url: string): string {
  const name = urlVariableOf(readUrl(url)?.path ?? '');
  return name === null ? url : `{{${name}}}`;
}

/**
 * Returns the indexes of the URLs whose body values are escaped. If the listed test has no `jsonBody`, the indexes come
 * from the ownership marker.
 */
function escapedBodies(
  targets: readonly UrlValues[],
  marker: Marker | null,
  sha256: Sha256,
): ReadonlySet<number> {
  const listed = targets.flatMap(({ jsonBody }, index) => (jsonBody === true ? [index] : []));
  if (listed.length > 0) return new Set(listed);
  const candidates = targets.flatMap(({ body }, index) => {
    const text = body === null ? '' : escapeReferences(revealText(body));
    return compileTemplate(text).names.length > 0 && parseJsonBody(text) !== null ? [index] : [];
  });
  return new Set(marker !== null && matchesJsonBodies(marker.unlisted, candidates, sha256) ? candidates : []);
}

export const VARIABLES_UNLISTED =
  'the service does not return the variables of this test; add them to the file, then remove "id"';

function unlistedFieldsComment(
  { errorThreshold, variables }: UnlistedFields,
  pinned: string | null,
): string[] {
  const names = [
    ...(errorThreshold === null ? ['error_threshold'] : []),
    ...(variables === 'unknown' ? ['variables'] : []),
  ];
  const unlisted =
    names.length === 0
      ? []
      : [
          `the service does not return ${names.map((name) => `"${name}"`).join(' and ')}; add the actual values before you change this test`,
        ];
  const known =
    variables === 'some' && pinned !== VARIABLES_UNLISTED
      ? ['the service does not return the variables of this test; add them before you change the test']
      : [];
  return [...unlisted, ...known];
}

interface FieldContext {
  /** URL of the request that contains the fields; empty for fields of the test. */
  readonly url: string;
  readonly declared: readonly EffectiveField[];
  readonly hasNoSecrets: boolean;
  readonly payloadPathOf: ContentContext['payloadPathOf'];
}

function describeFields(fields: readonly EffectiveField[], context: FieldContext): DraftMember[] {
  return fields.map((field) => ({ name: field.name, value: describeValue(field, context) }));
}

function describeValue(field: EffectiveField, context: FieldContext): DraftValue {
  const described = (listed: KnownText, member: string, kind = member) =>
    describeText(listed, { ...context, kind, declaredText: declaredString(context, field, member) });
  switch (field.kind) {
    case 'text':
    case 'url':
    case 'count':
    case 'percent':
    case 'flag':
      return field.value;
    case 'seconds':
    case 'milliseconds':
      return { duration: field.value };
    case 'instant':
      return formatInstant(field.value);
    case 'type':
      return typeof field.value === 'string' ? field.value : field.value.unrecognized;
    case 'secretText':
      return described(field.value, '', 'body');
    case 'headers':
      return field.value.map(({ name, value }) => {
        if (!isCredentialHeader(name)) return { name, value: described(value, name) };
        const current = declaredString(context, field, name);
        const declaredText = typeof current === 'string' ? null : current;
        return {
          name,
          value: describeText(value, { ...context, hasNoSecrets: false, kind: name, declaredText }),
        };
      });
    case 'values':
      return field.value.map((value) => ({ ...value }));
    case 'multipart':
      return field.value.map((part) => {
        const { name, contentType } = part;
        const type = membersOf({ content_type: contentType ?? undefined });
        if ('value' in part) {
          const { value, filename } = part;
          const options = [...type, ...membersOf({ filename })];
          const text = described(value, name);
          return { name, value: options.length === 0 ? text : [{ name: 'value', value: text }, ...options] };
        }
        const path = context.payloadPathOf(part.file.sha256) ?? '';
        return { name, value: describeFilePart(part, { path, type }) };
      });
    case 'bodyFile':
      return context.payloadPathOf(field.value.sha256) ?? '';
    case 'params':
      return field.value.map(({ name, value }) => ({ name, value: described(value, name) }));
    case 'credentials': {
      const { login, password } = field.value;
      const identity = password ?? `${authorityOf(context.url) ?? ''} ${revealText(login)}`;
      return [
        { name: 'login', value: described(login, 'login') },
        { name: 'password', value: possibleSecret('password', revealText(identity)) },
      ];
    }
    case 'awsSigv4': {
      const { region, service, accessKeyId } = field.value;
      return membersOf<DraftValue>({
        [AWS_NAMES.region]: region,
        [AWS_NAMES.service]: service,
        [AWS_NAMES.accessKeyId]: described(accessKeyId, AWS_NAMES.accessKeyId),
        [AWS_NAMES.secretAccessKey]: possibleSecret(AWS_NAMES.secretAccessKey, revealText(accessKeyId)),
      });
    }
    case 'connection': {
      // All hosts of the test have the same settings, as checked by `hasOneConnection`.
      const [{ host, options } = { host: '', options: {} }] = field.value;
      const { cert, ca, serverName, tlsMin, ip } = options;
      const resolve = field.value.flatMap((one): PrintableMember[] => {
        const [first, ...others] = one.options.resolve ?? [];
        if (first === undefined) return [];
        const value = others.length === 0 ? first : { scalars: [first, ...others] };
        return [{ name: one.host, value }];
      });
      const text = (name: 'cert' | 'ca', value: KnownText | undefined) =>
        value === undefined ? undefined : described(value, connectionMember(host, name), `client_${name}`);
      return membersOf<DraftValue>({
        cert: text('cert', cert),
        key: cert === undefined ? undefined : possibleSecret('client_key', revealText(cert)),
        ca: text('ca', ca),
        [CONNECTION_NAMES.serverName]: serverName,
        [CONNECTION_NAMES.tlsMin]: tlsMin,
        [CONNECTION_NAMES.resolve]: resolve.length === 0 ? undefined : resolve,
        [CONNECTION_NAMES.ip]: ip,
      });
    }
    case 'flows':
    case 'groups':
    case 'abortRules':
    case 'phase':
      throw new Error(
        'Bug: flows, groups, abort rules and phases must be removed before the other fields are described',
      );
    case 'stages':
      return {
        items: field.value.map(({ duration, to }) => [
          { name: 'for', value: { duration: duration } },
          { name: 'to', value: to },
        ]),
      };
    case 'expectation':
      return describeExpectation(field.value);
    case 'delay':
      return describeDelay(field.value);
    case 'payloadFile':
      return describeRows(context.payloadPathOf(field.value.sha256) ?? '', field.value.options ?? {});
    case 'variables':
      return {
        items: field.value.map(({ name, property, source, pick }) =>
          membersOf({
            name,
            property: source === 'status' ? undefined : property,
            source: source === 'header' ? undefined : source,
            pick,
          }),
        ),
      };
  }
}

function describeFilePart(
  { filename }: FilePart,
  { path, type }: { readonly path: string; readonly type: readonly PrintableMember[] },
): PrintableMember[] {
  const isImplied = filename === null || path.endsWith(`/${filename}`) || path === filename;
  return [
    { name: 'file', value: path },
    ...type,
    ...membersOf({ filename: isImplied ? undefined : filename }),
  ];
}

export function describeExpectation({ status, headers, body, json, within }: Expectation): PrintableMember[] {
  return membersOf<PrintableValue>({
    status: status ? { scalars: status } : undefined,
    headers: headers?.map((header) => ({ ...header })),
    body: body ? describeExpectedBody(body) : undefined,
    json: json?.map(({ pointer, value }) => ({ name: pointer, value: describeExpected(value) })),
    within: within === undefined ? undefined : { duration: milliseconds(within) },
  });
}

function describeExpectedBody(body: ExpectedBody): PrintableValue {
  return (
    onlyTextOf(body) ??
    BODY_KINDS.flatMap((kind): PrintableMember[] => {
      const [first, ...others] = body[kind];
      if (first === undefined) return [];
      return [{ name: BODY_NAMES[kind], value: others.length === 0 ? first : { scalars: body[kind] } }];
    })
  );
}

export function describeExpected(expected: ExpectedValue): PrintableValue {
  if (!isCondition(expected)) return expected;
  const { exists, length, number, oneOf, matches, not } = expected;
  return membersOf<PrintableValue>({
    exists,
    length,
    number,
    one_of: oneOf && { scalars: oneOf },
    matches,
    not: not === undefined ? undefined : describeExpected(not),
  });
}

/**
 * Returns a string that is certainly not a secret unchanged. Replaces any other string with the references in the
 * current file, or with a possible secret.
 */
function describeText(
  listed: KnownText,
  how: FieldContext & { readonly kind: string; readonly declaredText: KnownText | null },
): PrintableText | PossibleSecret {
  const value = revealText(listed);
  if (value === '' || how.hasNoSecrets || how.declaredText === value) return value;
  return declaredIfEqual(value, how.declaredText) ?? possibleSecret(how.kind, value);
}

function possibleSecret(kind: string, identity: string): PossibleSecret {
  return { secret: { kind: kind.toLowerCase(), identity } };
}

function declaredString(
  { declared }: FieldContext,
  { name: field }: EffectiveField,
  member: string,
): KnownText | null {
  const texts = declared.filter(({ name }) => name === field).flatMap(secretTextsOf);
  return texts.find(({ name }) => name.toLowerCase() === member.toLowerCase())?.value ?? null;
}

/**
 * Returns the string in the current file if it contains secrets and its literal parts match the value; otherwise null.
 */
function declaredIfEqual(value: string, declared: KnownText | null): PrintableText | null {
  if (declared === null || typeof declared === 'string' || declared instanceof ReturnedText) return null;
  const parts = declared.parts.map((part) => (part instanceof Secret ? null : part));
  if (!matchesParts(parts, value)) return null;
  const written = declared.parts.map((part) =>
    part instanceof Secret ? `\${secret:${part.name}}` : escapeReferences(part),
  );
  return { template: written.join('') };
}

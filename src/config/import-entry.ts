/** One listed test as an entry of the file: defaults dropped, what can be a secret as a reference to one. */
import type { Sha256 } from '../core/canonical.ts';
import { formatInstant } from '../core/instant.ts';
import type { Expectation } from '../core/model/expectation.ts';
import { isCredentialHeader } from '../core/model/header-name.ts';
import type { DeclaredTest, ObservedTest } from '../core/model/load-test.ts';
import { authorityOf } from '../core/model/url.ts';
import { ReturnedText, Secret, revealText, type KnownText } from '../core/model/secret.ts';
import {
  listEffectiveTestFields,
  listEffectiveUrlFields,
  secretTextsOf,
  type EffectiveField,
  type UrlValues,
} from '../core/model/test-fields.ts';
import { matchesParts, listedDifferences } from '../core/reconcile/differences.ts';
import { digestOfFields, matchesJsonBodies } from '../core/reconcile/digests.ts';
import type { Marker } from '../core/reconcile/ownership-marker.ts';
import { readUnlistedFields, type UnlistedFields } from '../core/reconcile/unlisted-fields.ts';
import { listedValues, normalizeObserved, normalizeSpec } from '../core/reconcile/normalize.ts';
import { compileTemplate } from '../core/load/template.ts';
import { parseJsonBody, withJson } from './import-json.ts';
import type { SecretNames } from './import-names.ts';
import {
  escapeReferences,
  type PrintableMember,
  type PrintableTest,
  type PrintableText,
  type PrintableValue,
} from './yaml-printer.ts';

/** A listed test that is to become an entry. */
export interface ImportedTest {
  readonly key: string;
  readonly test: ObservedTest;
  /** Null where it has none that can be read. */
  readonly marker: Marker | null;
  /** Why the entry names its id; null: its mark is enough. */
  readonly pinReason: string | null;
  /** Tests of the same key that are listed before it. */
  readonly earlier: readonly ObservedTest[];
}

/** What is known beside the test itself. */
export interface ImportEntryContext {
  readonly secrets: SecretNames;
  /** What the current file says of the test; null: nothing. */
  readonly declared: DeclaredTest | null;
  readonly sha256: Sha256;
  /** Where the current file names a payload file with this content; null: nowhere. */
  readonly payloadPathOf: (sha256: string) => string | null;
}

export function printTest(
  { key, test, marker, pinReason, earlier }: ImportedTest,
  { secrets, declared, sha256, payloadPathOf }: ImportEntryContext,
): PrintableTest {
  const { values, targets } = listedValues(test);
  const hidden = readUnlistedFields(test, marker, sha256);
  const given = listEffectiveTestFields({ ...values, errorThreshold: hidden.errorThreshold });
  const observed = normalizeObserved(test);
  // A secret leaves a trace in the digest of the mark: where there is none, a file has said all of it in clear.
  const hasNoSecrets = marker !== null && digestOfFields(observed, sha256) === marker.listed;
  const pairs = declared === null ? [] : listedDifferences(observed, normalizeSpec(declared.spec)).urls;
  const places = new Map(pairs.map(({ before, now }) => [before, now]));
  const escaped = escapedBodies(targets, marker, sha256);
  return {
    key,
    comments: [
      ...(pinReason === null ? [] : [`adopted by its id: ${pinReason}`]),
      ...unlistedFieldsComment(hidden, pinReason),
      ...earlier.map(({ id }) => `left out: ${id}, an earlier version of this key`),
    ],
    fields: [
      ...(pinReason === null ? [] : [{ name: 'id', value: test.id }]),
      ...printFields(given, { key, secrets, url: '', declared: [], hasNoSecrets, payloadPathOf }),
    ],
    urls: targets.map((target, index) => {
      const before = declared?.spec.targets[places.get(index) ?? -1];
      const said = before === undefined ? [] : listEffectiveUrlFields(before);
      const around = { key, secrets, url: target.url ?? '', declared: said, hasNoSecrets, payloadPathOf };
      // The file says it by "json".
      const fields = listEffectiveUrlFields({ ...target, jsonBody: null });
      return withJson(printFields(fields, around), escaped.has(index));
    }),
  };
}

/** The URLs in whose bodies values are escaped: what the service lists, else what the mark says. */
function escapedBodies(
  targets: readonly UrlValues[],
  marker: Marker | null,
  sha256: Sha256,
): ReadonlySet<number> {
  const listed = targets.flatMap(({ jsonBody }, index) => (jsonBody === true ? [index] : []));
  if (listed.length > 0) return new Set(listed);
  const places = targets.flatMap(({ body }, index) => {
    const text = body === null ? '' : escapeReferences(revealText(body));
    return compileTemplate(text).names.length > 0 && parseJsonBody(text) !== null ? [index] : [];
  });
  return new Set(marker !== null && matchesJsonBodies(marker.unlisted, places, sha256) ? places : []);
}

export const VARIABLES_UNLISTED =
  'its variables cannot be read back; add them to the file, then remove the id';

/** What a change of the test would lose, unless it is added. */
function unlistedFieldsComment(
  { errorThreshold, variables }: UnlistedFields,
  pinned: string | null,
): string[] {
  const names = [
    ...(errorThreshold === null ? ['error_threshold'] : []),
    ...(variables === 'unknown' ? ['variables'] : []),
  ];
  const untold =
    names.length === 0
      ? []
      : [`this service does not tell its ${names.join(' and ')}: add what it has before you change it`];
  const known =
    variables === 'some' && pinned !== VARIABLES_UNLISTED
      ? ['its variables cannot be read back: add them before you change it']
      : [];
  return [...untold, ...known];
}

interface PrintContext {
  readonly key: string;
  readonly secrets: SecretNames;
  /** Of the request that the fields are of. */
  readonly url: string;
  /** What the current file says of the same request. */
  readonly declared: readonly EffectiveField[];
  /** No value of the test was a secret. */
  readonly hasNoSecrets: boolean;
  readonly payloadPathOf: ImportEntryContext['payloadPathOf'];
}

function printFields(given: readonly EffectiveField[], around: PrintContext): PrintableMember[] {
  return given.map((field) => ({ name: field.name, value: printValue(field, around) }));
}

function printValue(given: EffectiveField, around: PrintContext): PrintableValue {
  const printed = (listed: KnownText, member: string, kind = member) =>
    printString(listed, { ...around, kind, said: declaredString(around, given, member) });
  switch (given.kind) {
    case 'text':
    case 'url':
    case 'count':
    case 'percent':
    case 'flag':
      return given.value;
    case 'seconds':
    case 'milliseconds':
      return { duration: given.value };
    case 'instant':
      return formatInstant(given.value);
    case 'type':
      return typeof given.value === 'string' ? given.value : given.value.unrecognised;
    case 'secretText':
      return printed(given.value, '', 'body');
    case 'headers':
      return given.value.map(({ name, value }) => {
        if (!isCredentialHeader(name)) return { name, value: printed(value, name) };
        const before = declaredString(around, given, name);
        const said = typeof before === 'string' ? null : before;
        return { name, value: printString(value, { ...around, hasNoSecrets: false, kind: name, said }) };
      });
    case 'params':
      return given.value.map(({ name, value }) => ({ name, value: printed(value, name) }));
    case 'credentials': {
      const { login, password } = given.value;
      const same = password ?? `${authorityOf(around.url) ?? ''} ${revealText(login)}`;
      return [
        { name: 'login', value: printed(login, 'login') },
        { name: 'password', value: secretReference(around, 'password', revealText(same)) },
      ];
    }
    case 'stages':
      return {
        items: given.value.map(({ duration, to }) => [
          { name: 'for', value: { duration: duration } },
          { name: 'to', value: to },
        ]),
      };
    case 'expectation':
      return printExpectation(given.value);
    case 'delay': {
      const { min, max } = given.value;
      const [from, to] = [{ duration: min }, { duration: max }];
      return min === max ? from : { items: [from, to] };
    }
    case 'payloadFile':
      return around.payloadPathOf(given.value.sha256) ?? '';
    case 'variables':
      return {
        items: given.value.map(({ name, property, source }) => [
          { name: 'name', value: name },
          { name: 'property', value: property },
          ...(source === 'header' ? [] : [{ name: 'source', value: source }]),
        ]),
      };
  }
}

function printExpectation({ status, headers, body, json }: Expectation): PrintableMember[] {
  return [
    ...(status === null ? [] : [{ name: 'status', value: { words: status } }]),
    ...(headers === null ? [] : [{ name: 'headers', value: headers.map((header) => ({ ...header })) }]),
    ...(body === null ? [] : [{ name: 'body', value: body }]),
    ...(json === null
      ? []
      : [{ name: 'json', value: json.map(({ pointer, value }) => ({ name: pointer, value })) }]),
  ];
}

/** As it stands where that is known not to be a secret; else as the current file writes it, or as a new reference. */
function printString(
  listed: KnownText,
  how: PrintContext & { readonly kind: string; readonly said: KnownText | null },
): PrintableText {
  const value = revealText(listed);
  // Without a value there is nothing to keep secret.
  if (value === '' || how.hasNoSecrets || how.said === value) return value;
  return declaredIfEqual(value, how.said) ?? secretReference(how, how.kind, value);
}

function secretReference({ key, secrets }: PrintContext, kind: string, same: string): PrintableText {
  return { filledIn: `\${secret:${secrets.nameOf(key, kind.toLowerCase(), same)}}` };
}

/** What the current file says in the same place. */
function declaredString(
  { declared }: PrintContext,
  { name: field }: EffectiveField,
  member: string,
): KnownText | null {
  const texts = declared.filter(({ name }) => name === field).flatMap(secretTextsOf);
  return texts.find(({ name }) => name.toLowerCase() === member.toLowerCase())?.value ?? null;
}

/** As the current file writes it where that holds secrets and says the same; null: it does not. */
function declaredIfEqual(value: string, declared: KnownText | null): PrintableText | null {
  if (declared === null || typeof declared === 'string' || declared instanceof ReturnedText) return null;
  const parts = declared.parts.map((part) => (part instanceof Secret ? null : part));
  if (!matchesParts(parts, value)) return null;
  const written = declared.parts.map((part) =>
    part instanceof Secret ? `\${secret:${part.name}}` : escapeReferences(part),
  );
  return { filledIn: written.join('') };
}

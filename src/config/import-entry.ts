/** One listed test as an entry of the file: defaults dropped, what can be a secret as a reference to one. */
import type { Sha256 } from '../core/canonical.ts';
import { formatInstant } from '../core/instant.ts';
import type { Expectation } from '../core/model/expectation.ts';
import { isCredentialHeader } from '../core/model/header-name.ts';
import type { DeclaredTest, ObservedTest } from '../core/model/load-test.ts';
import { authorityOf } from '../core/model/url.ts';
import { ReadBack, Secret, revealText, type KnownText } from '../core/model/secret.ts';
import {
  givenTestFields,
  givenUrlFields,
  textsOf,
  type GivenField,
  type UrlValues,
} from '../core/model/test-fields.ts';
import { fitsParts, shownDifferences } from '../core/reconcile/differences.ts';
import { digestOfFields, tellsJsonBodies } from '../core/reconcile/digests.ts';
import type { Mark } from '../core/reconcile/mark.ts';
import { knownHidden, type KnownHidden } from '../core/reconcile/untold.ts';
import { listedValues, normalizeObserved, normalizeSpec } from '../core/reconcile/normalize.ts';
import { compileTemplate } from '../core/load/template.ts';
import { jsonOf, withJson } from './import-json.ts';
import type { SecretNames } from './import-names.ts';
import {
  escapeReferences,
  type PrintedMember,
  type PrintedTest,
  type PrintedText,
  type PrintedValue,
} from './print.ts';

/** A listed test that is to become an entry. */
export interface ImportedTest {
  readonly key: string;
  readonly test: ObservedTest;
  /** Null where it has none that can be read. */
  readonly mark: Mark | null;
  /** Why the entry names its id; null: its mark is enough. */
  readonly pinned: string | null;
  /** Tests of the same key that are listed before it. */
  readonly earlier: readonly ObservedTest[];
}

/** What is known beside the test itself. */
export interface Surroundings {
  readonly secrets: SecretNames;
  /** What the current file says of the test; null: nothing. */
  readonly declared: DeclaredTest | null;
  readonly sha256: Sha256;
  /** Where the current file names a payload file with this content; null: nowhere. */
  readonly pathOfRows: (sha256: string) => string | null;
}

export function printedTest(
  { key, test, mark, pinned, earlier }: ImportedTest,
  { secrets, declared, sha256, pathOfRows }: Surroundings,
): PrintedTest {
  const { values, targets } = listedValues(test);
  const hidden = knownHidden(test, mark, sha256);
  const given = givenTestFields({ ...values, errorThreshold: hidden.errorThreshold });
  const observed = normalizeObserved(test);
  // A secret leaves a trace in the digest of the mark: where there is none, a file has said all of it in clear.
  const clear = mark !== null && digestOfFields(observed, sha256) === mark.shown;
  const pairs = declared === null ? [] : shownDifferences(observed, normalizeSpec(declared.spec)).urls;
  const places = new Map(pairs.map(({ before, now }) => [before, now]));
  const escaped = escapedBodies(targets, mark, sha256);
  return {
    key,
    comments: [
      ...(pinned === null ? [] : [`adopted by its id: ${pinned}`]),
      ...untoldComment(hidden, pinned),
      ...earlier.map(({ id }) => `left out: ${id}, an earlier version of this key`),
    ],
    fields: [
      ...(pinned === null ? [] : [{ name: 'id', value: test.id }]),
      ...printedFields(given, { key, secrets, url: '', declared: [], clear, pathOfRows }),
    ],
    urls: targets.map((target, index) => {
      const before = declared?.spec.targets[places.get(index) ?? -1];
      const said = before === undefined ? [] : givenUrlFields(before);
      const around = { key, secrets, url: target.url ?? '', declared: said, clear, pathOfRows };
      // The file says it by "json".
      const fields = givenUrlFields({ ...target, jsonBody: null });
      return withJson(printedFields(fields, around), escaped.has(index));
    }),
  };
}

/** The URLs in whose bodies values are escaped: what the service lists, else what the mark says. */
function escapedBodies(
  targets: readonly UrlValues[],
  mark: Mark | null,
  sha256: Sha256,
): ReadonlySet<number> {
  const listed = targets.flatMap(({ jsonBody }, index) => (jsonBody === true ? [index] : []));
  if (listed.length > 0) return new Set(listed);
  const places = targets.flatMap(({ body }, index) => {
    const text = body === null ? '' : escapeReferences(revealText(body));
    return compileTemplate(text).names.length > 0 && jsonOf(text) !== null ? [index] : [];
  });
  return new Set(mark !== null && tellsJsonBodies(mark.hidden, places, sha256) ? places : []);
}

export const VARIABLES_UNLISTED =
  'its variables cannot be read back; add them to the file, then remove the id';

/** What a change of the test would lose, unless it is added. */
function untoldComment({ errorThreshold, variables }: KnownHidden, pinned: string | null): string[] {
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

interface Around {
  readonly key: string;
  readonly secrets: SecretNames;
  /** Of the request that the fields are of. */
  readonly url: string;
  /** What the current file says of the same request. */
  readonly declared: readonly GivenField[];
  /** No value of the test was a secret. */
  readonly clear: boolean;
  readonly pathOfRows: Surroundings['pathOfRows'];
}

function printedFields(given: readonly GivenField[], around: Around): PrintedMember[] {
  return given.map((field) => ({ name: field.name, value: printedValue(field, around) }));
}

function printedValue(given: GivenField, around: Around): PrintedValue {
  const printed = (listed: KnownText, member: string, kind = member) =>
    printedText(listed, { ...around, kind, said: declaredText(around, given, member) });
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
        const before = declaredText(around, given, name);
        const said = typeof before === 'string' ? null : before;
        return { name, value: printedText(value, { ...around, clear: false, kind: name, said }) };
      });
    case 'params':
      return given.value.map(({ name, value }) => ({ name, value: printed(value, name) }));
    case 'credentials': {
      const { login, password } = given.value;
      const same = password ?? `${authorityOf(around.url) ?? ''} ${revealText(login)}`;
      return [
        { name: 'login', value: printed(login, 'login') },
        { name: 'password', value: secretText(around, 'password', revealText(same)) },
      ];
    }
    case 'stages':
      return {
        items: given.value.map(({ lasts, to }) => [
          { name: 'for', value: { duration: lasts } },
          { name: 'to', value: to },
        ]),
      };
    case 'expectation':
      return printedExpectation(given.value);
    case 'delay': {
      const { least, most } = given.value;
      const [from, to] = [{ duration: least }, { duration: most }];
      return least === most ? from : { items: [from, to] };
    }
    case 'payloadFile':
      return around.pathOfRows(given.value.sha256) ?? '';
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

function printedExpectation({ status, headers, body, json }: Expectation): PrintedMember[] {
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
function printedText(
  listed: KnownText,
  how: Around & { readonly kind: string; readonly said: KnownText | null },
): PrintedText {
  const value = revealText(listed);
  // Without a value there is nothing to keep secret.
  if (value === '' || how.clear || how.said === value) return value;
  return asDeclared(value, how.said) ?? secretText(how, how.kind, value);
}

function secretText({ key, secrets }: Around, kind: string, same: string): PrintedText {
  return { filledIn: `\${secret:${secrets.nameOf(key, kind.toLowerCase(), same)}}` };
}

/** What the current file says in the same place. */
function declaredText({ declared }: Around, { name: field }: GivenField, member: string): KnownText | null {
  const texts = declared.filter(({ name }) => name === field).flatMap(textsOf);
  return texts.find(({ name }) => name.toLowerCase() === member.toLowerCase())?.value ?? null;
}

/** As the current file writes it where that holds secrets and says the same; null: it does not. */
function asDeclared(value: string, declared: KnownText | null): PrintedText | null {
  if (declared === null || typeof declared === 'string' || declared instanceof ReadBack) return null;
  const parts = declared.parts.map((part) => (part instanceof Secret ? null : part));
  if (!fitsParts(parts, value)) return null;
  const written = declared.parts.map((part) =>
    part instanceof Secret ? `\${secret:${part.name}}` : escapeReferences(part),
  );
  return { filledIn: written.join('') };
}

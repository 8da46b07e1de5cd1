/** One listed test as an entry of the file: defaults dropped, secrets as references. */
import { formatInstant } from '../core/instant.ts';
import type { DeclaredTest, ObservedTest } from '../core/model/load-test.ts';
import { authorityOf } from '../core/model/url.ts';
import { Secret, maskText, type Text } from '../core/model/secret.ts';
import { givenTestFields, givenUrlFields, textsOf, type GivenField } from '../core/model/test-fields.ts';
import { SENSITIVE_HEADERS, fitsParts } from '../core/reconcile/differences.ts';
import { readHidden } from '../core/reconcile/digests.ts';
import type { Mark } from '../core/reconcile/mark.ts';
import { listedValues } from '../core/reconcile/normalize.ts';
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

export function printedTest(
  { key, test, mark, pinned, earlier }: ImportedTest,
  secrets: SecretNames,
  declared: DeclaredTest | null,
): PrintedTest {
  const { values, targets } = listedValues(test);
  const errorThreshold = mark === null ? null : (readHidden(mark.hidden)?.errorThreshold ?? null);
  const given = givenTestFields({ ...values, errorThreshold });
  return {
    key,
    comments: [
      ...(pinned === null ? [] : [`adopted by its id: ${pinned}`]),
      ...earlier.map(({ id }) => `left out: ${id}, an earlier version of this key`),
    ],
    fields: [
      ...(pinned === null ? [] : [{ name: 'id', value: test.id }]),
      ...printedFields(given, { key, secrets, url: '', declared: [] }),
    ],
    urls: targets.map((target, index) => {
      const before = declared?.spec.targets[index];
      const around = { key, secrets, url: target.url ?? '', declared: before ? givenUrlFields(before) : [] };
      return printedFields(givenUrlFields(target), around);
    }),
  };
}

interface Around {
  readonly key: string;
  readonly secrets: SecretNames;
  /** Of the request that the fields are of. */
  readonly url: string;
  /** What the current file says of the same request; only its references to secrets are taken over. */
  readonly declared: readonly GivenField[];
}

function printedFields(given: readonly GivenField[], around: Around): PrintedMember[] {
  return given.map((field) => ({ name: field.name, value: printedValue(field, around) }));
}

function printedValue(given: GivenField, around: Around): PrintedValue {
  const known = (listed: Text, member = '') =>
    asDeclared(maskText(listed), declaredText(around, given, member));
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
      return known(given.value);
    case 'headers':
      return given.value.map(({ name, value }) => {
        const lower = name.toLowerCase();
        // Without a value there is nothing to keep secret.
        if (SENSITIVE_HEADERS.includes(lower) && value !== '')
          return { name, value: secretText(around, lower, maskText(value)) };
        return { name, value: known(value, name) };
      });
    case 'params':
      return given.value.map(({ name, value }) => ({ name, value: known(value, name) }));
    case 'credentials': {
      const { login, password } = given.value;
      const same = password ?? `${authorityOf(around.url) ?? ''} ${maskText(login)}`;
      return [
        { name: 'login', value: known(login, 'login') },
        { name: 'password', value: secretText(around, 'password', maskText(same)) },
      ];
    }
    case 'variables':
      throw new Error('Bug: no service lists variables');
  }
}

function secretText({ key, secrets }: Around, kind: string, same: string): PrintedText {
  return { filledIn: `\${secret:${secrets.nameOf(key, kind, same)}}` };
}

/** What the current file says in the same place. */
function declaredText({ declared }: Around, { name: field }: GivenField, member: string): Text | null {
  const texts = declared.filter(({ name }) => name === field).flatMap(textsOf);
  return texts.find(({ name }) => name.toLowerCase() === member.toLowerCase())?.value ?? null;
}

/** As the current file writes it where that holds secrets and says the same: they must not come out in clear. */
function asDeclared(value: string, declared: Text | null): PrintedText {
  if (declared === null || typeof declared === 'string') return value;
  const parts = declared.parts.map((part) => (part instanceof Secret ? null : part));
  if (!fitsParts(parts, value)) return value;
  const written = declared.parts.map((part) =>
    part instanceof Secret ? `\${secret:${part.name}}` : escapeReferences(part),
  );
  return { filledIn: written.join('') };
}

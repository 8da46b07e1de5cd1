/** One listed test as an entry of the file: defaults dropped, secrets as references. */
import {
  SPEC_DEFAULTS,
  authorityOf,
  type DeclaredTest,
  type NamedText,
  type ObservedTarget,
  type ObservedTest,
  type TargetSpec,
} from '../core/model/load-test.ts';
import { Secret, type Text } from '../core/model/secret.ts';
import { formatInstant } from '../core/instant.ts';
import { SENSITIVE_HEADERS, fitsParts } from '../core/reconcile/differences.ts';
import { readHidden } from '../core/reconcile/digests.ts';
import { readNotes, type Mark } from '../core/reconcile/mark.ts';
import { normalizeUrl } from '../core/reconcile/normalize.ts';
import type { SecretNames } from './import-names.ts';
import {
  escapeReferences,
  type PrintedMember,
  type PrintedTarget,
  type PrintedTest,
  type PrintedText,
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
  const type = typeof test.testType === 'string' ? test.testType : test.testType.unrecognised;
  const firstUrl = test.targets()[0]?.url ?? '';
  const isDefaultName = test.name !== null && normalizeUrl(test.name) === normalizeUrl(firstUrl);
  const threshold = mark === null ? null : (readHidden(mark.hidden)?.errorThreshold ?? null);
  return {
    key,
    comments: [
      ...(pinned === null ? [] : [`pinned by its id: ${pinned}`]),
      ...earlier.map(({ id }) => `left out: ${id}, an earlier one of this key`),
    ],
    id: pinned === null ? null : test.id,
    name: isDefaultName ? null : test.name,
    test_type: type,
    initial: type === 'cycling' ? given(test.initial, SPEC_DEFAULTS.initial) : null,
    total: given(test.total, SPEC_DEFAULTS.total),
    duration: test.duration,
    timeout: given(test.timeout, SPEC_DEFAULTS.timeout),
    error_threshold: given(threshold, SPEC_DEFAULTS.errorThreshold),
    callback: test.callback,
    callback_email: test.callbackEmail,
    scheduled_at: test.scheduledAt === null ? null : formatInstant(test.scheduledAt),
    notes: readNotes(test.notes).own,
    tls_verify: test.tlsVerify === false ? false : null,
    urls: test
      .targets()
      .map((target, index) =>
        printedTarget(target, { key, secrets, declared: declared?.spec.targets[index] ?? null }),
      ),
  };
}

/** Null for a default: it says nothing. */
function given<T extends number>(value: T | null, standard: number): T | null {
  return value === standard ? null : value;
}

interface Around {
  readonly key: string;
  readonly secrets: SecretNames;
  /** What the current file says of the same request; only its references to secrets are taken over. */
  readonly declared: TargetSpec | null;
}

function printedTarget(target: ObservedTarget, around: Around): PrintedTarget {
  const { declared } = around;
  const method = target.method?.toUpperCase() ?? null;
  return {
    url: target.url,
    request_type: method === SPEC_DEFAULTS.method ? null : method,
    credentials: target.credentials && printedCredentials(target, target.credentials, around),
    headers: target.headers.map(({ name, value }): PrintedMember => {
      const lower = name.toLowerCase();
      // Without a value there is nothing to keep secret.
      if (SENSITIVE_HEADERS.includes(lower) && value !== '')
        return { name, value: secretText(around, lower, value) };
      return { name, value: known(value, textOf(declared?.headers ?? null, lower)) };
    }),
    request_params: target.params.map(({ name, value }) => ({
      name,
      value: known(value, textOf(declared?.params ?? null, name)),
    })),
    raw_post_body: target.body === null ? null : known(target.body, declared?.body ?? null),
    payload_file_url: target.payloadFileUrl,
  };
}

function printedCredentials(
  target: ObservedTarget,
  { login, password }: NonNullable<ObservedTarget['credentials']>,
  around: Around,
): PrintedTarget['credentials'] {
  const same = password ?? `${authorityOf(target.url) ?? ''} ${login}`;
  return {
    login: known(login, around.declared?.credentials?.login ?? null),
    password: secretText(around, 'password', same),
  };
}

function secretText({ key, secrets }: Around, kind: string, same: string): PrintedText {
  return { filledIn: `\${secret:${secrets.nameOf(key, kind, same)}}` };
}

function textOf(fields: readonly NamedText[] | null, name: string): Text | null {
  return fields?.find((field) => field.name.toLowerCase() === name.toLowerCase())?.value ?? null;
}

/** As the current file writes it where that holds secrets and says the same: they must not come out in clear. */
function known(value: string, declared: Text | null): PrintedText {
  if (declared === null || typeof declared === 'string') return value;
  const parts = declared.parts.map((part) => (part instanceof Secret ? null : part));
  if (!fitsParts(parts, value)) return value;
  const written = declared.parts.map((part) =>
    part instanceof Secret ? `\${secret:${part.name}}` : escapeReferences(part),
  );
  return { filledIn: written.join('') };
}

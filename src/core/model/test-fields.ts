/**
 * The fields of a test and of its URLs, a row each. Comparing, digests, importing, printing and the search for
 * secrets follow these tables; only the schemas, the codec and the rules know single fields beside them.
 */
import type { Milliseconds } from '../units.ts';
import type { Delay } from '../load/delay.ts';
import type { Stage } from '../load/ramps.ts';
import type { Expectation } from './expectation.ts';
import type { PayloadFile } from './payload-file.ts';
import {
  SPEC_DEFAULTS,
  type KnownField,
  type LoadTestSpec,
  type ObservedTest,
  type TargetSpec,
  type VariableSpec,
} from './load-test.ts';
import { ReadBack, secretsOf, type KnownText, type Secret } from './secret.ts';

/** What a field may hold, by kind. */
interface Values {
  readonly text: string;
  readonly url: string;
  readonly type: ObservedTest['testType'];
  readonly count: number;
  readonly percent: number;
  /** Written as seconds by the API. */
  readonly seconds: Milliseconds;
  readonly milliseconds: Milliseconds;
  /** Milliseconds since the epoch; a date and time in the file and the API. */
  readonly instant: number;
  readonly flag: boolean;
  /** These four can hold secrets; what a service gives back of them is never shown. */
  readonly secretText: KnownText;
  readonly headers: readonly KnownField[];
  readonly params: readonly KnownField[];
  /** Null: a password that a service does not give back. */
  readonly credentials: { readonly login: KnownText; readonly password: KnownText | null };
  readonly variables: readonly VariableSpec[];
  readonly stages: readonly Stage[];
  readonly expectation: Expectation;
  readonly delay: Delay;
  readonly payloadFile: PayloadFile;
}

type Kind = keyof Values;

interface Row<K extends Kind> {
  /** In the file and in the API. */
  readonly name: string;
  readonly kind: K;
  /** What it means to leave the field out, where that is a value. */
  readonly standard?: Values[K];
  /** Whether every service lists the field. The mark carries what only ours lists, as an extension. */
  readonly told: 'list' | 'mark';
  /** Which tests use the field; absent: all of them. */
  readonly only?: (test: LoadShape) => boolean;
}

/** What decides which other fields of its load a test uses. */
interface LoadShape {
  readonly testType: Values['type'] | null;
  readonly stages: readonly Stage[] | null;
}

type RowFor<Value> = { [K in Kind]: [Value] extends [Values[K]] ? Row<K> : never }[Kind];

/** A row for each member of a model: a member without one does not compile. */
type RowsFor<Model> = { readonly [Key in keyof Model]: RowFor<NonNullable<Model[Key]>> };

/** Stages say what the field would. */
function withoutStages({ stages }: LoadShape): boolean {
  return stages === null;
}

/** In the order of the file. */
export const TEST_FIELDS = {
  name: { name: 'name', kind: 'text', told: 'list' },
  testType: { name: 'test_type', kind: 'type', told: 'list' },
  initial: {
    name: 'initial',
    kind: 'count',
    standard: SPEC_DEFAULTS.initial,
    told: 'list',
    only: ({ testType, stages }) => testType === 'cycling' || stages !== null,
  },
  total: {
    name: 'total',
    kind: 'count',
    standard: SPEC_DEFAULTS.total,
    told: 'list',
    only: withoutStages,
  },
  duration: { name: 'duration', kind: 'seconds', told: 'list', only: withoutStages },
  stages: { name: 'stages', kind: 'stages', told: 'list' },
  warmup: { name: 'warmup', kind: 'seconds', told: 'list' },
  timeout: { name: 'timeout', kind: 'milliseconds', standard: SPEC_DEFAULTS.timeout, told: 'list' },
  errorThreshold: {
    name: 'error_threshold',
    kind: 'percent',
    standard: SPEC_DEFAULTS.errorThreshold,
    told: 'mark',
  },
  callback: { name: 'callback', kind: 'url', told: 'list' },
  callbackEmail: { name: 'callback_email', kind: 'text', told: 'list' },
  scheduledAt: { name: 'scheduled_at', kind: 'instant', told: 'list' },
  notes: { name: 'notes', kind: 'text', told: 'list' },
  tlsVerify: { name: 'tls_verify', kind: 'flag', standard: true, told: 'list' },
} as const satisfies RowsFor<Omit<LoadTestSpec, 'targets'>>;

export const URL_FIELDS = {
  url: { name: 'url', kind: 'url', told: 'list' },
  method: { name: 'request_type', kind: 'text', standard: SPEC_DEFAULTS.method, told: 'list' },
  credentials: { name: 'credentials', kind: 'credentials', told: 'list' },
  headers: { name: 'headers', kind: 'headers', told: 'list' },
  params: { name: 'request_params', kind: 'params', told: 'list' },
  body: { name: 'raw_post_body', kind: 'secretText', told: 'list' },
  // In the file, `json` says it.
  jsonBody: { name: 'raw_post_body_json', kind: 'flag', standard: false, told: 'mark' },
  payloadFileUrl: { name: 'payload_file_url', kind: 'url', told: 'list' },
  payloadFile: { name: 'payload_file', kind: 'payloadFile', told: 'list' },
  delay: { name: 'delay', kind: 'delay', told: 'list' },
  variables: { name: 'variables', kind: 'variables', told: 'mark' },
  expect: { name: 'expect', kind: 'expectation', told: 'list' },
} as const satisfies RowsFor<TargetSpec>;

type Rows = Readonly<Record<string, Row<Kind>>>;

type MarkedOf<Table extends Rows> = {
  [Key in keyof Table]: Table[Key]['told'] extends 'mark' ? Key : never;
}[keyof Table];

/** The fields that the plain API does not list. */
export type MarkedField = MarkedOf<typeof TEST_FIELDS> | MarkedOf<typeof URL_FIELDS>;

/** What a test gives to the fields of a table. Null: nothing. */
type ValuesOf<Table extends Rows> = { readonly [Key in keyof Table]: Values[Table[Key]['kind']] | null };

export type TestValues = ValuesOf<typeof TEST_FIELDS>;
export type UrlValues = ValuesOf<typeof URL_FIELDS>;

/** A field with a value that says something. */
export type GivenField = {
  readonly [K in Kind]: {
    readonly name: string;
    readonly told: Row<K>['told'];
    readonly kind: K;
    readonly value: Values[K];
  };
}[Kind];

/** The fields of a test that say something: neither empty, nor the default, nor ignored by its type. */
export function givenTestFields(test: TestValues): readonly GivenField[] {
  return givenFields(TEST_FIELDS, test, test);
}

export function givenUrlFields(target: UrlValues): readonly GivenField[] {
  return givenFields(URL_FIELDS, target, { testType: null, stages: null });
}

function givenFields<Table extends Rows>(
  table: Table,
  values: ValuesOf<Table>,
  test: LoadShape,
): readonly GivenField[] {
  const given: GivenField[] = [];
  for (const key of Object.keys(table)) {
    const row: Row<Kind> | undefined = table[key];
    const value = values[key] ?? null;
    if (row === undefined || value === null || isEmpty(value) || value === row.standard) continue;
    if (row.only?.(test) === false) continue;
    // ValuesOf pairs each kind with its value; the compiler loses that when it walks over the keys.
    given.push({ name: row.name, told: row.told, kind: row.kind, value } as GivenField);
  }
  return given;
}

function isEmpty(value: Values[Kind]): boolean {
  if (value instanceof ReadBack) return value.empty;
  return value === '' || (Array.isArray(value) && value.length === 0);
}

/** All secrets that a test sends. */
export function secretsOfSpec(spec: LoadTestSpec): readonly Secret[] {
  const given = [...givenTestFields(spec), ...spec.targets.flatMap(givenUrlFields)];
  return given.flatMap(textsOf).flatMap(({ value }) => secretsOf(value));
}

/** The texts of a field that may hold secrets, by the names of its members; of a field without members, by none. */
export function textsOf(given: GivenField): readonly KnownField[] {
  switch (given.kind) {
    case 'secretText':
      return [{ name: '', value: given.value }];
    case 'headers':
    case 'params':
      return given.value;
    case 'credentials':
      return [
        { name: 'login', value: given.value.login },
        { name: 'password', value: given.value.password ?? '' },
      ];
    case 'text':
    case 'url':
    case 'type':
    case 'count':
    case 'percent':
    case 'seconds':
    case 'milliseconds':
    case 'instant':
    case 'flag':
    case 'variables':
    case 'stages':
    case 'expectation':
    case 'delay':
    case 'payloadFile':
      return [];
  }
}

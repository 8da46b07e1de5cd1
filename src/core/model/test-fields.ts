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
import { ReturnedText, secretsOf, type KnownText, type Secret } from './secret.ts';

/** What a field may hold, by kind. */
interface FieldTypes {
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

type FieldKind = keyof FieldTypes;

interface FieldDescriptor<K extends FieldKind> {
  /** In the file and in the API. */
  readonly name: string;
  readonly kind: K;
  /** What it means to leave the field out, where that is a value. */
  readonly defaultValue?: FieldTypes[K];
  /** Whether every service lists the field. The mark carries what only ours lists, as an extension. */
  readonly readFrom: 'list' | 'mark';
  /** Which tests use the field; absent: all of them. */
  readonly appliesTo?: (test: LoadShape) => boolean;
}

/** What decides which other fields of its load a test uses. */
interface LoadShape {
  readonly testType: FieldTypes['type'] | null;
  readonly stages: readonly Stage[] | null;
}

type DescriptorFor<Value> = {
  [K in FieldKind]: [Value] extends [FieldTypes[K]] ? FieldDescriptor<K> : never;
}[FieldKind];

/** A row for each member of a model: a member without one does not compile. */
type DescriptorsFor<Model> = { readonly [Key in keyof Model]: DescriptorFor<NonNullable<Model[Key]>> };

/** Stages say what the field would. */
function withoutStages({ stages }: LoadShape): boolean {
  return stages === null;
}

/** In the order of the file. */
export const TEST_FIELDS = {
  name: { name: 'name', kind: 'text', readFrom: 'list' },
  testType: { name: 'test_type', kind: 'type', readFrom: 'list' },
  initial: {
    name: 'initial',
    kind: 'count',
    defaultValue: SPEC_DEFAULTS.initial,
    readFrom: 'list',
    appliesTo: ({ testType, stages }) => testType === 'cycling' || stages !== null,
  },
  total: {
    name: 'total',
    kind: 'count',
    defaultValue: SPEC_DEFAULTS.total,
    readFrom: 'list',
    appliesTo: withoutStages,
  },
  duration: { name: 'duration', kind: 'seconds', readFrom: 'list', appliesTo: withoutStages },
  stages: { name: 'stages', kind: 'stages', readFrom: 'list' },
  warmup: { name: 'warmup', kind: 'seconds', readFrom: 'list' },
  timeout: { name: 'timeout', kind: 'milliseconds', defaultValue: SPEC_DEFAULTS.timeout, readFrom: 'list' },
  errorThreshold: {
    name: 'error_threshold',
    kind: 'percent',
    defaultValue: SPEC_DEFAULTS.errorThreshold,
    readFrom: 'mark',
  },
  callback: { name: 'callback', kind: 'url', readFrom: 'list' },
  callbackEmail: { name: 'callback_email', kind: 'text', readFrom: 'list' },
  scheduledAt: { name: 'scheduled_at', kind: 'instant', readFrom: 'list' },
  notes: { name: 'notes', kind: 'text', readFrom: 'list' },
  tlsVerify: { name: 'tls_verify', kind: 'flag', defaultValue: true, readFrom: 'list' },
} as const satisfies DescriptorsFor<Omit<LoadTestSpec, 'targets'>>;

export const URL_FIELDS = {
  url: { name: 'url', kind: 'url', readFrom: 'list' },
  method: { name: 'request_type', kind: 'text', defaultValue: SPEC_DEFAULTS.method, readFrom: 'list' },
  credentials: { name: 'credentials', kind: 'credentials', readFrom: 'list' },
  headers: { name: 'headers', kind: 'headers', readFrom: 'list' },
  params: { name: 'request_params', kind: 'params', readFrom: 'list' },
  body: { name: 'raw_post_body', kind: 'secretText', readFrom: 'list' },
  // In the file, `json` says it.
  jsonBody: { name: 'raw_post_body_json', kind: 'flag', defaultValue: false, readFrom: 'mark' },
  payloadFileUrl: { name: 'payload_file_url', kind: 'url', readFrom: 'list' },
  payloadFile: { name: 'payload_file', kind: 'payloadFile', readFrom: 'list' },
  delay: { name: 'delay', kind: 'delay', readFrom: 'list' },
  variables: { name: 'variables', kind: 'variables', readFrom: 'mark' },
  expect: { name: 'expect', kind: 'expectation', readFrom: 'list' },
} as const satisfies DescriptorsFor<TargetSpec>;

type Descriptors = Readonly<Record<string, FieldDescriptor<FieldKind>>>;

type MarkerFieldsOf<Table extends Descriptors> = {
  [Key in keyof Table]: Table[Key]['readFrom'] extends 'mark' ? Key : never;
}[keyof Table];

/** The fields that the plain API does not list. */
export type MarkerField = MarkerFieldsOf<typeof TEST_FIELDS> | MarkerFieldsOf<typeof URL_FIELDS>;

/** What a test gives to the fields of a table. Null: nothing. */
type ValuesOf<Table extends Descriptors> = {
  readonly [Key in keyof Table]: FieldTypes[Table[Key]['kind']] | null;
};

export type TestValues = ValuesOf<typeof TEST_FIELDS>;
export type UrlValues = ValuesOf<typeof URL_FIELDS>;

/** A field with a value that says something. */
export type EffectiveField = {
  readonly [K in FieldKind]: {
    readonly name: string;
    readonly readFrom: FieldDescriptor<K>['readFrom'];
    readonly kind: K;
    readonly value: FieldTypes[K];
  };
}[FieldKind];

/** The fields of a test that say something: neither empty, nor the default, nor ignored by its type. */
export function listEffectiveTestFields(test: TestValues): readonly EffectiveField[] {
  return listEffectiveFields(TEST_FIELDS, test, test);
}

export function listEffectiveUrlFields(target: UrlValues): readonly EffectiveField[] {
  return listEffectiveFields(URL_FIELDS, target, { testType: null, stages: null });
}

function listEffectiveFields<Table extends Descriptors>(
  table: Table,
  values: ValuesOf<Table>,
  test: LoadShape,
): readonly EffectiveField[] {
  const given: EffectiveField[] = [];
  for (const key of Object.keys(table)) {
    const row: FieldDescriptor<FieldKind> | undefined = table[key];
    const value = values[key] ?? null;
    if (row === undefined || value === null || isEmpty(value) || value === row.defaultValue) continue;
    if (row.appliesTo?.(test) === false) continue;
    // ValuesOf pairs each kind with its value; the compiler loses that when it walks over the keys.
    given.push({ name: row.name, readFrom: row.readFrom, kind: row.kind, value } as EffectiveField);
  }
  return given;
}

function isEmpty(value: FieldTypes[FieldKind]): boolean {
  if (value instanceof ReturnedText) return value.empty;
  return value === '' || (Array.isArray(value) && value.length === 0);
}

/** All secrets that a test sends. */
export function secretsOfSpec(spec: LoadTestSpec): readonly Secret[] {
  const given = [...listEffectiveTestFields(spec), ...spec.targets.flatMap(listEffectiveUrlFields)];
  return given.flatMap(secretTextsOf).flatMap(({ value }) => secretsOf(value));
}

/** The texts of a field that may hold secrets, by the names of its members; of a field without members, by none. */
export function secretTextsOf(given: EffectiveField): readonly KnownField[] {
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

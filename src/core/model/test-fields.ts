/** Table of the fields of a test and its URLs, for comparisons, digests, import, output and the search for secrets. */
import type { Milliseconds } from '../units.ts';
import type { AbortRule } from './abort-rule.ts';
import { CONNECTION_TEXTS, connectionMember, type HostConnection } from './connection.ts';
import type { Delay } from './delay.ts';
import type { Flow } from './flow.ts';
import { AWS_NAMES, AWS_TEXTS, textsOfAws, type AwsSigv4 } from './aws-sigv4.ts';
import type { Group } from './group.ts';
import type { Stage } from './ramps.ts';
import type { Phase } from './phase.ts';
import type { Expectation } from './expectation.ts';
import type { BodyFile, PayloadFile } from './payload-file.ts';
import {
  SPEC_DEFAULTS,
  type KnownField,
  type LoadTestSpec,
  type ObservedTarget,
  type ObservedTest,
  type TargetSpec,
  type VariableSpec,
} from './load-test.ts';
import {
  bodyFieldsOf,
  readRequestBody,
  textPartsOf,
  type BodyFields,
  type BodyPart,
  type NamedValue,
} from './request-body.ts';
import { ReturnedText, secretsOf, type KnownText, type Secret } from './secret.ts';

interface FieldTypes {
  readonly text: string;
  readonly url: string;
  readonly type: ObservedTest['testType'];
  readonly count: number;
  readonly percent: number;
  /** A duration that the API encodes in seconds. */
  readonly seconds: Milliseconds;
  readonly milliseconds: Milliseconds;
  /** An instant in milliseconds since the epoch. In the file and the API, the value is a date with a time. */
  readonly instant: number;
  readonly flag: boolean;
  /**
   * A string that can contain secrets. `SECRETS_IN` specifies the kinds and parts of fields that can contain secrets.
   */
  readonly secretText: KnownText;
  readonly headers: readonly KnownField[];
  readonly params: readonly KnownField[];
  readonly multipart: readonly BodyPart<KnownText>[];
  /** `password` is null if a service does not return it. */
  readonly credentials: { readonly login: KnownText; readonly password: KnownText | null };
  /** The secret members are null if a service does not return them. */
  readonly awsSigv4: AwsSigv4<KnownText, KnownText | null>;
  readonly connection: readonly HostConnection<KnownText>[];
  readonly variables: readonly VariableSpec[];
  readonly stages: readonly Stage[];
  readonly values: readonly NamedValue<string>[];
  readonly flows: readonly Flow[];
  readonly groups: readonly Group[];
  readonly abortRules: readonly AbortRule[];
  readonly phase: Phase<TargetSpec | ObservedTarget>;
  readonly expectation: Expectation;
  readonly delay: Delay;
  readonly payloadFile: PayloadFile;
  readonly bodyFile: BodyFile;
}

type FieldKind = keyof FieldTypes;

/** The part of a value that may contain secrets, by kind of field: the value itself, its members, or none. */
const SECRETS_IN = {
  secretText: 'value',
  headers: 'members',
  params: 'members',
  multipart: 'members',
  credentials: 'members',
  awsSigv4: 'members',
  connection: 'members',
  phase: 'members',
  text: null,
  url: null,
  type: null,
  count: null,
  percent: null,
  seconds: null,
  milliseconds: null,
  instant: null,
  flag: null,
  variables: null,
  stages: null,
  values: null,
  flows: null,
  groups: null,
  abortRules: null,
  expectation: null,
  delay: null,
  payloadFile: null,
  bodyFile: null,
} as const satisfies Readonly<Record<FieldKind, 'value' | 'members' | null>>;

type PlainKind = { [K in FieldKind]: (typeof SECRETS_IN)[K] extends null ? K : never }[FieldKind];

interface FieldDescriptor<K extends FieldKind> {
  /** Name of the field in the file and in the API. */
  readonly name: string;
  readonly kind: K;
  /** Default value, which has the same meaning as an absent field; absent if there is no default. */
  readonly defaultValue?: FieldTypes[K];
  /**
   * Source of the current value. `list` if every service that supports the field lists it. `marker` if only the
   * embedded service and `loadtests serve` list it, as an extension. In that case, the ownership marker contains the
   * value or its digest.
   */
  readonly readFrom: 'list' | 'marker';
  /** True if a service stores the value for a single iteration of a test; absent if the value may be confidential. */
  readonly isPublic?: K extends PlainKind ? true : never;
  /** Reports whether a test uses the field; absent if all tests use it. */
  readonly appliesTo?: (test: LoadShape) => boolean;
}

/** The fields that determine which other load fields apply to a test. */
interface LoadShape {
  readonly testType: FieldTypes['type'] | null;
  readonly stages: readonly Stage[] | null;
}

type DescriptorFor<Value> = {
  [K in FieldKind]: [Value] extends [FieldTypes[K]] ? FieldDescriptor<K> : never;
}[FieldKind];

/** A table with one row per member of a model. A missing row is a compile-time error. */
type DescriptorsFor<Model> = { readonly [Key in keyof Model]: DescriptorFor<NonNullable<Model[Key]>> };

/** Reports whether a test has no stages. */
function withoutStages({ stages }: LoadShape): boolean {
  return stages === null;
}

/** The fields of a test, in the order of the file. */
export const TEST_FIELDS = {
  name: { name: 'name', kind: 'text', readFrom: 'list', isPublic: true },
  testType: { name: 'test_type', kind: 'type', readFrom: 'list', isPublic: true },
  initial: {
    name: 'initial',
    kind: 'count',
    defaultValue: SPEC_DEFAULTS.initial,
    readFrom: 'list',
    isPublic: true,
    appliesTo: ({ testType, stages }) => testType === 'cycling' || stages !== null,
  },
  total: {
    name: 'total',
    kind: 'count',
    defaultValue: SPEC_DEFAULTS.total,
    readFrom: 'list',
    isPublic: true,
    appliesTo: withoutStages,
  },
  duration: { name: 'duration', kind: 'seconds', readFrom: 'list', appliesTo: withoutStages, isPublic: true },
  stages: { name: 'stages', kind: 'stages', readFrom: 'list', isPublic: true },
  warmup: { name: 'warmup', kind: 'seconds', readFrom: 'list', isPublic: true },
  values: { name: 'values', kind: 'values', readFrom: 'list' },
  connections: { name: 'connections', kind: 'count', readFrom: 'list', isPublic: true },
  iterations: { name: 'iterations', kind: 'count', readFrom: 'list', isPublic: true },
  iterationsPerClient: { name: 'iterations_per_client', kind: 'count', readFrom: 'list', isPublic: true },
  pace: { name: 'pace', kind: 'milliseconds', readFrom: 'list', isPublic: true },
  arrivals: { name: 'arrivals', kind: 'text', defaultValue: 'even', readFrom: 'list', isPublic: true },
  keepAlive: { name: 'keep_alive', kind: 'flag', defaultValue: true, readFrom: 'list', isPublic: true },
  timeout: {
    name: 'timeout',
    kind: 'milliseconds',
    defaultValue: SPEC_DEFAULTS.timeout,
    readFrom: 'list',
    isPublic: true,
  },
  errorThreshold: {
    name: 'error_threshold',
    kind: 'percent',
    defaultValue: SPEC_DEFAULTS.errorThreshold,
    readFrom: 'marker',
    isPublic: true,
  },
  // In the file, these rules are options of thresholds.
  abortRules: { name: 'abort_rules', kind: 'abortRules', readFrom: 'list', isPublic: true },
  callback: { name: 'callback', kind: 'url', readFrom: 'list' },
  callbackEmail: { name: 'callback_email', kind: 'text', readFrom: 'list' },
  scheduledAt: { name: 'scheduled_at', kind: 'instant', readFrom: 'list', isPublic: true },
  notes: { name: 'notes', kind: 'text', readFrom: 'list' },
  tlsVerify: { name: 'tls_verify', kind: 'flag', defaultValue: true, readFrom: 'list', isPublic: true },
  // In the file, apps can have this field too.
  connection: { name: 'connection', kind: 'connection', readFrom: 'list' },
  // In the file, each flow contains its requests; in the API, only their number.
  flows: { name: 'flows', kind: 'flows', readFrom: 'list', isPublic: true },
  // In the file, each group contains its requests; in the API, only their range.
  groups: { name: 'groups', kind: 'groups', readFrom: 'list', isPublic: true },
  // In the file, this field contains requests; in the API, only their number.
  onStart: { name: 'on_start', kind: 'count', readFrom: 'list', isPublic: true },
  setup: { name: 'setup', kind: 'phase', readFrom: 'list' },
  teardown: { name: 'teardown', kind: 'phase', readFrom: 'list' },
} as const satisfies DescriptorsFor<Omit<LoadTestSpec, 'targets'>>;

export const URL_FIELDS = {
  url: { name: 'url', kind: 'url', readFrom: 'list', isPublic: true },
  // True if `url` in the file consists of a single variable.
  resolveUrl: { name: 'resolve_url', kind: 'flag', defaultValue: false, readFrom: 'list', isPublic: true },
  method: {
    name: 'request_type',
    kind: 'text',
    defaultValue: SPEC_DEFAULTS.method,
    readFrom: 'list',
    isPublic: true,
  },
  credentials: { name: 'credentials', kind: 'credentials', readFrom: 'list' },
  awsSigv4: { name: 'aws_sigv4', kind: 'awsSigv4', readFrom: 'list' },
  headers: { name: 'headers', kind: 'headers', readFrom: 'list' },
  params: { name: 'request_params', kind: 'params', readFrom: 'list' },
  body: { name: 'raw_post_body', kind: 'secretText', readFrom: 'list' },
  // In the file, the key `json` sets this field.
  jsonBody: { name: 'raw_post_body_json', kind: 'flag', defaultValue: false, readFrom: 'marker' },
  bodyFile: { name: 'body_file', kind: 'bodyFile', readFrom: 'list' },
  multipart: { name: 'multipart', kind: 'multipart', readFrom: 'list' },
  payloadFileUrl: { name: 'payload_file_url', kind: 'url', readFrom: 'list' },
  payloadFile: { name: 'payload_file', kind: 'payloadFile', readFrom: 'list' },
  delay: { name: 'delay', kind: 'delay', readFrom: 'list', isPublic: true },
  onFailure: {
    name: 'on_failure',
    kind: 'text',
    defaultValue: 'continue',
    readFrom: 'list',
    isPublic: true,
  },
  variables: { name: 'variables', kind: 'variables', readFrom: 'marker' },
  expect: { name: 'expect', kind: 'expectation', readFrom: 'list', isPublic: true },
} as const satisfies DescriptorsFor<Omit<TargetSpec, 'body'> & BodyFields>;

type Descriptors = Readonly<Record<string, FieldDescriptor<FieldKind>>>;

type MarkerFieldsOf<Table extends Descriptors> = {
  [Key in keyof Table]: Table[Key]['readFrom'] extends 'marker' ? Key : never;
}[keyof Table];

/** The fields that are not in the lists of the base API. */
export type MarkerField = MarkerFieldsOf<typeof TEST_FIELDS> | MarkerFieldsOf<typeof URL_FIELDS>;

/** Values for the fields of a table; null members are not set. */
type ValuesOf<Table extends Descriptors> = {
  readonly [Key in keyof Table]: FieldTypes[Table[Key]['kind']] | null;
};

export type TestValues = ValuesOf<typeof TEST_FIELDS>;
export type UrlValues = ValuesOf<typeof URL_FIELDS>;

export type EffectiveField = {
  readonly [K in FieldKind]: {
    readonly name: string;
    readonly readFrom: FieldDescriptor<K>['readFrom'];
    readonly kind: K;
    readonly value: FieldTypes[K];
  };
}[FieldKind];

/** Returns the fields that have an effect: they are not empty, differ from the default, and apply to the test. */
export function listEffectiveTestFields(test: TestValues): readonly EffectiveField[] {
  return listEffectiveFields(TEST_FIELDS, test, test);
}

export function urlValuesOf(target: TargetSpec | ObservedTarget): UrlValues {
  if ('params' in target) return target;
  return { ...target, ...bodyFieldsOf(target.body) };
}

export function listEffectiveUrlFields(target: UrlValues): readonly EffectiveField[] {
  return listEffectiveFields(URL_FIELDS, target, { testType: null, stages: null });
}

function listEffectiveFields<Table extends Descriptors>(
  table: Table,
  values: ValuesOf<Table>,
  test: LoadShape,
): readonly EffectiveField[] {
  const effective: EffectiveField[] = [];
  for (const key in table) {
    const value = values[key] ?? null;
    if (value === null) continue;
    const row: FieldDescriptor<FieldKind> | undefined = table[key];
    if (row === undefined || isEmpty(value) || value === row.defaultValue) continue;
    if (row.appliesTo?.(test) === false) continue;
    // `ValuesOf` pairs each kind with its value, but the compiler cannot check this in a loop over the keys.
    effective.push({ name: row.name, readFrom: row.readFrom, kind: row.kind, value } as EffectiveField);
  }
  return effective;
}

function isEmpty(value: FieldTypes[FieldKind]): boolean {
  if (value instanceof ReturnedText) return value.empty;
  return value === '' || (Array.isArray(value) && value.length === 0);
}

/**
 * Returns a test with only its public fields.
 * @see FieldDescriptor.isPublic
 */
export function withPublicFields(spec: LoadTestSpec): LoadTestSpec {
  const targets = spec.targets.map((target) => {
    const { params, body, jsonBody, bodyFile, multipart, ...fields } = publicValues(
      URL_FIELDS,
      urlValuesOf(target),
    );
    const method = target.method ?? SPEC_DEFAULTS.method;
    return { ...fields, body: readRequestBody({ params, body, jsonBody, bodyFile, multipart }, method).body };
  });
  return { ...publicValues(TEST_FIELDS, spec), targets } as LoadTestSpec;
}

function publicValues<Table extends Descriptors>(table: Table, values: ValuesOf<Table>): ValuesOf<Table> {
  const entries = Object.entries(table).map(([key, { isPublic }]) => [
    key,
    isPublic === true ? (values[key] ?? null) : null,
  ]);
  return Object.fromEntries(entries) as ValuesOf<Table>; // The entries are the members of the table.
}

/**
 * Reports whether a field of a URL accepts references to secrets.
 * @param path - name of the field and, for a member of it, the name of the member
 */
export function acceptsSecret([name, member, ...deeper]: readonly string[]): boolean {
  const row = Object.values(URL_FIELDS).find((one) => one.name === name);
  if (row === undefined) return false;
  // In a part that is written as a map, only `value` accepts secrets.
  if (row.kind === 'multipart' && deeper.length === 1) return deeper[0] === 'value';
  if (deeper.length > 0) return false;
  if (row.kind === 'awsSigv4') return AWS_TEXTS.some((key) => AWS_NAMES[key] === member);
  return SECRETS_IN[row.kind] === (member === undefined ? 'value' : 'members');
}

export function secretsOfSpec(spec: LoadTestSpec): readonly Secret[] {
  const ofUrls = spec.targets.map(urlValuesOf).flatMap(listEffectiveUrlFields);
  const effective = [...listEffectiveTestFields(spec), ...ofUrls];
  return effective.flatMap(secretTextsOf).flatMap(({ value }) => secretsOf(value));
}

/**
 * Returns the strings of a field that may contain secrets. The name of a string is empty if the field has no members.
 */
export function secretTextsOf(field: EffectiveField): readonly KnownField[] {
  if (isPlain(field)) return [];
  switch (field.kind) {
    case 'secretText':
      return [{ name: '', value: field.value }];
    case 'headers':
    case 'params':
      return field.value;
    case 'multipart':
      return textPartsOf(field.value);
    case 'credentials':
      return [
        { name: 'login', value: field.value.login },
        { name: 'password', value: field.value.password ?? '' },
      ];
    case 'awsSigv4':
      return textsOfAws(field.value);
    case 'connection':
      return field.value.flatMap(({ host, options }) =>
        CONNECTION_TEXTS.map((name) => ({ name: connectionMember(host, name), value: options[name] ?? '' })),
      );
    case 'phase':
      return field.value.targets.flatMap((target, index) =>
        listEffectiveUrlFields(urlValuesOf(target)).flatMap((one) =>
          secretTextsOf(one).map(({ name, value }) => ({
            name: memberInPhase(index, one.name, name),
            value,
          })),
        ),
      );
  }
}

function memberInPhase(index: number, field: string, member: string): string {
  return ['urls', index, field, member].join('/');
}

function isPlain(field: EffectiveField): field is Extract<EffectiveField, { readonly kind: PlainKind }> {
  return SECRETS_IN[field.kind] === null;
}

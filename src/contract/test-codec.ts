/**
 * Codec of load tests.
 *
 * @remarks Create: spec → `encodeTestCreate` → POST → `decodeTestCreate` → spec of the service. List: spec of the
 * service → `encodeTestRecord` → GET → `decodeTestRecord` → ObservedTest. The `read` functions return null if a field
 * is absent, or if the service uses the field for another purpose.
 * @see docs/reference/http-api.md, sections 2.2 to 2.4.
 */
import { mapAwsTexts, type AwsSigv4 } from '../core/model/aws-sigv4.ts';
import type { FieldPath } from '../core/field-reference.ts';
import { formatInstant, parseInstant } from '../core/instant.ts';
import { readNumber, readString } from '../core/lenient-values.ts';
import type { RunProgress } from '../core/load/run-report.ts';
import { testId } from '../core/model/ids.ts';
import type {
  KnownField,
  LoadTestSpec,
  NamedText,
  ObservedTarget,
  ObservedTest,
  TargetSpec,
  VariableSpec,
} from '../core/model/load-test.ts';
import { SPEC_DEFAULTS, paceOf } from '../core/model/load-test.ts';
import { delayOf, type Delay } from '../core/model/delay.ts';
import { MAX_FLOWS, MAX_WEIGHT, flowShares, isFlowName, isWeight, type Flow } from '../core/model/flow.ts';
import { pathInPhase, type Phase, type PhaseName } from '../core/model/phase.ts';
import type { Stage } from '../core/model/ramps.ts';
import { authorityOf } from '../core/model/url.ts';
import {
  isSha256,
  ROW_ORDERS,
  type RowOptions,
  type BodyFile,
  type PayloadFile,
} from '../core/model/payload-file.ts';
import {
  bodyFieldsOf,
  readRequestBody,
  type BodyPart,
  type NamedValue,
  type TextPart,
} from '../core/model/request-body.ts';
import { faultOfBody, type Fault } from '../core/model/rules/fault.ts';
import { parseVariablePick, parseVariableSource } from '../core/model/variable.ts';
import { ReturnedText, maskText, revealText, type KnownText, type Text } from '../core/model/secret.ts';
import { milliseconds, seconds, type Milliseconds } from '../core/units.ts';
import { withoutUndefined } from '../core/present-fields.ts';
import { isObject, objectOf, isCount } from '../core/unknown-value.ts';
import type {
  AwsSigv4Entry,
  FilePartEntry,
  FlowEntry,
  SetupEntry,
  Stage as StageEntry,
  TestCreate,
  TextPartEntry,
  UrlEntry,
  VariableEntry,
} from './generated/test-create.ts';
import type { TestListMember } from './generated/test-list.ts';
import type { TestRecord, UrlRecord } from './generated/test-record.ts';
import {
  decodeConnection,
  encodeConnection,
  encodeListedConnection,
  readConnection,
} from './connection-codec.ts';
import { decodeExpectation, encodeExpectation, readExpectation } from './expectation-codec.ts';
import { ignoredOf, type IgnoredFields } from './test-normalization.ts';
import { decodeAbortRule, encodeAbortRule, readAbortRules } from './abort-rule-codec.ts';
import { decodeGroup, encodeGroup, readGroups } from './group-codec.ts';
import { TEST_TYPE_LABELS, readStatus, readTestType } from './test-keywords.ts';
import { encodeProgress } from './progress-codec.ts';
import { readId, readList, readMap, type WireField } from './wire-values.ts';

/** All fields of a body. A null field is omitted from the body. Omitting a field here is a compile-time error. */
type AllFields<Body> = {
  readonly [K in keyof Body]-?: object extends Pick<Body, K> ? Body[K] | null : Body[K];
};

/** In a create request, a null field is equivalent to a missing field. */
function omitNulls<Body extends object>(fields: AllFields<Body>): Body {
  // The cast is valid, because only optional fields can be null.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Body;
}

/** The body that the client sends, which contains no fields without effect. */
type SentTest = Omit<TestCreate, keyof IgnoredFields>;

/** The optional fields that create requests and records encode in the same way. */
type SharedFields = Pick<
  TestCreate,
  | 'stages'
  | 'flows'
  | 'groups'
  | 'on_start'
  | 'warmup'
  | 'values'
  | 'connections'
  | 'iterations'
  | 'iterations_per_client'
  | 'pace'
  | 'arrivals'
  | 'keep_alive'
  | 'abort_rules'
  | 'tls_verify'
>;

function encodeSharedFields(spec: LoadTestSpec): SharedFields {
  return omitNulls<SharedFields>({
    stages: spec.stages?.map(encodeStage) ?? null,
    flows: spec.flows?.map(encodeFlow) ?? null,
    groups: spec.groups?.map(encodeGroup) ?? null,
    on_start: spec.onStart,
    warmup: spec.warmup === null ? null : spec.warmup / 1000,
    values: spec.values && mapOf(spec.values),
    connections: spec.connections,
    iterations: spec.iterations,
    iterations_per_client: spec.iterationsPerClient,
    pace: spec.pace,
    arrivals: spec.arrivals === null ? null : spec.arrivals === 'random' ? 'random' : 'even',
    keep_alive: spec.keepAlive,
    abort_rules: spec.abortRules?.map(encodeAbortRule) ?? null,
    tls_verify: spec.tlsVerify,
  });
}

/**
 * Encodes a create request. Declared fields are sent even if they have default values.
 * @throws Error if a secret is not set; commands check this earlier.
 */
export function encodeTestCreate(spec: LoadTestSpec, notes: string | null): SentTest {
  const fields = omitNulls<Omit<SentTest, keyof SharedFields>>({
    test_type: spec.testType,
    urls: spec.targets.map(encodeTarget),
    setup: spec.setup && encodePhase(spec.setup),
    teardown: spec.teardown && encodePhase(spec.teardown),
    duration: spec.duration / 1000,
    initial: spec.initial,
    total: spec.total,
    timeout: spec.timeout,
    error_threshold: spec.errorThreshold,
    callback: spec.callback,
    callback_email: spec.callbackEmail,
    scheduled_at: spec.scheduledAt === null ? null : formatInstant(spec.scheduledAt),
    name: spec.name,
    notes,
    connection: spec.connection && encodeConnection(spec.connection),
  });
  return { ...fields, ...encodeSharedFields(spec) };
}

function encodeTarget(target: TargetSpec): UrlEntry {
  const { credentials } = target;
  const { params, body, jsonBody, bodyFile, multipart } = bodyFieldsOf(target.body);
  return omitNulls<UrlEntry>({
    url: target.url,
    resolve_url: target.resolveUrl,
    request_type: target.method,
    credentials: credentials && {
      login: revealText(credentials.login),
      password: revealText(credentials.password),
    },
    aws_sigv4: target.awsSigv4 && encodeAwsSigv4(mapAwsTexts(target.awsSigv4, revealText)),
    headers: target.headers && mapOf(target.headers),
    request_params: params && mapOf(params),
    raw_post_body: body === null ? null : revealText(body),
    raw_post_body_json: jsonBody,
    body_file: bodyFile?.sha256 ?? null,
    multipart: multipart?.map(encodePart) ?? null,
    payload_file_url: target.payloadFileUrl,
    payload_file: target.payloadFile && encodePayloadFile(target.payloadFile),
    delay: target.delay && encodeDelay(target.delay),
    on_failure: target.onFailure === 'stop' ? 'stop' : target.onFailure === null ? null : 'continue',
    variables: target.variables?.map(encodeVariable) ?? null,
    expect: target.expect && encodeExpectation(target.expect),
  });
}

function encodeAwsSigv4(settings: AwsSigv4<string>): AwsSigv4Entry {
  return omitNulls<AwsSigv4Entry>({
    region: settings.region,
    service: settings.service,
    access_key_id: settings.accessKeyId,
    secret_access_key: settings.secretAccessKey,
    session_token: settings.sessionToken,
  });
}

function decodeAwsSigv4(wire: AwsSigv4Entry): AwsSigv4 {
  return {
    region: wire.region,
    service: wire.service,
    accessKeyId: wire.access_key_id,
    secretAccessKey: wire.secret_access_key,
    sessionToken: wire.session_token ?? null,
  };
}

/** Omits the secret strings, which services do not return. */
function encodeListedAwsSigv4({ region, service, accessKeyId }: AwsSigv4): Record<string, unknown> {
  return { region, service, access_key_id: requirePlainText(accessKeyId) };
}

function readAwsSigv4(value: unknown): ObservedTarget['awsSigv4'] {
  const { region, service, access_key_id: accessKeyId } = objectOf(value);
  if (typeof region !== 'string' || typeof service !== 'string' || typeof accessKeyId !== 'string')
    return null;
  return {
    region,
    service,
    accessKeyId: new ReturnedText(accessKeyId),
    secretAccessKey: null,
    sessionToken: null,
  };
}

function encodeStage({ duration, to }: Stage): StageEntry {
  return { for: duration / 1000, to };
}

function decodeStage({ for: length, to }: StageEntry): Stage {
  return { duration: seconds(length), to };
}

function encodeFlow({ values, ...flow }: Flow): FlowEntry {
  return withoutUndefined({ ...flow, values: values && mapOf(values) });
}

function decodeFlow({ values, ...flow }: FlowEntry): Flow {
  return withoutUndefined({ ...flow, values: values && readMap(values) });
}

function readFlows(value: unknown, urlCount: number): readonly Flow[] | null {
  if (Array.isArray(value) && value.length > MAX_FLOWS) return null;
  const flows = readList(value, readFlow);
  const requests = flows?.reduce((sum, { urls }) => sum + urls, 0);
  return flows !== null && requests === urlCount && flowShares(flows).sum <= MAX_WEIGHT ? flows : null;
}

function readFlow(flow: unknown): Flow | null {
  const { name, weight, urls, values } = objectOf(flow);
  const isValid = typeof name === 'string' && isFlowName(name) && isWeight(weight) && isWeight(urls);
  return isValid ? withoutUndefined({ name, weight, urls, values: readValues(values) ?? undefined }) : null;
}

function readStages(value: unknown): readonly Stage[] | null {
  return readList(value, (stage) => {
    const { for: length, to } = objectOf(stage);
    return typeof length === 'number' && typeof to === 'number' ? decodeStage({ for: length, to }) : null;
  });
}

function readWarmup(value: unknown): Milliseconds | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? seconds(value) : null;
}

function readValues(value: unknown): readonly WireField[] | null {
  const values = readMap(value);
  return values.length === 0 ? null : values;
}

function encodeDelay({ min, max }: Delay): number | [number, number] {
  return min === max ? min : [min, max];
}

function decodeDelay(wire: number | readonly [number, number]): Delay | null {
  const [min, max] = typeof wire === 'number' ? [wire, wire] : wire;
  return delayOf(milliseconds(min), milliseconds(max));
}

function readDelay(value: unknown): Delay | null {
  const times: readonly unknown[] = Array.isArray(value) ? value : [value, value];
  const [min, max, ...others] = times;
  return isCount(min) && isCount(max) && others.length === 0 ? decodeDelay([min, max]) : null;
}

function readPayloadFile(value: unknown): PayloadFile | null {
  if (typeof value === 'string') return isSha256(value) ? { sha256: value, declared: null } : null;
  if (!isObject(value)) return null;
  const { sha256, columns, delimiter, order, mask, ...unknown } = value;
  const knownOrder = ROW_ORDERS.find((one) => one === order);
  const isKnown =
    Object.keys(unknown).length === 0 &&
    (delimiter === undefined || typeof delimiter === 'string') &&
    knownOrder === order &&
    (columns === undefined || isTextList(columns)) &&
    (mask === undefined || isTextList(mask));
  if (typeof sha256 !== 'string' || !isSha256(sha256) || !isKnown) return null;
  return fileOf(sha256, withoutUndefined({ columns, delimiter, order: knownOrder, mask }));
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

type WirePayloadFile = NonNullable<UrlEntry['payload_file']>;

function encodePayloadFile({ sha256, options }: PayloadFile) {
  if (options === undefined) return sha256;
  const { columns, mask, ...same } = options;
  return withoutUndefined({ sha256, ...same, columns: columns && [...columns], mask: mask && [...mask] });
}

function decodePayloadFile(wire: WirePayloadFile): PayloadFile {
  if (typeof wire === 'string') return fileOf(wire, {});
  const { sha256, ...options } = wire;
  return fileOf(sha256, options);
}

function fileOf(sha256: string, options: RowOptions): PayloadFile {
  return { sha256, declared: null, ...(Object.keys(options).length === 0 ? {} : { options }) };
}

function readBodyFile(value: unknown): BodyFile | null {
  return typeof value === 'string' && isSha256(value) ? listedFile(value) : null;
}

function listedFile(sha256: string): BodyFile {
  return { sha256, declared: null };
}

type PartEntry = TextPartEntry | FilePartEntry;

function encodePart(part: BodyPart<Text>): PartEntry {
  const { name, contentType, filename } = part;
  const content = 'value' in part ? { value: revealText(part.value) } : { file: part.file.sha256 };
  return withoutUndefined({
    name,
    ...content,
    content_type: contentType ?? undefined,
    filename: filename ?? undefined,
  });
}

function decodePart(part: PartEntry): BodyPart<Text> {
  const { name, content_type: contentType = null, filename = null } = part;
  return 'value' in part
    ? textPartOf({ name, value: part.value, contentType, filename })
    : { name, file: listedFile(part.file), contentType, filename };
}

function textPartOf<T>({
  name,
  value,
  contentType,
  filename,
}: NamedValue<T> & { readonly contentType: string | null; readonly filename: string | null }): TextPart<T> {
  const options = { contentType: contentType ?? undefined, filename: filename ?? undefined };
  return { name, value, ...withoutUndefined(options) };
}

function readParts(value: unknown): readonly BodyPart<KnownText>[] | null {
  return readList(value, (entry): BodyPart<KnownText> | null => {
    const { name, value: text, file, content_type: contentType, filename } = objectOf(entry);
    if (typeof name !== 'string') return null;
    const options = { contentType: readString(contentType), filename: readString(filename) };
    if (typeof text === 'string') return textPartOf({ name, value: new ReturnedText(text), ...options });
    const read = readBodyFile(file);
    return read && { name, file: read, ...options };
  });
}

function readVariables(value: unknown): readonly VariableSpec[] | null {
  if (Array.isArray(value) && value.length === 0) return [];
  return readList(value, (entry): VariableSpec | null => {
    const { name, property, source = 'header', pick = null } = objectOf(entry);
    const isValid = typeof name === 'string' && typeof property === 'string' && typeof source === 'string';
    const known = parseVariablePick(pick);
    if (!isValid || (pick !== null && known === null)) return null;
    return withoutUndefined({ name, property, source, pick: known ?? undefined });
  });
}

/** @throws Error for a source that loadtests does not support; validation rejects such tests earlier. */
function encodeVariable({ name, property, source: keyword, pick }: VariableSpec): VariableEntry {
  const source = parseVariableSource(keyword);
  if (source === null) throw new Error('Bug: the source of a variable is not supported');
  return withoutUndefined({ name, property, source, pick });
}

function mapOf(fields: readonly NamedText[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field.name, revealText(field.value)]));
}

/** Serializes a test for storage, in the form of a create request. */
export function serializeTest(spec: LoadTestSpec, ignored: IgnoredFields): string {
  return JSON.stringify({ ...encodeTestCreate(spec, spec.notes), ...ignored });
}

/** @param text - A test that this version or an earlier version serialized. */
export function parseStoredTest(text: string): {
  readonly spec: LoadTestSpec;
  readonly ignored: IgnoredFields;
} {
  const create = JSON.parse(text) as TestCreate; // The test was validated before it was stored.
  const decoded = decodeTestCreate(create);
  if (decoded === null) throw new Error('Bug: a stored test has an invalid start time');
  return { spec: decoded.spec, ignored: ignoredOf(create) };
}

/** `bodyFaults` contains a fault for each request body that a test cannot represent. */
export interface DecodedTest {
  readonly spec: LoadTestSpec;
  readonly bodyFaults: readonly Fault[];
}

/** Decodes a create request that matches its schema. Returns null if `scheduled_at` is not a valid time. */
export function decodeTestCreate(wire: TestCreate): DecodedTest | null {
  const scheduledAt = wire.scheduled_at === undefined ? null : parseInstant(wire.scheduled_at);
  if (wire.scheduled_at !== undefined && scheduledAt === null) return null;
  const bodyFaults: Fault[] = [];
  const spec = {
    name: wire.name ?? null,
    testType: wire.test_type,
    initial: wire.initial ?? null,
    total: wire.total ?? null,
    duration: seconds(wire.duration),
    stages: wire.stages?.map(decodeStage) ?? null,
    warmup: wire.warmup === undefined ? null : seconds(wire.warmup),
    values: wire.values === undefined ? null : readMap(wire.values),
    connections: wire.connections ?? null,
    iterations: wire.iterations ?? null,
    iterationsPerClient: wire.iterations_per_client ?? null,
    pace: wire.pace === undefined ? null : milliseconds(wire.pace),
    arrivals: wire.arrivals ?? null,
    keepAlive: wire.keep_alive ?? null,
    timeout: wire.timeout === undefined ? null : milliseconds(wire.timeout),
    errorThreshold: wire.error_threshold ?? null,
    abortRules: wire.abort_rules?.map(decodeAbortRule) ?? null,
    callback: wire.callback ?? null,
    callbackEmail: wire.callback_email ?? null,
    scheduledAt,
    notes: wire.notes ?? null,
    targets: decodeTargets(wire.urls, bodyFaults, (path) => path),
    flows: wire.flows?.map(decodeFlow) ?? null,
    groups: wire.groups?.map(decodeGroup) ?? null,
    onStart: wire.on_start ?? null,
    setup: decodePhase(wire.setup, bodyFaults, 'setup'),
    teardown: decodePhase(wire.teardown, bodyFaults, 'teardown'),
    tlsVerify: wire.tls_verify ?? null,
    connection: wire.connection === undefined ? null : decodeConnection(wire.connection),
  };
  return { spec, bodyFaults };
}

function encodePhase(phase: Phase<TargetSpec>): SetupEntry {
  return { urls: phase.targets.map(encodeTarget), ...encodePhaseOptions(phase) };
}

function encodePhaseOptions({ groups, refresh }: Pick<Phase<unknown>, 'groups' | 'refresh'>) {
  return withoutUndefined({
    groups: groups?.map(encodeGroup),
    refresh: refresh === undefined ? undefined : refresh / 1000,
  });
}

function decodePhase(
  wire: SetupEntry | undefined,
  bodyFaults: Fault[],
  name: PhaseName,
): Phase<TargetSpec> | null {
  if (wire === undefined) return null;
  return withoutUndefined({
    targets: decodeTargets(wire.urls, bodyFaults, (path) => pathInPhase(name, path)),
    groups: wire.groups?.map(decodeGroup),
    refresh: wire.refresh === undefined ? undefined : seconds(wire.refresh),
  });
}

/**
 * Adds faults of request bodies to `bodyFaults`.
 * @param pathOf - Converts a path in `urls` to a path in the test.
 */
function decodeTargets(
  entries: readonly UrlEntry[],
  bodyFaults: Fault[],
  pathOf: (path: FieldPath) => FieldPath,
): readonly TargetSpec[] {
  return entries.map((entry, index) => {
    const { target, fault } = decodeTarget(entry, index);
    if (fault !== null) bodyFaults.push({ ...fault, path: pathOf(fault.path) });
    return target;
  });
}

function decodeTarget(
  entry: UrlEntry,
  index: number,
): { readonly target: TargetSpec; readonly fault: Fault | null } {
  const { body, fault } = readRequestBody<Text>(
    {
      params: entry.request_params === undefined ? null : readMap(entry.request_params),
      body: entry.raw_post_body ?? null,
      jsonBody: entry.raw_post_body_json ?? null,
      bodyFile: entry.body_file === undefined ? null : listedFile(entry.body_file),
      multipart: entry.multipart?.map(decodePart) ?? null,
    },
    entry.request_type ?? SPEC_DEFAULTS.method,
  );
  const target: TargetSpec = {
    url: entry.url,
    resolveUrl: entry.resolve_url ?? null,
    method: entry.request_type ?? null,
    credentials: entry.credentials ?? null,
    awsSigv4: entry.aws_sigv4 === undefined ? null : decodeAwsSigv4(entry.aws_sigv4),
    headers: entry.headers === undefined ? null : readMap(entry.headers),
    body,
    payloadFileUrl: entry.payload_file_url ?? null,
    payloadFile: entry.payload_file === undefined ? null : decodePayloadFile(entry.payload_file),
    delay: entry.delay === undefined ? null : decodeDelay(entry.delay),
    onFailure: entry.on_failure ?? null,
    variables: entry.variables ?? null,
    expect: entry.expect === undefined ? null : decodeExpectation(entry.expect),
  };
  return { target, fault: fault && faultOfBody(index, fault) };
}

/** The declared fields of a record, without the additional fields that services may send. */
type NamedFields<Wire> = { [K in keyof Wire as string extends K ? never : K]: Wire[K] };

/** All fields that the encoder must set. Omitting a field is a compile-time error. */
type EncodedTest = Required<
  Omit<
    NamedFields<TestRecord>,
    'progress' | 'connection' | PhaseName | keyof SharedFields | keyof IgnoredFields
  >
>;
type EncodedUrl = Required<
  Omit<
    NamedFields<UrlRecord>,
    | 'resolve_url'
    | 'aws_sigv4'
    | 'expect'
    | 'delay'
    | 'on_failure'
    | 'raw_post_body_json'
    | 'payload_file'
    | 'body_file'
    | 'multipart'
  >
>;

/** Encodes the record of a test, without passwords. */
export function encodeTestRecord(test: {
  readonly id: string;
  readonly status: string;
  readonly spec: LoadTestSpec;
  readonly ignored?: IgnoredFields;
  readonly progress?: RunProgress | null;
}): TestRecord {
  const { spec, progress = null } = test;
  const pace = paceOf(spec);
  const record: EncodedTest = {
    test_id: test.id,
    domain: authorityOf(spec.targets[0]?.url ?? '') ?? '',
    test_type: TEST_TYPE_LABELS[spec.testType],
    status: test.status,
    duration: spec.duration / 1000,
    initial: pace.initial,
    total: pace.total,
    timeout: pace.timeout,
    error_threshold: spec.errorThreshold ?? SPEC_DEFAULTS.errorThreshold,
    name: spec.name ?? '',
    notes: spec.notes ?? '',
    callback: spec.callback,
    callback_email: spec.callbackEmail,
    scheduled_at: spec.scheduledAt === null ? null : formatInstant(spec.scheduledAt),
    urls: spec.targets.map(encodeUrlRecord),
  };
  return {
    ...record,
    ...encodeSharedFields(spec),
    ...(spec.setup === null ? {} : { setup: encodePhaseRecord(spec.setup) }),
    ...(spec.teardown === null ? {} : { teardown: encodePhaseRecord(spec.teardown) }),
    ...(spec.connection === null ? {} : { connection: encodeListedConnection(spec.connection) }),
    ...test.ignored,
    ...(progress === null ? {} : { progress: encodeProgress(progress) }),
  };
}

/** Maximum total length of the request bodies in `urls` of a listed test, in UTF-16 code units. */
export const MAX_LISTED_BODY_LENGTH = 64 * 1024;

/** Truncates and marks long request bodies. */
export function encodeListedTest(test: Parameters<typeof encodeTestRecord>[0]): TestListMember {
  const record = encodeTestRecord(test);
  let remaining = MAX_LISTED_BODY_LENGTH;
  const urls = record.urls.map((url) => {
    const body = url.raw_post_body ?? '';
    const shown = truncateText(body, remaining);
    remaining -= shown.length;
    return shown === body ? url : { ...url, raw_post_body: shown, raw_post_body_truncated: true };
  });
  return { ...record, urls };
}

/** Truncates a string without splitting a surrogate pair. */
function truncateText(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

function encodeUrlRecord(target: TargetSpec): UrlRecord {
  const { params, body, jsonBody, bodyFile, multipart } = bodyFieldsOf(target.body);
  const record: EncodedUrl = {
    url: target.url,
    request_type: target.method ?? SPEC_DEFAULTS.method,
    authentication: target.credentials && { type: 'basic', login: maskText(target.credentials.login) },
    headers: toPlainMap(target.headers ?? []),
    request_params: toPlainMap(params ?? []),
    raw_post_body: body === null ? null : requirePlainText(body),
    payload_file_url: target.payloadFileUrl,
    variables: (target.variables ?? []).map(encodeVariable),
  };
  const { awsSigv4, expect, delay, payloadFile } = target;
  return {
    ...record,
    ...(target.resolveUrl === true ? { resolve_url: true } : {}),
    ...(awsSigv4 === null ? {} : { aws_sigv4: encodeListedAwsSigv4(awsSigv4) }),
    ...(expect === null ? {} : { expect: { ...encodeExpectation(expect) } }),
    ...(delay === null ? {} : { delay: encodeDelay(delay) }),
    ...(target.onFailure === null ? {} : { on_failure: target.onFailure }),
    ...(jsonBody === true ? { raw_post_body_json: true } : {}),
    ...(payloadFile === null ? {} : { payload_file: encodePayloadFile(payloadFile) }),
    ...(bodyFile === null ? {} : { body_file: bodyFile.sha256 }),
    ...(multipart === null ? {} : { multipart: multipart.map(encodePart) }),
  };
}

function encodePhaseRecord(phase: Phase<TargetSpec>): Record<string, unknown> {
  return { urls: phase.targets.map(encodeUrlRecord), ...encodePhaseOptions(phase) };
}

function readPhase(value: unknown): Phase<ObservedTarget> | null {
  const { urls, groups, refresh } = objectOf(value);
  if (!Array.isArray(urls) || urls.length === 0) return null;
  const records = urls.filter(isUrlRecord);
  const known = readGroups(groups);
  if (records.length < urls.length) return null;
  return withoutUndefined({
    targets: records.map(decodeUrlRecord),
    groups: known ?? undefined,
    refresh: readWarmup(refresh) ?? undefined,
  });
}

/** Reports whether a value has a `url`, the only required field of a URL record. Does not check other fields. */
function isUrlRecord(value: unknown): value is UrlRecord {
  return isObject(value) && typeof value['url'] === 'string';
}

function toPlainMap(fields: readonly NamedText[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field.name, requirePlainText(field.value)]));
}

/** Stored specs contain no secret references, because they were decoded from JSON. */
function requirePlainText(text: Text): string {
  if (typeof text !== 'string') throw new Error('Bug: a stored test contains a secret reference');
  return text;
}

/**
 * Marks the test if a request body is truncated.
 * @param index - Index of the record in its list, for error messages.
 * @throws UnusableResponse if the ID is invalid.
 */
export function decodeListedTest(member: TestListMember, index: number | null = null): ObservedTest {
  const test = decodeTestRecord(member, index);
  const isTruncated = member.urls.some((url) => url.raw_post_body_truncated === true);
  return isTruncated ? { ...test, bodies: 'cut' } : test;
}

/**
 * @param index - Index of the record in its list, for error messages.
 * @throws UnusableResponse if the ID is invalid.
 */
export function decodeTestRecord(record: TestRecord, index: number | null = null): ObservedTest {
  const duration = readNumber(record.duration);
  const timeout = readNumber(record.timeout);
  const pace = readNumber(record.pace);
  const scheduledAt = readString(record.scheduled_at);
  return {
    id: readId(record.test_id, '/test_id', testId, index),
    testType: readTestType(record.test_type ?? ''),
    status: record.status ?? '',
    statusKind: readStatus(record.status ?? ''),
    name: readString(record.name),
    notes: readString(record.notes),
    initial: readNumber(record.initial),
    total: readNumber(record.total),
    duration: duration === null ? null : seconds(duration),
    stages: readStages(record.stages),
    flows: readFlows(record.flows, record.urls.length - (readNumber(record.on_start) ?? 0)),
    groups: readGroups(record.groups),
    onStart: readNumber(record.on_start),
    setup: readPhase(record.setup),
    teardown: readPhase(record.teardown),
    warmup: readWarmup(record.warmup),
    values: readValues(record.values),
    connections: readNumber(record.connections),
    iterations: readNumber(record.iterations),
    iterationsPerClient: readNumber(record.iterations_per_client),
    pace: pace === null ? null : milliseconds(pace),
    arrivals: readString(record.arrivals),
    keepAlive: record.keep_alive ?? null,
    timeout: timeout === null ? null : milliseconds(timeout),
    errorThreshold: readNumber(record.error_threshold),
    abortRules: readAbortRules(record.abort_rules),
    callback: readString(record.callback),
    callbackEmail: readString(record.callback_email),
    scheduledAt: scheduledAt === null ? null : parseInstant(scheduledAt),
    targets: (limit) => record.urls.slice(0, limit).map(decodeUrlRecord),
    bodies: 'whole',
    tlsVerify: record.tls_verify ?? null,
    connection: readConnection(record.connection),
  };
}

function decodeUrlRecord(record: UrlRecord): ObservedTarget {
  const { authentication } = record;
  const body = readString(record.raw_post_body);
  const login = readString(objectOf(authentication)['login']);
  const password = readString(objectOf(authentication)['password']);
  return {
    url: record.url,
    resolveUrl: typeof record.resolve_url === 'boolean' ? record.resolve_url : null,
    method: readString(record.request_type)?.toUpperCase() ?? null,
    credentials:
      login === null && password === null
        ? null
        : {
            login: new ReturnedText(login ?? ''),
            password: password === null ? null : new ReturnedText(password),
          },
    awsSigv4: readAwsSigv4(record.aws_sigv4),
    headers: readMap(record.headers).map(toKnownField),
    params: readMap(record.request_params).map(toKnownField),
    body: body === null ? null : new ReturnedText(body),
    jsonBody: typeof record.raw_post_body_json === 'boolean' ? record.raw_post_body_json : null,
    bodyFile: readBodyFile(record.body_file),
    multipart: readParts(record.multipart),
    payloadFileUrl: readString(record.payload_file_url),
    payloadFile: readPayloadFile(record.payload_file),
    expect: readExpectation(record.expect),
    delay: readDelay(record.delay),
    onFailure: readString(record.on_failure),
    variables: readVariables(record.variables),
  };
}

function toKnownField({ name, value }: WireField): KnownField {
  return { name, value: new ReturnedText(value) };
}

/**
 * Wire ↔ load test. The only place that knows the API's seconds, snake case and spellings of a test.
 *
 * Shape:  spec → `encodeTestCreate` → POST → `decodeTestCreate` → spec (the server's);
 *         the server's spec → `encodeTestRecord` → list → `decodeTestRecord` → ObservedTest.
 * Source: docs/reference/http-api.md, sections 2.2 to 2.4.
 */
import { formatInstant, parseInstant } from '../core/instant.ts';
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
import { delayOf, type Delay } from '../core/load/delay.ts';
import type { Stage } from '../core/load/ramps.ts';
import { authorityOf } from '../core/model/url.ts';
import { isSha256, type PayloadFile } from '../core/model/payload-file.ts';
import { parseVariableSource } from '../core/model/variable.ts';
import { ReturnedText, maskText, revealText, type Text } from '../core/model/secret.ts';
import { milliseconds, seconds, type Milliseconds } from '../core/units.ts';
import type { TestCreate, UrlEntry, VariableEntry } from './generated/test-create.ts';
import type { TestListMember } from './generated/test-list.ts';
import type { TestRecord, UrlRecord } from './generated/test-record.ts';
import { decodeExpectation, encodeExpectation, readExpectation } from './expectation-codec.ts';
import { ignoredOf, type IgnoredFields } from './test-normalization.ts';
import { TEST_TYPE_LABELS, readStatus, readTestType } from './test-keywords.ts';
import { encodeProgress } from './progress-codec.ts';
import { readId, readMap, readNumber, readString, type WireField } from './wire-values.ts';

/** Every field of a body; null is left out. One that is forgotten does not compile. */
type AllFields<Body> = {
  readonly [K in keyof Body]-?: object extends Pick<Body, K> ? Body[K] | null : Body[K];
};

/** Not given and deliberately none are the same to a create. */
function omitNulls<Body extends object>(fields: AllFields<Body>): Body {
  // What is left out may be: only optional fields can be null.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Body;
}

/** What our own client says: nothing without an effect. */
type SentTest = Omit<TestCreate, keyof IgnoredFields>;

/**
 * The body of a create. Every field that was given is sent, also where it equals the default.
 *
 * Errors: throws when a secret is not set; commands check that before.
 */
export function encodeTestCreate(spec: LoadTestSpec, notes: string | null): SentTest {
  return omitNulls<SentTest>({
    test_type: spec.testType,
    urls: [encodeTarget(spec.targets[0]), ...spec.targets.slice(1).map(encodeTarget)],
    duration: spec.duration / 1000,
    stages: spec.stages && encodeStages(spec.stages),
    warmup: spec.warmup === null ? null : spec.warmup / 1000,
    initial: spec.initial,
    total: spec.total,
    timeout: spec.timeout,
    error_threshold: spec.errorThreshold,
    callback: spec.callback,
    callback_email: spec.callbackEmail,
    scheduled_at: spec.scheduledAt === null ? null : formatInstant(spec.scheduledAt),
    name: spec.name,
    notes,
    tls_verify: spec.tlsVerify,
  });
}

function encodeTarget(target: TargetSpec | undefined): UrlEntry {
  if (target === undefined) throw new Error('Bug: a load test without a URL');
  const { credentials } = target;
  return omitNulls<UrlEntry>({
    url: target.url,
    request_type: target.method,
    credentials: credentials && {
      login: revealText(credentials.login),
      password: revealText(credentials.password),
    },
    headers: target.headers && mapOf(target.headers),
    request_params: target.params && mapOf(target.params),
    raw_post_body: target.body === null ? null : revealText(target.body),
    raw_post_body_json: target.jsonBody,
    payload_file_url: target.payloadFileUrl,
    payload_file: target.payloadFile?.sha256 ?? null,
    delay: target.delay && encodeDelay(target.delay),
    variables: target.variables?.map(encodeVariable) ?? null,
    expect: target.expect && encodeExpectation(target.expect),
  });
}

interface WireStage {
  for: number;
  to: number;
}

function encodeStages(stages: readonly Stage[]): [WireStage, ...WireStage[]] {
  const [first, ...more] = stages.map(({ duration, to }): WireStage => ({ for: duration / 1000, to }));
  if (first === undefined) throw new Error('Bug: stages without a stage');
  return [first, ...more];
}

function decodeStages(stages: readonly WireStage[]): readonly Stage[] {
  return stages.map((stage) => ({ duration: seconds(stage.for), to: stage.to }));
}

/** Null also for what another service may mean by the word. */
function readStages(value: unknown): readonly Stage[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const stages = value.map((stage: unknown): Stage | null => {
    if (typeof stage !== 'object' || stage === null || !('for' in stage) || !('to' in stage)) return null;
    const { for: lasts, to } = stage;
    return typeof lasts === 'number' && typeof to === 'number' ? { duration: seconds(lasts), to } : null;
  });
  return stages.some((stage) => stage === null) ? null : stages.filter((stage) => stage !== null);
}

/** Null also for what another service may mean by the word. */
function readWarmup(value: unknown): Milliseconds | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? seconds(value) : null;
}

function encodeDelay({ min, max }: Delay): number | [number, number] {
  return min === max ? min : [min, max];
}

function decodeDelay(wire: number | readonly [number, number]): Delay | null {
  const [least, most] = typeof wire === 'number' ? [wire, wire] : wire;
  return delayOf(milliseconds(least), milliseconds(most));
}

/** Null also for what another service may mean by the word. */
function readDelay(value: unknown): Delay | null {
  const times: readonly unknown[] = Array.isArray(value) ? value : [value, value];
  const [least, most, ...others] = times;
  return isMilliseconds(least) && isMilliseconds(most) && others.length === 0
    ? decodeDelay([least, most])
    : null;
}

/** Whole milliseconds. */
function isMilliseconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Null also for what another service may mean by the word. */
function readPayloadFile(value: unknown): PayloadFile | null {
  return typeof value === 'string' && isSha256(value) ? { sha256: value, declared: null } : null;
}

/** Null also for what another service may mean by the word. */
function readVariables(value: unknown): readonly VariableSpec[] | null {
  if (!Array.isArray(value)) return null;
  const variables = value.map((one: unknown): VariableSpec | null => {
    if (typeof one !== 'object' || one === null || !('name' in one) || !('property' in one)) return null;
    const { name, property } = one;
    const source = 'source' in one ? one.source : 'header';
    const isText = typeof name === 'string' && typeof property === 'string' && typeof source === 'string';
    return isText ? { name, property, source } : null;
  });
  return variables.some((one) => one === null) ? null : variables.filter((one) => one !== null);
}

/** Errors: throws for a source of another service's, which nothing of ours sends. */
function encodeVariable({ name, property, source: word }: VariableSpec): VariableEntry {
  const source = parseVariableSource(word);
  if (source === null) throw new Error('Bug: a variable from a source that nobody here knows');
  return { name, property, source };
}

function mapOf(fields: readonly NamedText[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field.name, revealText(field.value)]));
}

/** A test as the service keeps it: the body of its create. */
export function serializeTest(spec: LoadTestSpec, ignored: IgnoredFields): string {
  return JSON.stringify({ ...encodeTestCreate(spec, spec.notes), ...ignored });
}

/** @param text by `serializeTest`, of this version or of an earlier one */
export function parseStoredTest(text: string): {
  readonly spec: LoadTestSpec;
  readonly ignored: IgnoredFields;
} {
  const kept = JSON.parse(text) as TestCreate; // checked before it was kept
  const spec = decodeTestCreate(kept);
  if (spec === null) throw new Error('Bug: a kept test cannot be decoded');
  return { spec, ignored: ignoredOf(kept) };
}

/** The spec of a create that fits its schema, with the notes whole. Null where scheduled_at is no date. */
export function decodeTestCreate(wire: TestCreate): LoadTestSpec | null {
  const scheduledAt = wire.scheduled_at === undefined ? null : parseInstant(wire.scheduled_at);
  if (wire.scheduled_at !== undefined && scheduledAt === null) return null;
  return {
    name: wire.name ?? null,
    testType: wire.test_type,
    initial: wire.initial ?? null,
    total: wire.total ?? null,
    duration: seconds(wire.duration),
    stages: wire.stages === undefined ? null : decodeStages(wire.stages),
    warmup: wire.warmup === undefined ? null : seconds(wire.warmup),
    timeout: wire.timeout === undefined ? null : milliseconds(wire.timeout),
    errorThreshold: wire.error_threshold ?? null,
    callback: wire.callback ?? null,
    callbackEmail: wire.callback_email ?? null,
    scheduledAt,
    notes: wire.notes ?? null,
    targets: wire.urls.map(decodeTarget),
    tlsVerify: wire.tls_verify ?? null,
  };
}

function decodeTarget(entry: UrlEntry): TargetSpec {
  return {
    url: entry.url,
    method: entry.request_type ?? null,
    credentials: entry.credentials ?? null,
    headers: entry.headers === undefined ? null : readMap(entry.headers),
    params: entry.request_params === undefined ? null : readMap(entry.request_params),
    body: entry.raw_post_body ?? null,
    jsonBody: entry.raw_post_body_json ?? null,
    payloadFileUrl: entry.payload_file_url ?? null,
    payloadFile: entry.payload_file === undefined ? null : { sha256: entry.payload_file, declared: null },
    delay: entry.delay === undefined ? null : decodeDelay(entry.delay),
    variables: entry.variables ?? null,
    expect: entry.expect === undefined ? null : decodeExpectation(entry.expect),
  };
}

/** What a schema names of a record, without what services may add. */
type NamedFields<Wire> = { [K in keyof Wire as string extends K ? never : K]: Wire[K] };

/** A field that is forgotten does not compile. */
type EncodedTest = Required<
  Omit<NamedFields<TestRecord>, 'progress' | 'tls_verify' | 'stages' | 'warmup' | keyof IgnoredFields>
>;
type EncodedUrl = Required<
  Omit<NamedFields<UrlRecord>, 'expect' | 'delay' | 'raw_post_body_json' | 'payload_file'>
>;

/** The record that list and get return. Passwords are never given back. */
export function encodeTestRecord(test: {
  readonly id: string;
  readonly status: string;
  readonly spec: LoadTestSpec;
  readonly ignored?: IgnoredFields;
  /** How far its run has come; null or left out: nothing is told of it. */
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
    ...(spec.stages === null ? {} : { stages: encodeStages(spec.stages) }),
    ...(spec.warmup === null ? {} : { warmup: spec.warmup / 1000 }),
    ...(spec.tlsVerify === null ? {} : { tls_verify: spec.tlsVerify }),
    ...test.ignored,
    ...(progress === null ? {} : { progress: encodeProgress(progress) }),
  };
}

/** Characters of the bodies of one test, all together, that a list shows. */
export const MAX_LISTED_BODY_LENGTH = 64 * 1024;

/** The record in a list: long bodies are cut off, and marked as that. */
export function encodeListedTest(test: Parameters<typeof encodeTestRecord>[0]): TestListMember {
  const record = encodeTestRecord(test);
  let left = MAX_LISTED_BODY_LENGTH;
  const urls = record.urls.map((url) => {
    const body = url.raw_post_body ?? '';
    const shown = truncateText(body, left);
    left -= shown.length;
    return shown === body ? url : { ...url, raw_post_body: shown, raw_post_body_truncated: true };
  });
  return { ...record, urls };
}

/** Ends with a whole character. */
function truncateText(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

function encodeUrlRecord(target: TargetSpec): UrlRecord {
  const record: EncodedUrl = {
    url: target.url,
    request_type: target.method ?? SPEC_DEFAULTS.method,
    authentication: target.credentials && { type: 'basic', login: maskText(target.credentials.login) },
    headers: toPlainMap(target.headers ?? []),
    request_params: toPlainMap(target.params ?? []),
    raw_post_body: target.body === null ? null : requirePlainText(target.body),
    payload_file_url: target.payloadFileUrl,
    variables: (target.variables ?? []).map(encodeVariable),
  };
  const { expect, delay, jsonBody, payloadFile } = target;
  return {
    ...record,
    ...(expect === null ? {} : { expect: { ...encodeExpectation(expect) } }),
    ...(delay === null ? {} : { delay: encodeDelay(delay) }),
    ...(jsonBody === true ? { raw_post_body_json: true } : {}),
    ...(payloadFile === null ? {} : { payload_file: payloadFile.sha256 }),
  };
}

function toPlainMap(fields: readonly NamedText[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field.name, requirePlainText(field.value)]));
}

// The server's specs come from the wire, where nothing is marked as secret any more.
function requirePlainText(text: Text): string {
  if (typeof text !== 'string') throw new Error('Bug: a stored test holds a secret reference');
  return text;
}

/** Errors: UnusableResponse, as `decodeTestRecord`. */
export function decodeListedTest(member: TestListMember, at: number | null = null): ObservedTest {
  const test = decodeTestRecord(member, at);
  const isCut = member.urls.some((url) => url.raw_post_body_truncated === true);
  return isCut ? { ...test, bodies: 'cut' } : test;
}

/** Errors: UnusableResponse when an id or URL cannot be used. */
export function decodeTestRecord(record: TestRecord, at: number | null = null): ObservedTest {
  const duration = readNumber(record.duration);
  const timeout = readNumber(record.timeout);
  const scheduledAt = readString(record.scheduled_at);
  return {
    id: readId(record.test_id, '/test_id', testId, at),
    testType: readTestType(record.test_type ?? ''),
    status: record.status ?? '',
    statusKind: readStatus(record.status ?? ''),
    name: readString(record.name),
    notes: readString(record.notes),
    initial: readNumber(record.initial),
    total: readNumber(record.total),
    duration: duration === null ? null : seconds(duration),
    stages: readStages(record.stages),
    warmup: readWarmup(record.warmup),
    timeout: timeout === null ? null : milliseconds(timeout),
    errorThreshold: readNumber(record.error_threshold),
    callback: readString(record.callback),
    callbackEmail: readString(record.callback_email),
    scheduledAt: scheduledAt === null ? null : parseInstant(scheduledAt),
    targets: () => record.urls.map(decodeUrlRecord),
    bodies: 'whole',
    tlsVerify: record.tls_verify ?? null,
  };
}

function decodeUrlRecord(record: UrlRecord): ObservedTarget {
  const { authentication } = record;
  const body = readString(record.raw_post_body);
  const login = typeof authentication === 'object' ? readString(authentication?.['login']) : null;
  const password = typeof authentication === 'object' ? readString(authentication?.['password']) : null;
  return {
    url: record.url,
    method: readString(record.request_type)?.toUpperCase() ?? null,
    credentials:
      login === null && password === null
        ? null
        : {
            login: new ReturnedText(login ?? ''),
            password: password === null ? null : new ReturnedText(password),
          },
    headers: readMap(record.headers).map(toKnownField),
    params: readMap(record.request_params).map(toKnownField),
    body: body === null ? null : new ReturnedText(body),
    jsonBody: typeof record.raw_post_body_json === 'boolean' ? record.raw_post_body_json : null,
    payloadFileUrl: readString(record.payload_file_url),
    payloadFile: readPayloadFile(record.payload_file),
    expect: readExpectation(record.expect),
    delay: readDelay(record.delay),
    variables: readVariables(record.variables),
  };
}

function toKnownField({ name, value }: WireField): KnownField {
  return { name, value: new ReturnedText(value) };
}

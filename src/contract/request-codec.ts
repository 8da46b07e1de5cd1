import type { ConnectionOptions } from '../core/model/connection.ts';
import type { LoadTestSpec } from '../core/model/load-test.ts';
import { TEST_FIELDS } from '../core/model/test-fields.ts';
import { isObject } from '../core/unknown-value.ts';
import {
  validateRunNote,
  validateRunVerdict,
  validateSessionRequest,
  validateIterationRequest,
  validateRegisterRequest,
  validateTestCreate,
  validateVerifyRequest,
} from '../schema/generated/api-validators.js';
import type { SchemaError, Validator } from '../schema/validator.ts';
import type { RunNote } from './generated/run-note.ts';
import type { RunVerdict } from './generated/run-verdict.ts';
import type { SessionRequest } from './generated/session-request.ts';
import type { IterationRequest as GeneratedRequest } from './generated/iteration-request.ts';
import type { RegisterRequest } from './generated/register-request.ts';
import type {
  AwsSigv4Entry,
  Credentials,
  Stage,
  TestCreate,
  UrlEntry,
  VariableEntry,
} from './generated/test-create.ts';
import { decodeConnectionOptions } from './connection-codec.ts';
import type { VerifyRequest } from './generated/verify-request.ts';
import { decodeTestCreate, type DecodedTest } from './test-codec.ts';
import { ignoredOf, normalizeTest, type IgnoredFields, type BodyFormat } from './test-normalization.ts';

/**
 * A decoded value, or at least one fault. A fault names a field but does not contain its value, which may be a
 * password.
 */
export type Decoded<T> = { readonly value: T } | DecodeFailure;

interface DecodeFailure {
  readonly faults: readonly string[];
}

export function decodeRegister(body: unknown): Decoded<string> {
  const { domain, ...rest } = isObject(body) ? body : {};
  // `domain` is an earlier name for `app`. Other fields are removed, because some clients send back listed apps.
  const named = domain === undefined || 'app' in rest ? body : { ...rest, app: domain };
  const fields = isObject(named) ? omitFields(named, ['app_id', 'status', 'verification_id']) : named;
  const faulty = faultOf(validateRegisterRequest, fields);
  // The cast is valid, because the schema has validated the body.
  return faulty ?? { value: (fields as RegisterRequest).app };
}

/** Converts the verification method to lower case. */
export function decodeVerify(
  body: unknown,
): Decoded<{ readonly method: string; readonly connection: ConnectionOptions<string> | null }> {
  const isEmptyList = Array.isArray(body) && body.length === 0;
  const fields = isObject(body) && body['method'] === null ? omitFields(body, ['method']) : body;
  const faulty = isEmptyList ? null : faultOf(validateVerifyRequest, fields);
  if (faulty !== null) return faulty;
  const { method, connection } = fields as VerifyRequest;
  return {
    value: {
      method: method?.toLowerCase() ?? 'http',
      connection: connection === undefined ? null : decodeConnectionOptions(connection),
    },
  };
}

export interface PublishedVerdict {
  readonly json: string;
  /** True if the run has not ended, so that the verdict contains only thresholds. */
  readonly isInProgress: boolean;
}

export function decodeRunVerdict(body: unknown): Decoded<PublishedVerdict> {
  const faulty = faultOf(validateRunVerdict, body);
  if (faulty !== null) return faulty;
  const { in_progress: isInProgress = false } = body as RunVerdict; // The schema has validated the body.
  return { value: { json: JSON.stringify(body), isInProgress } };
}

/** The value is null if the request removes the note. */
export function decodeRunNote(body: unknown): Decoded<string | null> {
  const faulty = faultOf(validateRunNote, body);
  if (faulty !== null) return faulty;
  const note = (body as RunNote).note?.trim() ?? '';
  return { value: note === '' ? null : note };
}

export function decodeSession(body: unknown): Decoded<string> {
  return faultOf(validateSessionRequest, body) ?? { value: (body as SessionRequest).code };
}

export interface CreateRequest extends DecodedTest {
  readonly ignored: IgnoredFields;
  /** Warnings about fields that have no effect. */
  readonly warnings: readonly string[];
}

export function decodeCreate(body: unknown, format: BodyFormat = 'json'): Decoded<CreateRequest> {
  const { test, warnings, faults } = normalizeTest(body, format);
  const allFaults = [...faults, ...listMissing(test)];
  if (allFaults.length > 0) return { faults: allFaults };
  const faulty = faultOf(validateTestCreate, test);
  if (faulty !== null) return faulty;
  const create = test as TestCreate;
  const decoded = decodeTestCreate(create);
  if (decoded === null) {
    return {
      faults: [
        '"scheduled_at" must be a UTC time such as "2026-12-24 03:00:00", or an RFC 3339 time such as "2026-12-24T03:00:00Z"',
      ],
    };
  }
  const allWarnings = [...warnings, ...ineffectiveFieldsOf(decoded.spec)];
  return { value: { ...decoded, ignored: ignoredOf(create), warnings: allWarnings } };
}

function ineffectiveFieldsOf(spec: LoadTestSpec): readonly string[] {
  const isIdle = (spec.initial ?? 0) > 0 && !TEST_FIELDS.initial.appliesTo(spec);
  const condition = spec.testType === 'per-second' ? ' without "stages"' : '';
  return isIdle ? [`"initial" has no effect on a ${spec.testType} test${condition}`] : [];
}

/** The required fields of a body. Omitting one of these fields is a compile-time error. */
type RequiredFields<Body> = { readonly [K in keyof Body as object extends Pick<Body, K> ? never : K]: true };

const REQUIRED_TEST_FIELDS: RequiredFields<TestCreate> = { test_type: true, urls: true, duration: true };
const REQUIRED_STAGE_FIELDS: RequiredFields<Stage> = { for: true, to: true };
const REQUIRED_URL_FIELDS: RequiredFields<UrlEntry> = { url: true };
const REQUIRED_CREDENTIAL_FIELDS: RequiredFields<Credentials> = { login: true, password: true };
const REQUIRED_AWS_FIELDS: RequiredFields<AwsSigv4Entry> = {
  region: true,
  service: true,
  access_key_id: true,
  secret_access_key: true,
};
const REQUIRED_VARIABLE_FIELDS: RequiredFields<VariableEntry> = { name: true, property: true, source: true };

/** Maximum number of missing fields to report, and of members to check per list. */
const MAX_MISSING = 100;

/** Returns a fault for each missing field, because the validator reports only the first one. */
function listMissing(test: unknown): readonly string[] {
  const faults: string[] = [];
  const check = (value: unknown, required: object, location: string) => {
    if (!isObject(value)) return;
    for (const name of Object.keys(required)) {
      if (value[name] === undefined && faults.length < MAX_MISSING)
        faults.push(`"${name}" is missing in ${location}`);
    }
  };
  const forEachMember = (value: unknown, visit: (member: unknown, index: number) => void) => {
    if (Array.isArray(value)) value.slice(0, MAX_MISSING).forEach(visit);
  };
  check(test, REQUIRED_TEST_FIELDS, 'the body');
  if (!isObject(test)) return faults;
  forEachMember(test['stages'], (stage, index) => check(stage, REQUIRED_STAGE_FIELDS, `"/stages/${index}"`));
  forEachMember(test['urls'], (url, urlIndex) => {
    const pointer = `/urls/${urlIndex}`;
    check(url, REQUIRED_URL_FIELDS, `"${pointer}"`);
    if (!isObject(url)) return;
    check(url['credentials'], REQUIRED_CREDENTIAL_FIELDS, `"${pointer}/credentials"`);
    check(url['aws_sigv4'], REQUIRED_AWS_FIELDS, `"${pointer}/aws_sigv4"`);
    forEachMember(url['variables'], (variable, index) =>
      check(variable, REQUIRED_VARIABLE_FIELDS, `"${pointer}/variables/${index}"`),
    );
  });
  return faults;
}

/** `secrets` must be masked in the returned exchanges. */
export interface IterationRequest extends DecodedTest {
  readonly secrets: readonly string[];
}

export function decodeIterationRequest(body: unknown): Decoded<IterationRequest> {
  const faulty = faultOf(validateIterationRequest, body);
  if (faulty !== null) return faulty;
  const { secrets = [], ...create } = body as GeneratedRequest;
  const decoded = decodeCreate(create);
  return 'faults' in decoded ? decoded : { value: { ...decoded.value, secrets } };
}

function omitFields(fields: Readonly<Record<string, unknown>>, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function faultOf(validate: Validator, body: unknown): DecodeFailure | null {
  return validate(body) ? null : { faults: [sentenceOf(validate.errors?.[0])] };
}

function sentenceOf(error: SchemaError | undefined): string {
  if (error === undefined) return 'the body does not match its schema';
  const location = error.instancePath === '' ? 'the body' : `"${error.instancePath}"`;
  switch (error.keyword) {
    case 'additionalProperties':
      return `${location} contains the unknown field "${String(error.params['additionalProperty'])}"`;
    case 'required':
      return `"${String(error.params['missingProperty'])}" is missing in ${location}`;
    case 'enum':
      return `${location} must be one of ${JSON.stringify(error.params['allowedValues'])}`;
    default:
      return `${location} ${error.message ?? 'does not match its schema'}`;
  }
}

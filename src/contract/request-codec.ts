/** Wire → what a request to the service asks for. */
import type { LoadTestSpec } from '../core/model/load-test.ts';
import { TEST_FIELDS } from '../core/model/test-fields.ts';
import {
  validateRunVerdict,
  validateSessionRequest,
  validateIterationRequest,
  validateRegisterRequest,
  validateTestCreate,
  validateVerifyRequest,
} from '../schema/generated/api-validators.js';
import type { SchemaError, Validator } from '../schema/validator.ts';
import type { RunVerdict } from './generated/run-verdict.ts';
import type { SessionRequest } from './generated/session-request.ts';
import type { IterationRequest as GeneratedRequest } from './generated/iteration-request.ts';
import type { RegisterRequest } from './generated/register-request.ts';
import type { Credentials, Stage, TestCreate, UrlEntry, VariableEntry } from './generated/test-create.ts';
import type { VerifyRequest } from './generated/verify-request.ts';
import { decodeTestCreate } from './test-codec.ts';
import { ignoredOf, normalizeTest, type IgnoredFields, type BodyFormat } from './test-normalization.ts';

/** `faults`: at least one sentence, which names the field, and never its value, which may be a password. */
export type Decoded<T> = { readonly value: T } | DecodeFailure;

interface DecodeFailure {
  readonly faults: readonly string[];
}

/** The host that is to be registered, as it was written. */
export function decodeRegister(body: unknown): Decoded<string> {
  const { domain, ...rest } = isFields(body) ? body : {};
  // The first name of the field; and what else a record of the list has.
  const named = domain === undefined || 'app' in rest ? body : { ...rest, app: domain };
  const fields = isFields(named) ? omitFields(named, ['app_id', 'status', 'verification_id']) : named;
  const faulty = faultOf(validateRegisterRequest, fields);
  // Checked just now, as in the others: the types are generated from the schemas.
  return faulty ?? { value: (fields as RegisterRequest).app };
}

/** The method of a verification, in small letters. */
export function decodeVerify(body: unknown): Decoded<string> {
  const isNothing = Array.isArray(body) && body.length === 0;
  const fields = isFields(body) && body['method'] === null ? omitFields(body, ['method']) : body;
  const faulty = isNothing ? null : faultOf(validateVerifyRequest, fields);
  return faulty ?? { value: (fields as VerifyRequest).method?.toLowerCase() ?? 'http' };
}

/** The verdict on a run. */
export function decodeRunVerdict(body: unknown): Decoded<RunVerdict> {
  return faultOf(validateRunVerdict, body) ?? { value: body as RunVerdict };
}

/** The code of a link to the page. */
export function decodeSession(body: unknown): Decoded<string> {
  return faultOf(validateSessionRequest, body) ?? { value: (body as SessionRequest).code };
}

/** A test that is to be made. */
export interface CreateRequest {
  readonly spec: LoadTestSpec;
  readonly ignored: IgnoredFields;
  /** What it says and what has no effect, a sentence each. */
  readonly warnings: readonly string[];
}

export function decodeCreate(body: unknown, written: BodyFormat = 'json'): Decoded<CreateRequest> {
  const { test, warnings, faults } = normalizeTest(body, written);
  const wrong = [...faults, ...listMissing(test)];
  if (wrong.length > 0) return { faults: wrong };
  const faulty = faultOf(validateTestCreate, test);
  if (faulty !== null) return faulty;
  const create = test as TestCreate;
  const spec = decodeTestCreate(create);
  if (spec === null) {
    return { faults: ['"scheduled_at" must be a time such as "2026-12-24 03:00:00" in UTC, or RFC 3339'] };
  }
  return {
    value: { spec, ignored: ignoredOf(create), warnings: [...warnings, ...ineffectiveFieldsOf(spec)] },
  };
}

function ineffectiveFieldsOf(spec: LoadTestSpec): readonly string[] {
  const isIdle = (spec.initial ?? 0) > 0 && !TEST_FIELDS.initial.appliesTo(spec);
  return isIdle ? [`"initial" has no effect on a ${spec.testType} test`] : [];
}

/** The fields that a body must have, by the schema. One that is forgotten does not compile. */
type RequiredFields<Body> = { readonly [K in keyof Body as object extends Pick<Body, K> ? never : K]: true };

const REQUIRED_TEST_FIELDS: RequiredFields<TestCreate> = { test_type: true, urls: true, duration: true };
const REQUIRED_STAGE_FIELDS: RequiredFields<Stage> = { for: true, to: true };
const REQUIRED_URL_FIELDS: RequiredFields<UrlEntry> = { url: true };
const REQUIRED_CREDENTIAL_FIELDS: RequiredFields<Credentials> = { login: true, password: true };
const REQUIRED_VARIABLE_FIELDS: RequiredFields<VariableEntry> = { name: true, property: true, source: true };

/** More are no help. */
const MAX_MISSING = 100;

/** All that is missing, which the validator would tell one by one. */
function listMissing(test: unknown): readonly string[] {
  const found: string[] = [];
  const look = (value: unknown, needed: object, place: string) => {
    if (!isFields(value)) return;
    for (const name of Object.keys(needed)) {
      if (value[name] === undefined && found.length < MAX_MISSING)
        found.push(`"${name}" is missing in ${place}`);
    }
  };
  const each = (value: unknown, visit: (member: unknown, at: number) => void) => {
    if (Array.isArray(value)) value.slice(0, MAX_MISSING).forEach(visit);
  };
  look(test, REQUIRED_TEST_FIELDS, 'the body');
  if (!isFields(test)) return found;
  each(test['stages'], (stage, at) => {
    look(stage, REQUIRED_STAGE_FIELDS, `"/stages/${at}"`);
  });
  each(test['urls'], (url, at) => {
    const place = `/urls/${at}`;
    look(url, REQUIRED_URL_FIELDS, `"${place}"`);
    if (!isFields(url)) return;
    look(url['credentials'], REQUIRED_CREDENTIAL_FIELDS, `"${place}/credentials"`);
    each(url['variables'], (variable, index) => {
      look(variable, REQUIRED_VARIABLE_FIELDS, `"${place}/variables/${index}"`);
    });
  });
  return found;
}

/** A test, and what must not be told of its exchanges. */
export interface IterationRequest {
  readonly spec: LoadTestSpec;
  readonly secrets: readonly string[];
}

export function decodeIterationRequest(body: unknown): Decoded<IterationRequest> {
  const faulty = faultOf(validateIterationRequest, body);
  if (faulty !== null) return faulty;
  const { secrets = [], ...create } = body as GeneratedRequest;
  const decoded = decodeCreate(create);
  return 'faults' in decoded ? decoded : { value: { spec: decoded.value.spec, secrets } };
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function omitFields(fields: Readonly<Record<string, unknown>>, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function faultOf(validate: Validator, body: unknown): DecodeFailure | null {
  return validate(body) ? null : { faults: [sentenceOf(validate.errors?.[0])] };
}

function sentenceOf(error: SchemaError | undefined): string {
  if (error === undefined) return 'the body does not match its schema';
  const place = error.instancePath === '' ? 'the body' : `"${error.instancePath}"`;
  switch (error.keyword) {
    case 'additionalProperties':
      return `unknown field "${String(error.params['additionalProperty'])}" in ${place}`;
    case 'required':
      return `"${String(error.params['missingProperty'])}" is missing in ${place}`;
    case 'enum':
      return `${place} must be one of ${JSON.stringify(error.params['allowedValues'])}`;
    default:
      return `${place} ${error.message ?? 'does not match its schema'}`;
  }
}

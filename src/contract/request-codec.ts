/** Wire → what a request to the service asks for. Nothing is removed, converted or filled in. */
import type { LoadTestSpec } from '../core/model/load-test.ts';
import {
  validatePassRequest,
  validateRegisterRequest,
  validateTestCreate,
  validateVerifyRequest,
} from '../schema/generated/api-validators.js';
import type { SchemaError, Validator } from '../schema/validator.ts';
import type { PassRequest as GeneratedRequest } from './generated/pass-request.ts';
import type { RegisterRequest } from './generated/register-request.ts';
import type { TestCreate } from './generated/test-create.ts';
import type { VerifyRequest } from './generated/verify-request.ts';
import { decodeTestCreate } from './test-codec.ts';

/** `fault`: one sentence that names the field, and never its value, which may be a password. */
export type Decoded<T> = { readonly value: T } | { readonly fault: string };

/** The host that is to be registered, as it was written. */
export function decodeRegister(body: unknown): Decoded<string> {
  const fault = faultOf(validateRegisterRequest, body);
  // Checked just now, as in the others: the types are generated from the schemas.
  return fault ?? { value: (body as RegisterRequest).app };
}

/** The method of a verification. */
export function decodeVerify(body: unknown): Decoded<string> {
  return faultOf(validateVerifyRequest, body) ?? { value: (body as VerifyRequest).method ?? 'http' };
}

export function decodeCreate(body: unknown): Decoded<LoadTestSpec> {
  const fault = faultOf(validateTestCreate, body);
  if (fault !== null) return fault;
  const spec = decodeTestCreate(body as TestCreate);
  if (spec !== null) return { value: spec };
  return { fault: '"scheduled_at" must be a time such as "2026-12-24 03:00:00" in UTC, or RFC 3339' };
}

/** A test, and what must not be told of its exchanges. */
export interface PassRequest {
  readonly spec: LoadTestSpec;
  readonly secrets: readonly string[];
}

export function decodePassRequest(body: unknown): Decoded<PassRequest> {
  const fault = faultOf(validatePassRequest, body);
  if (fault !== null) return fault;
  const { secrets = [], ...create } = body as GeneratedRequest;
  const decoded = decodeCreate(create);
  return 'fault' in decoded ? decoded : { value: { spec: decoded.value, secrets } };
}

function faultOf(validate: Validator, body: unknown): { readonly fault: string } | null {
  return validate(body) ? null : { fault: sentenceOf(validate.errors?.[0]) };
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

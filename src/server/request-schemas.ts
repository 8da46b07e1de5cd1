/** Checks bodies against schemas/api, with nothing removed, converted or filled in. */
import type { RegisterRequest } from '../contract/generated/register-request.ts';
import type { TestCreate } from '../contract/generated/test-create.ts';
import type { VerifyRequest } from '../contract/generated/verify-request.ts';
import {
  validateRegisterRequest,
  validateTestCreate,
  validateVerifyRequest,
} from '../schema/generated/api-validators.js';
import type { SchemaError, Validator } from '../schema/validator.ts';
import { unprocessable } from './refusal.ts';

interface Bodies {
  readonly 'register-request': RegisterRequest;
  readonly 'verify-request': VerifyRequest;
  readonly 'test-create': TestCreate;
}

const VALIDATORS: Readonly<Record<keyof Bodies, Validator>> = {
  'register-request': validateRegisterRequest,
  'verify-request': validateVerifyRequest,
  'test-create': validateTestCreate,
};

/** Gives the body as what it is. Errors: Refusal 422 that names the field. */
export function checkBody<Name extends keyof Bodies>(name: Name, body: unknown): Bodies[Name] {
  const validate = VALIDATORS[name];
  if (!validate(body)) throw unprocessable(sentenceOf(validate.errors?.[0]));
  return body as Bodies[Name]; // the types are generated from the schemas
}

/** Names the place and the rule; never the value, which may be a password. */
function sentenceOf(error: SchemaError | undefined): string {
  if (error === undefined) return 'the body does not fit its schema';
  const place = error.instancePath === '' ? 'the body' : `"${error.instancePath}"`;
  switch (error.keyword) {
    case 'additionalProperties':
      return `unknown field "${String(error.params['additionalProperty'])}" in ${place}`;
    case 'required':
      return `"${String(error.params['missingProperty'])}" is missing in ${place}`;
    case 'enum':
      return `${place} must be one of ${JSON.stringify(error.params['allowedValues'])}`;
    default:
      return `${place} ${error.message ?? 'does not fit its schema'}`;
  }
}

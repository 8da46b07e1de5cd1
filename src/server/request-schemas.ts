/** Checks bodies against schemas/api, with nothing removed, converted or filled in. */
import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { RegisterRequest } from '../contract/generated/register-request.ts';
import type { TestCreate } from '../contract/generated/test-create.ts';
import type { VerifyRequest } from '../contract/generated/verify-request.ts';
import { unprocessable } from './refusal.ts';

export interface Bodies {
  readonly 'register-request': RegisterRequest;
  readonly 'verify-request': VerifyRequest;
  readonly 'test-create': TestCreate;
}

export interface RequestSchemas {
  /** Errors: Refusal 422 that names the field. */
  check<Name extends keyof Bodies>(name: Name, body: unknown): Bodies[Name];
}

export function openRequestSchemas(): RequestSchemas {
  // Not allErrors: that would let a stranger buy work.
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: false });
  const load = (name: keyof Bodies): ValidateFunction =>
    // JSON of this package.
    ajv.compile(
      JSON.parse(
        readFileSync(new URL(`../../schemas/api/${name}.schema.json`, import.meta.url), 'utf8'),
      ) as object,
    );
  const validators = {
    'register-request': load('register-request'),
    'verify-request': load('verify-request'),
    'test-create': load('test-create'),
  };
  return {
    check(name, body) {
      const validate = validators[name];
      if (!validate(body)) throw unprocessable(sentenceOf(validate.errors?.[0]));
      return body as Bodies[typeof name]; // the schema is the source of the type
    },
  };
}

/** Names the place and the rule; never the value, which may be a password. */
function sentenceOf(error: ErrorObject | undefined): string {
  if (error === undefined) return 'the body does not fit its schema';
  const place = error.instancePath === '' ? 'the body' : `"${error.instancePath}"`;
  const params: Readonly<Record<string, unknown>> = error.params;
  switch (error.keyword) {
    case 'additionalProperties':
      return `unknown field "${String(params['additionalProperty'])}" in ${place}`;
    case 'required':
      return `"${String(params['missingProperty'])}" is missing in ${place}`;
    case 'enum':
      return `${place} must be one of ${JSON.stringify(params['allowedValues'])}`;
    default:
      return `${place} ${error.message ?? 'does not fit its schema'}`;
  }
}

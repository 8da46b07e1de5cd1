/** Validates service responses against schemas/api with precompiled validators. */
import { pointerOf } from '../core/pointer.ts';
import {
  validateAppList,
  validateAppRecord,
  validateAppRegistered,
  validateAppVerified,
  validateOpenapi,
  validateSignInCode,
  validateIterationRecord,
  validateResultList,
  validateResultRecord,
  validateRunResponse,
  validateServers,
  validateTestCreated,
  validateTestList,
  validateTestRecord,
  validateWorkerList,
} from '../schema/generated/api-validators.js';
import type { Validator } from '../schema/validator.ts';
import type { ROUTES, RouteName } from './routes.ts';

type UnreadResponse =
  | 'callback-list'
  | 'key-list'
  | 'overview'
  | 'session'
  | 'payload-file'
  | 'result-progress'
  | 'run-comparison'
  | 'test-history';

export type ResponseName = Exclude<(typeof ROUTES)[RouteName]['response'], null | UnreadResponse>;

const VALIDATORS: Readonly<Record<ResponseName, Validator>> = {
  'app-list': validateAppList,
  'app-record': validateAppRecord,
  'app-registered': validateAppRegistered,
  'app-verified': validateAppVerified,
  openapi: validateOpenapi,
  'sign-in-code': validateSignInCode,
  'iteration-record': validateIterationRecord,
  'result-list': validateResultList,
  'result-record': validateResultRecord,
  'run-response': validateRunResponse,
  servers: validateServers,
  'test-created': validateTestCreated,
  'test-list': validateTestList,
  'test-record': validateTestRecord,
  'worker-list': validateWorkerList,
};

/**
 * Returns the validation error of a response, with the path of the field; null if the response is valid.
 *
 * @example validateResponse('app-list', [{}]) // '"/0/app_id" is missing'
 */
export function validateResponse(name: ResponseName, value: unknown): string | null {
  const validate = VALIDATORS[name];
  return validate(value) ? null : validationErrorText(validate);
}

/** Returns the first error from the last call of a validator, with the path of the field. */
export function validationErrorText(validate: Validator): string {
  const first = validate.errors?.[0];
  if (first === undefined) return 'it does not match its schema';
  const missing: unknown = first.keyword === 'required' ? first.params['missingProperty'] : undefined;
  const path = typeof missing === 'string' ? first.instancePath + pointerOf([missing]) : first.instancePath;
  const field = path === '' ? 'it' : `"${path}"`;
  return missing === undefined ? `${field} ${first.message ?? 'is not valid'}` : `${field} is missing`;
}

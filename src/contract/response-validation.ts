/** Checks answers of a service against schemas/api, with validators that were compiled ahead of time. */
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

/** An answer that is for people and other programs: no client of ours reads it. */
type UnreadResponse =
  | 'callback-list'
  | 'key-list'
  | 'overview'
  | 'session'
  | 'payload-file'
  | 'result-progress'
  | 'run-comparison'
  | 'test-history';

/** Name of a schema that the answer of a route fits. */
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
 * Says what is wrong with an answer: the field's path and the reason. Null when it fits.
 *
 * @example validateResponse('app-list', [{}]) // '"/0/app_id" is missing'
 */
export function validateResponse(name: ResponseName, value: unknown): string | null {
  const validate = VALIDATORS[name];
  return validate(value) ? null : validationErrorText(validate);
}

/** What a validator found last: the field's path and the reason. */
export function validationErrorText(validate: Validator): string {
  const first = validate.errors?.[0];
  if (first === undefined) return 'it does not match its schema';
  const missing: unknown = first.keyword === 'required' ? first.params['missingProperty'] : undefined;
  const path = typeof missing === 'string' ? first.instancePath + pointerOf([missing]) : first.instancePath;
  const field = path === '' ? 'it' : `"${path}"`;
  return missing === undefined ? `${field} ${first.message ?? 'is not valid'}` : `${field} is missing`;
}

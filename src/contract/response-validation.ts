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
  validateTestCreated,
  validateTestList,
  validateTestRecord,
  validateWorkerList,
} from '../schema/generated/api-validators.js';
import type { Validator } from '../schema/validator.ts';
import type { AppList } from './generated/app-list.ts';
import type { AppRecord } from './generated/app-record.ts';
import type { AppRegistered } from './generated/app-registered.ts';
import type { AppVerified } from './generated/app-verified.ts';
import type { IterationRecord } from './generated/iteration-record.ts';
import type { OpenApi } from './generated/openapi.ts';
import type { ResultList } from './generated/result-list.ts';
import type { ResultRecord } from './generated/result-record.ts';
import type { RunResponse } from './generated/run-response.ts';
import type { SignInCode } from './generated/sign-in-code.ts';
import type { TestCreated } from './generated/test-created.ts';
import type { TestList } from './generated/test-list.ts';
import type { TestRecord } from './generated/test-record.ts';
import type { WorkerList } from './generated/worker-list.ts';

/** Responses that a client reads, by the name of their schema. */
export interface ResponseTypes {
  readonly 'app-list': AppList;
  readonly 'app-record': AppRecord;
  readonly 'app-registered': AppRegistered;
  readonly 'app-verified': AppVerified;
  readonly openapi: OpenApi;
  readonly 'sign-in-code': SignInCode;
  readonly 'iteration-record': IterationRecord;
  readonly 'result-list': ResultList;
  readonly 'result-record': ResultRecord;
  readonly 'run-response': RunResponse;
  readonly 'test-created': TestCreated;
  readonly 'test-list': TestList;
  readonly 'test-record': TestRecord;
  readonly 'worker-list': WorkerList;
}

export type ResponseName = keyof ResponseTypes;

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

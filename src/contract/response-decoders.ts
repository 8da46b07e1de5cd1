/** Decoders for responses, except records of apps, tests and results. */
import { parseInstant } from '../core/instant.ts';
import { readString } from '../core/lenient-values.ts';
import { appId, resultId, testId, type AppId } from '../core/model/ids.ts';
import type { CreatedRun, StartedRun, VerifyResult } from '../core/ports/service-port.ts';
import type { AppRegistered } from './generated/app-registered.ts';
import type { AppVerified } from './generated/app-verified.ts';
import type { OpenApi } from './generated/openapi.ts';
import type { SignInCode } from './generated/sign-in-code.ts';
import type { RunResponse } from './generated/run-response.ts';
import type { TestCreated } from './generated/test-created.ts';
import { UnusableResponse } from './unusable-response.ts';
import { readId } from './wire-values.ts';

/** @throws UnusableResponse if a field is invalid. */
export function readRegistered(response: AppRegistered): {
  readonly id: AppId;
  readonly verificationId: string | null;
} {
  return {
    id: readId(response.app_id, '/app_id', appId),
    verificationId: readVerificationId(response.verification_id),
  };
}

/**
 * Returns null if there is no verification ID. The ID must be a valid file name, because it becomes part of a path on
 * the target.
 */
function readVerificationId(value: string | null | undefined): string | null {
  const text = readString(value);
  if (text !== null && !/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(text)) {
    throw new UnusableResponse(
      '/verification_id',
      'the value of "/verification_id" is not a valid file name',
    );
  }
  return text;
}

/** The app is verified only if the message has the documented value. */
export function readVerified({ message }: AppVerified): VerifyResult {
  return message.trim().toLowerCase() === 'success'
    ? { verified: true }
    : { verified: false, errors: [`the service responded "${message}"`] };
}

export function readCreated(response: TestCreated): CreatedRun {
  const id = readId(response.test_id, '/test_id', testId);
  return { id, isExisting: response.existing === true, ...readStarted(response) };
}

export function readStarted({ result_id: result, status }: RunResponse): StartedRun {
  const isAbsent = result === undefined || result === null || result === '';
  return { resultId: isAbsent ? null : readId(result, '/result_id', resultId), status: readString(status) };
}

export function readExtensions({ info }: OpenApi): ReadonlySet<string> {
  return new Set(info['x-extensions']);
}

export interface SignInLink {
  readonly code: string;
  /** Expiry time in ms since the epoch; null if invalid. */
  readonly expiresAt: number | null;
}

export function readSignInLink(response: SignInCode): SignInLink {
  return { code: response.code, expiresAt: parseInstant(response.expires_at) };
}

/** Answers of a service, but for the records of apps, tests and results, as the model has them. */
import { parseInstant } from '../core/instant.ts';
import { appId, resultId, testId, type AppId, type TestId } from '../core/model/ids.ts';
import type { StartedRun, VerifyAnswer } from '../core/ports/service-port.ts';
import type { AppRegistered } from './generated/app-registered.ts';
import type { AppVerified } from './generated/app-verified.ts';
import type { OpenApi } from './generated/openapi.ts';
import type { SignInCode } from './generated/sign-in-code.ts';
import type { RunResponse } from './generated/run-response.ts';
import type { ServerList } from './generated/servers.ts';
import type { TestCreated } from './generated/test-created.ts';
import { UnusableAnswer } from './unusable-answer.ts';
import { readId, readText } from './wire.ts';

/** Errors: UnusableAnswer, as in all of this file. */
export function readRegistered(answer: AppRegistered): {
  readonly id: AppId;
  readonly verificationId: string | null;
} {
  return {
    id: readId(answer.app_id, '/app_id', appId),
    verificationId: readVerificationId(answer.verification_id),
  };
}

/** It becomes the name of a file and part of a path on the target, so it has to look like one. */
function readVerificationId(value: string | null | undefined): string | null {
  const text = readText(value);
  if (text !== null && !/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(text)) {
    throw new UnusableAnswer('/verification_id', '"/verification_id" is not a valid file name');
  }
  return text;
}

/** Only the documented word counts; a word that we do not know is never taken for consent. */
export function readVerified({ message }: AppVerified): VerifyAnswer {
  return message.trim().toLowerCase() === 'success'
    ? { verified: true }
    : { verified: false, errors: [`the service responded "${message}"`] };
}

export function readCreated(answer: TestCreated): StartedRun & { readonly id: TestId } {
  return { id: readId(answer.test_id, '/test_id', testId), ...readStarted(answer) };
}

export function readStarted({ result_id: result, status }: RunResponse): StartedRun {
  const none = result === undefined || result === null || result === '';
  return { resultId: none ? null : readId(result, '/result_id', resultId), status: readText(status) };
}

/** What the service has beyond the API document. */
export function readExtensions({ info }: OpenApi): ReadonlySet<string> {
  return new Set(info['x-extensions']);
}

/** What a link to the page ends in. */
export interface PageLink {
  /** Good once. */
  readonly code: string;
  /** Milliseconds since the epoch; null: it cannot be read. */
  readonly expiresAt: number | null;
}

export function readPageLink(answer: SignInCode): PageLink {
  return { code: answer.code, expiresAt: parseInstant(answer.expires_at) };
}

export function readServers(answer: ServerList): readonly string[] {
  return answer.ip_addresses;
}

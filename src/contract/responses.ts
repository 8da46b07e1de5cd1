/** Encoders for responses, except records of apps, tests and results. */
import { formatRfc3339 } from '../core/instant.ts';
import type { Json } from '../core/canonical.ts';
import type { AppRegistered } from './generated/app-registered.ts';
import type { AppVerified } from './generated/app-verified.ts';
import type { CallbackList } from './generated/callback-list.ts';
import type { RefusalCode } from '../core/codes.ts';
import type { FieldReference } from '../core/field-reference.ts';
import { encodeFaults } from './fault-codec.ts';
import type { ErrorResponse } from './generated/error.ts';
import type { SignInCode } from './generated/sign-in-code.ts';
import type { Session } from './generated/session.ts';
import type { PayloadFileRecord } from './generated/payload-file.ts';
import type { ServerList } from './generated/servers.ts';

export interface ErrorDetails {
  readonly appId?: string | null;
  readonly code?: RefusalCode | null;
  /** Field that each error refers to; null if there is none. */
  readonly fields?: readonly (FieldReference | null)[];
}

export function encodeError(
  errors: readonly string[],
  { appId, code, fields = [] }: ErrorDetails = {},
): ErrorResponse {
  return {
    ...(typeof appId === 'string' ? { app_id: appId } : {}),
    message: 'error',
    errors: [...errors],
    ...(typeof code === 'string' ? { code } : {}),
    ...(fields.length === 0 ? {} : { faults: encodeFaults(fields) }),
  };
}

export function encodeAppRegistered(id: string, verificationId: string): AppRegistered {
  return { message: 'success', app_id: id, verification_id: verificationId };
}

export function encodeAppVerified(id: string): AppVerified {
  return { app_id: id, message: 'success' };
}

/** @param addresses - IP addresses of the servers that generate load. */
export function encodeServers(addresses: readonly string[]): ServerList {
  return { ip_addresses: [...addresses] };
}

export interface StoredPayloadFile {
  readonly sha256: string;
  readonly size: number;
  readonly rows: number;
}

export function encodePayloadFile({ sha256, size, rows }: StoredPayloadFile): PayloadFileRecord {
  return { sha256, bytes: size, rows };
}

/** @param expiresAt - Expiry time in ms since the epoch. */
export function encodeSignInCode(code: string, expiresAt: number): SignInCode {
  return { code, expires_at: formatRfc3339(expiresAt) };
}

/** @param expiresAt - Expiry time in ms since the epoch. */
export function encodeSession(token: string, expiresAt: number): Session {
  return { token, expires_at: formatRfc3339(expiresAt) };
}

export interface TestResponse {
  readonly testId: string;
  readonly status: string;
  /** ID of the result; null if there is none; undefined to omit the member. */
  readonly resultId?: string | null;
  /** True if the test already existed. Default: false. */
  readonly existing?: boolean;
  /** Warnings about fields that have no effect. */
  readonly warnings?: readonly string[];
}

export function encodeTestResponse({
  testId,
  status,
  resultId,
  existing = false,
  warnings = [],
}: TestResponse): Json {
  return {
    message: 'success',
    test_id: testId,
    status,
    ...(resultId === undefined ? {} : { result_id: resultId }),
    ...(existing ? { existing } : {}),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

export function encodeCallback(testId: string, resultId: string): URLSearchParams {
  return new URLSearchParams({ test_id: testId, status: 'complete', result_id: resultId });
}

export interface UndeliveredNotice {
  readonly id: string;
  readonly testId: string;
  readonly resultId: string;
  readonly channel: string;
  /** Host of the recipient. The path and query of the URL are omitted, because they may contain a key. */
  readonly host: string;
  readonly state: string;
  readonly attempts: number;
  /** Time of the next attempt, in ms since the epoch; null if there is none. */
  readonly nextAttemptAt: number | null;
  readonly lastError: string | null;
  /** Creation time in ms since the epoch. */
  readonly createdAt: number;
}

export function encodeNotices(notices: readonly UndeliveredNotice[]): CallbackList {
  return notices.map((notice) => ({
    callback_id: notice.id,
    test_id: notice.testId,
    result_id: notice.resultId,
    channel: notice.channel,
    host: notice.host,
    state: notice.state,
    attempts: notice.attempts,
    next_attempt_at: formatRfc3339(notice.nextAttemptAt),
    last_error: notice.lastError,
    created_at: formatRfc3339(notice.createdAt),
  }));
}

import { formatRfc3339 } from '../core/instant.ts';
import type { ObservedApp } from '../core/model/app.ts';
import { appId } from '../core/model/ids.ts';
import { withoutImpliedPort } from '../core/model/url.ts';
import type { AppRecord } from './generated/app-record.ts';
import { readId } from './wire-values.ts';

/**
 * @param index - Index of the record in its list, for error messages.
 * @throws UnusableResponse if the ID is invalid.
 */
export function decodeApp(record: AppRecord, index: number | null = null): ObservedApp {
  return {
    id: readId(record.app_id, '/app_id', appId, index),
    host: hostOf(record.app),
    status: statusOf(record.status),
  };
}

// Some services return hosts in the form "http://host", because a client registered them in this form.
function hostOf(app: string): string {
  const host = app
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '');
  return withoutImpliedPort(host);
}

function statusOf(status: string | null | undefined): ObservedApp['status'] {
  switch ((status ?? '').toLowerCase()) {
    case 'verified':
      return 'verified';
    case 'unverified':
      return 'unverified';
    default:
      return 'unknown';
  }
}

export function encodeApp(app: { id: string; host: string; verified: boolean }): AppRecord {
  return { app: app.host, status: app.verified ? 'verified' : 'unverified', app_id: app.id };
}

export type VerifyMethod = 'http' | 'dns';

export interface AppCheck {
  /** Time of the check in milliseconds since the epoch. */
  readonly at: number;
  readonly method: VerifyMethod;
  readonly purpose: 'verify' | 'run';
  /** `file_missing`: the host name was verified, but not its addresses. */
  readonly outcome: 'verified' | 'unverified' | 'file_missing';
}

export interface AppDetail {
  /** Name and content of the verification file. */
  readonly verificationId: string;
  readonly record: string;
  readonly method: VerifyMethod;
  /** Stored checks, newest first. */
  readonly checks: readonly (AppCheck & { readonly reason: string | null })[];
}

export function encodeAppDetail(detail: AppDetail): Omit<AppRecord, 'app' | 'app_id'> {
  return {
    verification_id: detail.verificationId,
    verification_record: detail.record,
    method: detail.method,
    checks: detail.checks.map(({ at, ...check }) => ({ at: formatRfc3339(at), ...check })),
  };
}

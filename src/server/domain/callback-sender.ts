import { createHmac } from 'node:crypto';
import { encodeCallback } from '../../contract/responses.ts';
import type { Secret } from '../../core/model/secret.ts';
import { EgressError } from '../../egress/egress-error.ts';
import { fetchResolved } from '../../egress/capped-fetch.ts';
import type { NameResolver } from '../../egress/name-resolver.ts';
import type { AddressPolicy } from '../../egress/allowed-addresses.ts';
import type { Notice } from '../store/notice-store.ts';
import type { AttemptOutcome, NoticeSender } from './notices.ts';
import type { ExternalHosts } from './external-hosts.ts';

export interface CallbackSenderDeps {
  readonly policy: AddressPolicy;
  readonly names: NameResolver;
  readonly hosts: ExternalHosts;
  /** Returns the secret with which receivers verify signatures. */
  readonly secret: () => Secret;
  readonly userAgent: string;
  readonly now: () => number;
  /** Time limit for an attempt in ms, including name resolution, connecting, sending and reading. */
  readonly deadlineMs: number;
}

const MAX_RESPONSE_BYTES = 64 * 1024;
const GONE = 410;

export function createCallbackSender(deps: CallbackSenderDeps): NoticeSender {
  return async (notice) => {
    // The app may have been deleted, or the operator's list may have changed.
    if (!deps.hosts.isUrlAllowed(notice.destination)) return { kind: 'failed', error: 'not_allowed' };
    try {
      return outcomeOf(await post(deps, notice));
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      return { kind: 'failed', error: error.kind === 'refused' ? 'not_allowed' : error.kind };
    }
  };
}

async function post(deps: CallbackSenderDeps, notice: Notice): Promise<number> {
  const body = encodeCallback(notice.testId, notice.resultId).toString();
  const request = {
    url: notice.destination,
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'User-Agent': deps.userAgent,
      'x-loadtests-event': notice.id,
      'x-loadtests-signature': signatureOf(deps.secret(), Math.floor(deps.now() / 1000), body),
    },
    body,
    maxBodyBytes: MAX_RESPONSE_BYTES,
    deadlineMs: deps.deadlineMs,
  } as const;
  const { status } = await fetchResolved(request, deps);
  return status;
}

function outcomeOf(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  return { kind: status === GONE ? 'refused' : 'failed', error: `status_${status}` };
}

/**
 * Returns the signature for receivers: `t=<unix seconds>,v1=<hex>`. The digest is HMAC-SHA256 of `<t>.<body>`, with the
 * secret in UTF-8 as the key.
 */
function signatureOf(secret: Secret, at: number, body: string): string {
  const digest = createHmac('sha256', secret.reveal()).update(`${at}.${body}`).digest('hex');
  return `t=${at},v1=${digest}`;
}

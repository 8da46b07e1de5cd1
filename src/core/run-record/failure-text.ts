import { INVALID_URL, INVALID_URL_TEXT } from '../model/resolved-url.ts';
import type { PhaseName } from '../model/phase.ts';
import type { PhaseFailureRecord } from './run-record.ts';

export const TIMEOUT_PHASES: ReadonlyMap<string, string> = new Map([
  ['connect', 'while connecting'],
  ['tls', 'during the TLS handshake'],
  ['response', 'waiting for the response'],
]);

/** Describes the error code of a request. Unknown codes are returned unchanged. */
export function failureText(error: string | null): string | null {
  return FAILURE_TEXTS.get(error) ?? error;
}

const FAILURE_TEXTS: ReadonlyMap<string | null, string> = new Map([
  ['undefined_variable', 'not sent: a variable in the request has no value'],
  [INVALID_URL, `not sent: ${INVALID_URL_TEXT}`],
  ...[...TIMEOUT_PHASES].map(
    ([phase, words]) =>
      [phase === 'response' ? 'timeout' : `timeout_${phase}`, `timed out ${words}`] as const,
  ),
]);

/** Describes a failure: `POST https://shop.example.com/login in "setup" failed: status 401`. */
export function phaseFailureText(name: PhaseName, failure: PhaseFailureRecord): string {
  const { method, url, status, error } = failure;
  const reason = failureText(error) ?? 'unknown reason';
  const isComplete = status === null || /^status \d/.test(reason);
  return `${method ?? ''} ${url ?? ''} in "${name}" failed: ${isComplete ? reason : `${reason} (status ${status})`}`.trimStart();
}

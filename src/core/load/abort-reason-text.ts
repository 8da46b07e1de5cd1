import type { AbortReason } from './run-report.ts';

const REASON_TEXTS: ReadonlyMap<string, string> = new Map<AbortReason, string>([
  ['stopped', 'stopped'],
  ['error_threshold', 'the error threshold was reached'],
  ['threshold', 'a threshold with "abort_after" failed'],
  ['setup', 'a setup request failed'],
  ['verification_lost', 'a target host is no longer verified'],
  ['over_limit', 'active runs exceeded the load limit for a host'],
  ['partial', 'only part of the load was generated'],
  ['missed', 'the service was not running at the scheduled time'],
]);

/**
 * Describes an abort reason. An unknown reason, such as one of a third-party service, is returned with spaces instead
 * of underscores.
 */
export function abortReasonText(reason: string): string {
  return REASON_TEXTS.get(reason) ?? reason.replaceAll('_', ' ');
}

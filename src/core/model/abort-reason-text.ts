/** Why a run ended before its time, in words: the one place for them. */
import type { AbortReason } from '../load/run-report.ts';

const REASON_TEXTS: ReadonlyMap<string, string> = new Map<AbortReason, string>([
  ['stopped', 'stopped'],
  ['error_threshold', 'the error threshold was reached'],
  ['consent_withdrawn', 'a host no longer agrees to get load'],
  ['over_limit', 'all runs together did more on a host than they may'],
  ['partial', 'not all of its load could be made'],
  ['missed', 'no service was running when it was due'],
]);

/** @param reason as results have it; those of other services are read as they are */
export function abortReasonText(reason: string): string {
  return REASON_TEXTS.get(reason) ?? reason.replaceAll('_', ' ');
}

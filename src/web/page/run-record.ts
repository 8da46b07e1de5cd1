/** Records of the service as the components of the report want them. */
import type { ResultRecord } from '../../contract/generated/result-record.ts';
import { decodeResult } from '../../contract/result-codec.ts';
import { unjudgedReason } from '../../core/judge.ts';
import type { PastRun } from '../../core/report/generated/documents.ts';
import { pastRun } from '../../core/report/run.ts';

/**
 * A run with the verdict that whoever started it has told the service, and with no other: its limits are not known here.
 *
 * Errors: UnusableAnswer where it is no record.
 */
export function toldRun(record: ResultRecord): PastRun {
  const result = decodeResult(record);
  // While a run goes on its record is not ready, and has figures all the same.
  if (result.status !== 'ready')
    return { ...pastRun(result, null, []), reason: null, figures: result.figures };
  const unjudged = { verdict: 'none', thresholds: [], reason: unjudgedReason(result) } as const;
  return pastRun(result, result.judgement ?? unjudged, []);
}

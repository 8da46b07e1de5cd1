/** Outcome of a run. The client that started the run has reported the verdict. */
import type { RunSummary } from '../../contract/generated/key-list.ts';
import { withCommas } from '../../core/counted.ts';
import { abortReasonText } from '../../core/load/abort-reason-text.ts';
import { metricText } from '../../core/model/metric-text.ts';
import { Verdict } from '../verdict.tsx';

type VerdictWord = 'pass' | 'fail' | 'inconclusive' | 'none' | 'running';

const VERDICT_WORDS: readonly string[] = [
  'pass',
  'fail',
  'inconclusive',
  'none',
] satisfies readonly VerdictWord[];

/** Returns the verdict of a run. An unknown verdict counts as `none`. */
export function verdictOf({ status, verdict }: RunSummary): VerdictWord {
  if (status === 'not_ready') return 'running';
  return verdict !== null && VERDICT_WORDS.includes(verdict) ? (verdict as VerdictWord) : 'none'; // one of VERDICT_WORDS
}

/** Reports whether a run ended early for a reason other than a stop request. */
export function endedEarly({ abort_reason: reason }: RunSummary): boolean {
  return reason !== null && reason !== 'stopped';
}

export function needsAttention(run: RunSummary): boolean {
  const verdict = verdictOf(run);
  return verdict === 'fail' || verdict === 'inconclusive' || (verdict === 'none' && endedEarly(run));
}

export function RunOutcome({ run }: { readonly run: RunSummary }) {
  return (
    <>
      <Verdict verdict={verdictOf(run)} />
      {run.abort_reason === null ? null : <span class="note"> {endReasonText(run.abort_reason)}</span>}
    </>
  );
}

/** Returns `stopped`, or a text such as `ended early: the error threshold was reached`. */
export function endReasonText(reason: string): string {
  return reason === 'stopped' ? 'stopped' : `ended early: ${abortReasonText(reason)}`;
}

/** Formats a metric, such as `9.06 ms`; a dash if the value is unknown. */
export function metricTextOrDash(metric: string, value: number | null): string {
  return value === null ? '–' : metricText(metric, value);
}

export function countText(value: number | null): string {
  return value === null ? '–' : withCommas(value);
}

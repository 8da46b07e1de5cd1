/** The reason for a verdict in one sentence. */
import { changeText } from '../compare/regression-evaluation.ts';
import { counted } from '../counted.ts';
import { metricLabel } from '../model/metric-text.ts';
import type { Verdict } from '../model/run-verdict.ts';
import { parseThreshold, subjectText } from '../model/threshold.ts';
import type { AbortReason, OutagePeriod } from '../load/run-report.ts';
import type { RunRecord } from '../run-record/run-record.ts';
import type { EvaluatedThreshold } from './generated/documents.ts';
import { isMostlyRefused } from './result-text.ts';
import { measuredText, type ReasonedRun } from './threshold-text.ts';
import { periodText } from './timeline.ts';

/** The reasons for an early end that count as failures and explain the verdict. */
const FAILING_REASONS: readonly AbortReason[] = ['error_threshold', 'threshold', 'setup'];

const VERDICT_STARTS = {
  pass: 'Passed',
  fail: 'Failed',
  inconclusive: 'Inconclusive',
  none: 'No verdict',
} as const satisfies Readonly<Record<Verdict, string>>;

/** Returns text like `Failed: error rate 18.1%, threshold < 5%: no responses from 0:01 to 0:04`. */
export function verdictSentence(run: ReasonedRun): string {
  const { verdict, thresholds } = run;
  const why = verdictReason(run) ?? passText(thresholds);
  return `${VERDICT_STARTS[verdict]}: ${why}`;
}

function passText({ length }: readonly EvaluatedThreshold[]): string {
  return length === 0 ? 'no thresholds were evaluated' : `${counted(length, 'threshold')} met`;
}

/** Returns text like `p95 2,105 ms, threshold < 300ms (+1 more: error rate)`; null if there is no reason. */
export function verdictReason(run: ReasonedRun): string | null {
  const { verdict, reason, record } = run;
  // If a threshold failed, the reason for an early end is not the reason for the verdict, unless failures caused the
  // early end.
  if (verdict === 'fail' && !FAILING_REASONS.some((one) => one === record.abortReason))
    return failureText(run) ?? reason;
  if (verdict === 'inconclusive') return doubtText(run) ?? reason;
  return reason;
}

/** Returns the reason of the run; null if there is none or `verdictReason` returns it. */
export function verdictNote(run: ReasonedRun): string | null {
  const { reason } = run;
  return verdictReason(run) === reason ? null : reason;
}

function failureText(run: ReasonedRun): string | null {
  const failed = run.thresholds.filter(({ verdict }) => verdict === 'fail');
  const [first] = failed.filter(({ url }) => url === undefined);
  const outage = outageText(run.record);
  if (first !== undefined) {
    const others = failed.filter((one) => one !== first);
    return `${missText(first, run)}${othersText(others)}${outage}`;
  }
  const worst = worstOf(failed);
  if (worst === null) return null;
  if (failed.length === 1) return `${missText(worst, run)}${outage}`;
  const all = run.thresholds.filter(({ url }) => url !== undefined).length;
  return `${failed.length} of ${all} URL thresholds failed; worst: ${missText(worst, run)}${outage}`;
}

/** Describes the first inconclusive threshold with a reason, and counts the others; null if there is none. */
function doubtText({ thresholds }: ReasonedRun): string | null {
  const doubts = thresholds.flatMap((one) =>
    one.verdict === 'inconclusive' && one.reason != null ? [`${thresholdName(one)} ${one.reason}`] : [],
  );
  const [first] = doubts;
  return first === undefined ? null : `${first}${moreText(doubts.length - 1)}`;
}

/** Returns the number of other failed thresholds and the worst of them: ` (+1 more: p95 of "pay")`. */
function othersText(others: readonly EvaluatedThreshold[]): string {
  const worst = worstOf(others);
  if (worst === null) return '';
  return ` (+${others.length} more${others.length === 1 ? ':' : ', worst:'} ${thresholdName(worst)})`;
}

function moreText(count: number): string {
  return count > 0 ? ` (+${count} more)` : '';
}

/** Describes a missed threshold: `p95 of "pay" 2,105 ms, threshold < 300ms`. */
function missText(threshold: EvaluatedThreshold, run: ReasonedRun): string {
  const { metric, limit, regression } = threshold;
  const start = `${thresholdName(threshold)} ${measuredText(threshold, run)}`;
  if (regression === undefined) return `${start}, threshold ${limit}`;
  const { worse_by: worseBy, baseline, allowed } = regression;
  return `${start}, ${changeText(metric, { worseBy, baseline })}; ${allowed}% is allowed`;
}

function thresholdName(threshold: EvaluatedThreshold): string {
  return subjectText({ ...threshold, metric: metricLabel(threshold.metric) });
}

/** Returns the threshold that is missed by the largest factor; null for an empty list. */
export function worstOf(failed: readonly EvaluatedThreshold[]): EvaluatedThreshold | null {
  return failed.reduce<EvaluatedThreshold | null>(
    (worst, one) => (worst === null || excessOf(one) > excessOf(worst) ? one : worst),
    null,
  );
}

/** Returns the factor by which a value misses its threshold; 1 if the factor is unknown. */
function excessOf({ metric, limit, value, regression }: EvaluatedThreshold): number {
  if (regression !== undefined) return 1 + Math.abs(regression.worse_by) / 100;
  const condition = parseThreshold(metric, limit);
  if (condition === null || value === null) return 1;
  const [high, low] = condition.operator.startsWith('<')
    ? [value, condition.value]
    : [condition.value, value];
  return low === 0 ? Number.POSITIVE_INFINITY : high / low;
}

/** Returns text like `: no responses from 0:01 to 0:04` for the longest outage; empty if there was none. */
function outageText({ outage, ledger }: RunRecord): string {
  const { periods = [], spans = null } = outage ?? {};
  const longest = periods.reduce<OutagePeriod | null>(
    (longer, one) => (longer === null || one.to - one.from > longer.to - longer.from ? one : longer),
    null,
  );
  if (longest === null) return '';
  const others = Math.max(periods.length, spans ?? 0) - 1;
  const rest = others === 0 ? '' : ` and in ${counted(others, 'other period')}`;
  const refused = ledger !== null && isMostlyRefused(ledger);
  return `: ${refused ? 'the target refused connections' : 'no responses'} from ${periodText(longest)}${rest}`;
}

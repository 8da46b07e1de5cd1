/**
 * The verdict of a run: one pure function of the result, the same for the command line, reports and pages.
 *
 * Source: docs/design/results.md, section 2.
 */
import type { Interval } from './load/report.ts';
import { busyText, shortfallText, uncertaintyText } from './uncertainty.ts';
import type { Histogram } from './load/histogram.ts';
import type { RunResult, Sample } from './model/run.ts';
import { stopText } from './model/run-stop.ts';
import { placeOf, type Place } from './source.ts';
import {
  holds,
  isFigure,
  shareOf,
  subjectText,
  verdictWithin,
  type Metric,
  type Threshold,
} from './model/threshold.ts';

export type Verdict = 'pass' | 'fail' | 'inconclusive' | 'none';

export interface JudgedThreshold {
  readonly metric: string;
  /** Of a limit on one URL: what it is called. */
  readonly url?: string;
  readonly limit: string;
  /** Null: the result does not have the figure. */
  readonly value: number | null;
  /** Where the figure lies whatever the generator did to it; left out where the result does not tell. */
  readonly bounds?: Interval;
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
  /** Why it is inconclusive where the limit lies between the bounds. */
  readonly reason?: string;
  /** Where the file has it; left out where no file does. */
  readonly source?: Place;
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly thresholds: readonly JudgedThreshold[];
  /** Why, in words, where the thresholds alone do not tell. */
  readonly reason: string | null;
}

/** @param result null when there is none to judge. */
export function judge(thresholds: readonly Threshold[], result: RunResult | null): Judgement {
  if (result?.abortReason === 'error_threshold' && result.measured?.abortCertain !== false) {
    return withReason('fail', judged(thresholds, result), 'the error threshold was reached');
  }
  const reason = noVerdictReason(result);
  if (reason !== null || result === null) {
    const each = thresholds.map((threshold) => ({
      ...judgeOne(threshold, result),
      verdict: 'inconclusive' as const,
    }));
    return withReason(thresholds.length > 0 ? 'inconclusive' : 'none', each, reason);
  }
  const note = noteOn(result);
  if (thresholds.length === 0) return withReason('none', [], note);
  const each = judged(thresholds, result);
  if (each.some(({ verdict }) => verdict === 'fail')) return withReason('fail', each, note);
  const missing = each.filter(({ value }) => value === null).map(subjectText);
  if (missing.length > 0) return withReason('inconclusive', each, `the result has no ${missing.join(', ')}`);
  if (each.some(({ verdict }) => verdict === 'inconclusive')) return withReason('inconclusive', each, note);
  return withReason('pass', each, note);
}

function withReason(
  verdict: Verdict,
  thresholds: readonly JudgedThreshold[],
  reason: string | null,
): Judgement {
  return { verdict, thresholds, reason };
}

/** Why nothing can be said of a run, however its figures look; null when they can be judged. */
function noVerdictReason(result: RunResult | null): string | null {
  if (result === null) return 'the result is missing';
  if (result.status !== 'ready') return 'the result is not ready';
  const { measured } = result;
  if (result.abortReason === 'error_threshold') {
    return 'the error threshold was reached only with failures while this machine stood still';
  }
  if (typeof result.abortReason === 'string' && result.abortReason !== '') {
    const why = result.stopped === null ? result.abortReason : stopText(result.stopped);
    return `the run ended early: ${why}`;
  }
  if (measured === null && result.generatorOverloaded) return 'the load generator was overloaded';
  const shortfall = measured === null ? null : shortfallText(measured);
  if (shortfall !== null) return shortfall;
  if (result.figures.requests === 0) return 'the run has no samples';
  return null;
}

/** What is to be said of a run whatever its verdict is; null for nothing. */
function noteOn({ measured, record }: RunResult): string | null {
  if (measured === null) {
    const ours = record['generator'] !== undefined && record['generator'] !== null;
    return ours ? 'judged by its figures alone: the record is of an earlier version' : null;
  }
  return measured.offered?.model === 'closed' ? busyText(measured.machine) : null;
}

function judged(thresholds: readonly Threshold[], result: RunResult): JudgedThreshold[] {
  return thresholds.map((threshold) => judgeOne(threshold, result));
}

function judgeOne(threshold: Threshold, result: RunResult | null): JudgedThreshold {
  const { metric, limit, url, source } = threshold;
  const subject = { metric, ...(url === null ? {} : { url: url.label }), limit };
  const place = source === null ? {} : { source: placeOf(source) };
  const { value, bounds } = figureOf(metric, result && sampleOf(threshold, result));
  if (value === null) return { ...subject, value, verdict: 'inconclusive', ...place };
  if (bounds === undefined)
    return { ...subject, value, verdict: holds(value, threshold) ? 'pass' : 'fail', ...place };
  const verdict = verdictWithin(bounds, threshold);
  if (verdict !== 'inconclusive') return { ...subject, value, bounds, verdict, ...place };
  const reason = uncertaintyText(threshold, bounds, result?.measured?.machine ?? null);
  return { ...subject, value, bounds, verdict, reason, ...place };
}

/** What a limit is on. Null: the result does not tell of that URL. */
function sampleOf({ url }: Threshold, { figures, measured, times, urls }: RunResult): Sample | null {
  return url === null ? { figures, bounds: measured?.bounds ?? null, times } : (urls?.[url.index] ?? null);
}

interface FoundFigure {
  readonly value: number | null;
  readonly bounds?: Interval | undefined;
}

function figureOf(metric: Metric, sample: Sample | null): FoundFigure {
  if (sample === null) return { value: null };
  const { figures, bounds, times } = sample;
  if (isFigure(metric)) return { value: figures[metric] ?? null, bounds: bounds?.[metric] };
  const value = percentileOf(metric, times?.measured);
  if (value === null || bounds === null) return { value };
  // A record of before tells no low end: it may be 0.
  const low = Math.min(value, percentileOf(metric, times?.least) ?? 0);
  return { value, bounds: { low, high: value } };
}

/** In ms. */
function percentileOf(metric: Metric, times: Histogram | null | undefined): number | null {
  const microseconds = times?.quantile(shareOf(metric) ?? 0) ?? null;
  return microseconds === null ? null : Math.round(microseconds) / 1000;
}

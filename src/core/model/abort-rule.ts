/** Thresholds that end a run early. */
import type { Milliseconds } from '../units.ts';
import { kindOf, parseThreshold, type Metric, type Threshold } from './threshold.ts';
import { urlLabels } from './url-label.ts';

/** A rule applies to the whole test unless `url`, `flow` or `group` is set. */
export interface AbortRule {
  readonly metric: Metric;
  /** The condition as written: `< 3s`. */
  readonly limit: string;
  /** Minimum time of measured load before the rule can end the run, in ms; a multiple of 1,000. */
  readonly after: Milliseconds;
  /** Declared minimum number of responses for a verdict; absent for the default. */
  readonly minSamples?: number;
  readonly url?: number;
  readonly flow?: number;
  readonly group?: { readonly name: string; readonly urls: readonly number[] };
}

/** Converts the thresholds with `abortAfter` to rules; returns null if there are none. */
export function abortRulesOf(thresholds: readonly Threshold[]): readonly AbortRule[] | null {
  const rules = thresholds.flatMap((threshold): readonly AbortRule[] => {
    const { metric, limit, abortAfter, minSamples, url, flow, group } = threshold;
    if (abortAfter === undefined) return [];
    const part =
      group !== undefined
        ? { group: { name: group.label, urls: group.urls } }
        : flow !== undefined
          ? { flow: flow.index }
          : url === null
            ? {}
            : { url: url.index };
    return [
      { metric, limit, after: abortAfter, ...(minSamples === undefined ? {} : { minSamples }), ...part },
    ];
  });
  return rules.length === 0 ? null : rules;
}

interface RuleSubjects {
  readonly targets: readonly {
    readonly url: string;
    readonly method: string | null;
    /** Name of the request; null if it has none, absent if unknown. */
    readonly name?: string | null;
  }[];
  readonly flows: readonly { readonly name: string }[] | null;
}

/** Returns the threshold of a rule; null if its metric or condition is invalid. */
export function thresholdOfRule(rule: AbortRule, { targets, flows }: RuleSubjects): Threshold | null {
  const { metric, limit, after, minSamples, url, flow, group } = rule;
  const threshold = parseThreshold(metric, limit);
  if (threshold === null) return null;
  const labels =
    url === undefined ? [] : urlLabels(targets.map((target) => ({ ...target, name: target.name ?? null })));
  return {
    ...threshold,
    abortAfter: after,
    ...(minSamples === undefined ? {} : { minSamples }),
    ...(url === undefined ? {} : { url: { index: url, label: labels[url] ?? '' } }),
    ...(flow === undefined ? {} : { flow: { index: flow, label: flows?.[flow]?.name ?? '' } }),
    ...(group === undefined ? {} : { group: { label: group.name, urls: group.urls } }),
  };
}

/**
 * Reports whether later requests can always make a failing threshold pass, so that the threshold can never end a run
 * early.
 */
export function canStillBeMet({ metric, operator }: Pick<Threshold, 'metric' | 'operator'>): boolean {
  const isUpper = operator.startsWith('<');
  if (metric === 'min') return isUpper;
  if (metric === 'max' || metric === 'iteration_max') return !isUpper;
  if (metric === 'requests_per_second') return true;
  return kindOf(metric) === 'count' && !isUpper;
}

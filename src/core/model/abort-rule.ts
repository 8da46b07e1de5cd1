/** Thresholds that end a run early. Unlike other thresholds, the service receives them: see `abort_after`. */
import type { Milliseconds } from '../units.ts';
import { kindOf, parseThreshold, type Metric, type Threshold } from './threshold.ts';
import { urlLabels } from './url-label.ts';

/** A threshold of the whole test, or of one of its requests, flows or groups of requests. */
export interface AbortRule {
  readonly metric: Metric;
  /** The condition as written: `< 3s`. */
  readonly limit: string;
  /** Time of the measured load, in whole seconds, before which the run continues in any case. */
  readonly after: Milliseconds;
  /** Declared minimum number of responses for a verdict: see `Threshold`. */
  readonly minSamples?: number;
  readonly url?: number;
  readonly flow?: number;
  /** Group of requests, by their indexes. */
  readonly group?: { readonly name: string; readonly urls: readonly number[] };
}

/** Returns the rules of the thresholds that end a run; null if there are none. */
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

/** The requests and flows that rules refer to by their indexes. */
interface RuleSubjects {
  readonly targets: readonly {
    readonly url: string;
    readonly method: string | null;
    /** Name of the request in the file; absent if it is unknown. */
    readonly name?: string | null;
  }[];
  readonly flows: readonly { readonly name: string }[] | null;
}

/** Returns the threshold of a rule; null if its metric or condition is invalid. */
export function thresholdOfRule(rule: AbortRule, { targets, flows }: RuleSubjects): Threshold | null {
  const { metric, limit, after, minSamples, url, flow, group } = rule;
  const threshold = kindOf(metric) === null ? null : parseThreshold(metric, limit, null);
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
 * Reports whether a threshold that is not met so far can still be met because of later requests. This is true for a
 * lower limit on a count or on the longest time, and for an upper limit on the shortest time. Such a threshold cannot
 * end a run.
 */
export function canStillBeMet({ metric, operator }: Pick<Threshold, 'metric' | 'operator'>): boolean {
  const isUpper = operator.startsWith('<');
  if (metric === 'min') return isUpper;
  if (metric === 'max' || metric === 'iteration_max') return !isUpper;
  return kindOf(metric) === 'count' && metric !== 'requests_per_second' && !isUpper;
}

import { withoutUndefined } from '../present-fields.ts';
import { objectOf } from '../unknown-value.ts';
import type { UrlGroup } from '../model/threshold.ts';
import type { BaselineComparison, EvaluatedThreshold, RunVerdict } from '../model/run-verdict.ts';

/** Reads a published verdict. Returns null if the value is absent or invalid. */
export function readRunVerdict(value: unknown): RunVerdict | null {
  const {
    verdict,
    reason = null,
    thresholds,
    url_names: names,
    url_groups: groups,
    baseline,
  } = objectOf(value);
  if (!isVerdict(verdict) && verdict !== 'none') return null;
  if (!Array.isArray(thresholds) || (reason !== null && typeof reason !== 'string')) return null;
  const evaluated = thresholds.map(readThreshold);
  if (!evaluated.every((threshold) => threshold !== null)) return null;
  return {
    verdict,
    reason,
    thresholds: evaluated,
    ...(Array.isArray(names)
      ? { urlNames: names.map((name) => (typeof name === 'string' ? name : null)) }
      : {}),
    ...(Array.isArray(groups) ? { urlGroups: groups.flatMap(readGroup) } : {}),
    ...(Array.isArray(baseline) ? { baseline: baseline.filter((id) => typeof id === 'string') } : {}),
  };
}

function readGroup(value: unknown): UrlGroup[] {
  const { name, urls } = objectOf(value);
  if (typeof name !== 'string' || !Array.isArray(urls)) return [];
  return [{ name, urls: urls.filter((index) => typeof index === 'number') }];
}

function readThreshold(value: unknown): EvaluatedThreshold | null {
  const { metric, url, flow, limit, value: measured, bounds, verdict, reason, regression } = objectOf(value);
  const { min_samples: minSamples, group } = objectOf(value);
  const decoded = {
    bounds: bounds === undefined ? undefined : readBounds(bounds),
    regression: regression === undefined ? undefined : readRegression(regression),
  };
  if (typeof metric !== 'string' || typeof limit !== 'string' || !isVerdict(verdict)) return null;
  if (
    !isStringOrAbsent(url) ||
    !isStringOrAbsent(flow) ||
    !isStringOrAbsent(group) ||
    !isStringOrAbsent(reason) ||
    !isNumberOrNull(measured) ||
    !(minSamples === undefined || typeof minSamples === 'number')
  )
    return null;
  if (decoded.bounds === null || decoded.regression === null) return null;
  const { bounds: range, regression: change } = decoded;
  return withoutUndefined({
    metric,
    limit,
    value: measured,
    verdict,
    url,
    flow,
    group,
    minSamples,
    reason,
    bounds: range,
    regression: change,
  });
}

function readBounds(value: unknown): EvaluatedThreshold['bounds'] | null {
  const { low, high } = objectOf(value);
  return typeof low === 'number' && isNumberOrNull(high) ? { low, high } : null;
}

function readRegression(value: unknown): BaselineComparison | null {
  const { worse_by: worseBy, allowed, baseline, runs, baseline_runs: baselineRuns } = objectOf(value);
  const { standard_deviation: standardDeviation } = objectOf(value);
  if (typeof worseBy !== 'number' || typeof allowed !== 'number' || typeof baseline !== 'number') return null;
  if (typeof runs !== 'number' || typeof baselineRuns !== 'number') return null;
  if (!isNumberOrNull(standardDeviation)) return null;
  return { worseBy, allowed, baseline, runs, baselineRuns, standardDeviation };
}

function isVerdict(value: unknown): value is EvaluatedThreshold['verdict'] {
  return value === 'pass' || value === 'fail' || value === 'inconclusive';
}

function isStringOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function isNumberOrNull(value: unknown): value is number | null {
  return value === null || typeof value === 'number';
}

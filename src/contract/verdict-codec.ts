/** Wire ↔ the verdict on a run, as it is told to a service that keeps it: an extension. */
import type { BaselineComparison, EvaluatedThreshold, RunVerdict } from '../core/model/run-verdict.ts';
import type { RunVerdict as Wire } from './generated/run-verdict.ts';

/** Without the places in the file, which are nobody else's. */
export function encodeRunVerdict({ verdict, reason, thresholds }: RunVerdict): Wire {
  return {
    verdict,
    reason,
    thresholds: thresholds.map(({ source: _, regression, ...one }) => {
      if (regression === undefined) return one;
      return { ...one, regression: encodeRegression(regression) };
    }),
  };
}

function encodeRegression({ worseBy, baselineRuns, standardDeviation, ...rest }: BaselineComparison) {
  return { ...rest, worse_by: worseBy, baseline_runs: baselineRuns, standard_deviation: standardDeviation };
}

/** Null: there is none, or none of ours; another service may mean something else by the field. */
export function readRunVerdict(value: unknown): RunVerdict | null {
  const { verdict, reason = null, thresholds } = membersOf(value);
  if (!isVerdict(verdict) && verdict !== 'none') return null;
  if (!Array.isArray(thresholds) || (reason !== null && typeof reason !== 'string')) return null;
  const read = thresholds.map(readThreshold);
  return read.some((one) => one === null)
    ? null
    : { verdict, reason, thresholds: read.filter((one) => one !== null) };
}

function readThreshold(value: unknown): EvaluatedThreshold | null {
  const { metric, url, limit, value: figure, bounds, verdict, reason, regression } = membersOf(value);
  const read = {
    bounds: bounds === undefined ? undefined : readBounds(bounds),
    regression: regression === undefined ? undefined : readRegression(regression),
  };
  if (typeof metric !== 'string' || typeof limit !== 'string' || !isVerdict(verdict)) return null;
  if (!isStringOrAbsent(url) || !isStringOrAbsent(reason) || !isNumberOrNull(figure)) return null;
  if (read.bounds === null || read.regression === null) return null;
  return {
    ...{ metric, limit, value: figure, verdict },
    ...(url === undefined ? {} : { url }),
    ...(reason === undefined ? {} : { reason }),
    ...(read.bounds === undefined ? {} : { bounds: read.bounds }),
    ...(read.regression === undefined ? {} : { regression: read.regression }),
  };
}

function readBounds(value: unknown): EvaluatedThreshold['bounds'] | null {
  const { low, high } = membersOf(value);
  return typeof low === 'number' && isNumberOrNull(high) ? { low, high } : null;
}

function readRegression(value: unknown): BaselineComparison | null {
  const { worse_by: worseBy, allowed, baseline, runs, baseline_runs: baselineRuns } = membersOf(value);
  const { standard_deviation: standardDeviation } = membersOf(value);
  if (typeof worseBy !== 'number' || typeof allowed !== 'number' || typeof baseline !== 'number') return null;
  if (typeof runs !== 'number' || typeof baselineRuns !== 'number') return null;
  if (!isNumberOrNull(standardDeviation)) return null;
  return { worseBy, allowed, baseline, runs, baselineRuns, standardDeviation };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  // An object of any kind has members.
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
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

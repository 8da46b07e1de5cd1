import type { Json } from '../canonical.ts';
import type { BaselineMachine } from '../model/baseline.ts';
import { worseDirectionOf } from '../model/regression.ts';
import type { Sample } from '../model/sample.ts';
import { RESULT_METRICS, type ResultMetric } from '../model/threshold.ts';
import { hasMinimumCounts, type RunRecord } from '../run-record/run-record.ts';
import { timeoutBound } from '../run-record/timeout-bound.ts';
import { machineOf, meanOf, otherMachineText } from './regression-evaluation.ts';
import { sumOf } from '../sum.ts';

export interface ComparedMetric {
  readonly metric: ResultMetric;
  /**
   * Value of the metric in the earlier run, or the mean of several earlier runs; null if a run does not contain the
   * metric.
   */
  readonly before: number | null;
  readonly after: number | null;
  /**
   * Change in percent of `before`, or a lower bound of the change if `after` is a lower bound; null if the change
   * cannot be computed.
   */
  readonly change: number | null;
  /** Sides whose value is a lower bound; absent if there are none. */
  readonly minimums?: (typeof SIDES)[number][];
}

const SIDES = ['before', 'after'] as const;

/** A sample, with the members of its run record that determine whether values are lower bounds. */
type ComparedSample = Sample & Partial<Pick<RunRecord, 'abortReason' | 'knownUntil' | 'timeout'>>;

/** A difference between two loads in one field of the test. */
export interface LoadChange {
  /** JSON Pointer to the field, with the field names of the API. */
  readonly field: string;
  readonly from: Json;
  readonly to: Json;
}

const METRIC_NAMES = Object.keys(RESULT_METRICS) as readonly ResultMetric[]; // Object.keys loses the key type.

/**
 * Compares each metric that at least one side has. For several earlier runs, uses the mean: the geometric mean for
 * times and request rates if all values are above 0, otherwise the arithmetic mean.
 */
export function compareMetrics(
  before: readonly ComparedSample[],
  after: ComparedSample,
): readonly ComparedMetric[] {
  return METRIC_NAMES.flatMap((metric) => {
    const earlier = typicalValueOf(metric, before);
    const now = after.metrics[metric] ?? null;
    if (earlier === null && now === null) return [];
    const bounds = { before: minimumOf(metric, earlier, before), after: minimumOf(metric, now, [after]) };
    const minimums = SIDES.filter((side) => bounds[side] !== null);
    // If `bounds.after` is a lower bound that does not exceed the earlier value, even the direction of the change is
    // unknown.
    const isKnown =
      earlier !== null &&
      now !== null &&
      earlier > 0 &&
      bounds.before === null &&
      (bounds.after === null || bounds.after > earlier);
    return [
      {
        metric,
        before: bounds.before ?? earlier,
        after: bounds.after ?? now,
        change: isKnown ? 100 * ((bounds.after ?? now) / earlier - 1) : null,
        ...(minimums.length === 0 ? {} : { minimums }),
      },
    ];
  });
}

/** Returns the lower bound that replaces a value; null if the value is null or counts as exact. */
function minimumOf(
  metric: ResultMetric,
  value: number | null,
  samples: readonly ComparedSample[],
): number | null {
  if (value === null) return null;
  if (RESULT_METRICS[metric] === 'count')
    return metric !== 'requests_per_second' && samples.some(hasMinimumCounts) ? value : null;
  const [sample] = samples;
  if (sample?.timeout == null || samples.length > 1) return null;
  return timeoutBound(metric, value, { timeout: sample.timeout, metrics: sample.metrics });
}

function typicalValueOf(metric: ResultMetric, samples: readonly Sample[]): number | null {
  const each = samples.map(({ metrics }) => metrics[metric] ?? null);
  const known = each.filter((value) => value !== null);
  if (known.length === 0 || known.length < each.length) return null;
  if (worseDirectionOf(metric) === null || !known.every((value) => value > 0)) {
    return sumOf(known) / known.length;
  }
  return Math.round(1000 * meanOf(known)) / 1000;
}

export function findComparisonObstacles(
  changes: readonly LoadChange[],
  before: BaselineMachine | null,
  after: RunRecord,
): readonly string[] {
  const now = machineOf(after);
  const differ = before !== null && now !== null && before.measurementVersion !== now.measurementVersion;
  return [
    ...(changes.length === 0 ? [] : [`the load differs: ${changes.map(loadChangeText).join(', ')}`]),
    ...(differ
      ? [
          `the metrics were measured with different methods: measurement version ${before.measurementVersion}, now ${now.measurementVersion}`,
        ]
      : []),
  ];
}

export function findComparisonWarnings(
  before: BaselineMachine | null,
  after: RunRecord,
  names: readonly [before: string, after: string],
): readonly string[] {
  const now = machineOf(after);
  if (before === null || now === null) {
    const unknown = names.filter((_, index) => [before, now][index] === null);
    return [
      `the load generator of ${unknown.join(' and ')} is unknown: results from earlier versions of loadtests and from third-party services can lack this information`,
    ];
  }
  const other = otherMachineText(before, now);
  return other === null ? [] : [`the runs used different load generators: ${other}`];
}

function loadChangeText({ field, from, to }: LoadChange): string {
  const [before, after] = [from, to].map((value) => (value === null ? '(not set)' : JSON.stringify(value)));
  return `${field.slice(1).replaceAll('/', '.')} ${before ?? ''} → ${after ?? ''}`;
}

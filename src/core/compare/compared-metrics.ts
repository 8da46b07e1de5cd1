/** Two runs of one load side by side, or a run beside its baseline. Pure. */
import type { RunResult, Sample } from '../model/run-result.ts';
import { worseDirectionOf } from '../model/regression.ts';
import { RESULT_METRICS, type ResultMetric } from '../model/threshold.ts';
import type { FieldChange } from '../reconcile/differences.ts';
import type { BaselineMachine } from './baseline.ts';
import { machineOf, meanOf, otherMachineText } from './regression-evaluation.ts';

export interface ComparedMetric {
  readonly metric: ResultMetric;
  /** Null: not known of that side. */
  readonly before: number | null;
  readonly after: number | null;
  /** In percent of what was before; null where it cannot be told. */
  readonly change: number | null;
}

const METRIC_NAMES = Object.keys(RESULT_METRICS) as readonly ResultMetric[]; // the keys of its type

/** Of each figure that one side has; several runs stand for their mean: of times and rates the one that verdicts take. */
export function compareMetrics(before: readonly Sample[], after: Sample): readonly ComparedMetric[] {
  return METRIC_NAMES.flatMap((metric) => {
    const earlier = typicalValueOf(metric, before);
    const now = after.metrics[metric] ?? null;
    if (earlier === null && now === null) return [];
    const known = earlier !== null && now !== null && earlier > 0;
    return [{ metric, before: earlier, after: now, change: known ? 100 * (now / earlier - 1) : null }];
  });
}

function typicalValueOf(metric: ResultMetric, samples: readonly Sample[]): number | null {
  const each = samples.map(({ metrics }) => metrics[metric] ?? null);
  const known = each.filter((value) => value !== null);
  if (known.length === 0 || known.length < each.length) return null;
  if (worseDirectionOf(metric) === null || !known.every((value) => value > 0)) {
    return known.reduce((sum, value) => sum + value, 0) / known.length;
  }
  // As far as anybody wants to read it.
  return Math.round(1000 * meanOf(known)) / 1000;
}

/** Why figures of two sides say nothing of the target; none: they may be compared. */
export function findComparisonObstacles(
  changes: readonly FieldChange[],
  before: BaselineMachine | null,
  after: RunResult,
): readonly string[] {
  const now = machineOf(after);
  const measured = before !== null && now !== null && before.measurementVersion !== now.measurementVersion;
  return [
    ...(changes.length === 0 ? [] : [`the load is another one: ${changes.map(fieldChangeText).join(', ')}`]),
    ...(measured
      ? [
          `figures were measured in another way: version ${before.measurementVersion}, now ${now.measurementVersion}`,
        ]
      : []),
  ];
}

/** What to know of figures that may be compared. */
export function findComparisonWarnings(before: BaselineMachine | null, after: RunResult): readonly string[] {
  const now = machineOf(after);
  if (before === null || now === null) {
    return [
      'a record does not tell which machine made the load: it is of an earlier version, or of another service',
    ];
  }
  const other = otherMachineText(before, now);
  return other === null ? [] : [`the load was made on another machine: ${other}`];
}

function fieldChangeText({ field, from, to }: FieldChange): string {
  return `${field} ${JSON.stringify(from)} → ${JSON.stringify(to)}`;
}

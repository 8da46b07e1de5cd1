/** Two runs of one load side by side, or a run beside its baseline. Pure. */
import type { RunResult, Sample } from '../model/run.ts';
import { worseOf } from '../model/regression.ts';
import { FIGURES, type Figure } from '../model/threshold.ts';
import type { FieldChange } from '../reconcile/differences.ts';
import type { BaselineMachine } from './baseline.ts';
import { machineOf, meanOf, otherMachineText } from './regression.ts';

export interface ComparedFigure {
  readonly metric: Figure;
  /** Null: not known of that side. */
  readonly before: number | null;
  readonly after: number | null;
  /** In percent of what was before; null where it cannot be told. */
  readonly change: number | null;
}

const NAMES = Object.keys(FIGURES) as readonly Figure[]; // the keys of its type

/** Of each figure that one side has; several runs stand for their mean: of times and rates the one that verdicts take. */
export function comparedFigures(before: readonly Sample[], after: Sample): readonly ComparedFigure[] {
  return NAMES.flatMap((metric) => {
    const earlier = typicalOf(metric, before);
    const now = after.figures[metric] ?? null;
    if (earlier === null && now === null) return [];
    const known = earlier !== null && now !== null && earlier > 0;
    return [{ metric, before: earlier, after: now, change: known ? 100 * (now / earlier - 1) : null }];
  });
}

function typicalOf(metric: Figure, samples: readonly Sample[]): number | null {
  const each = samples.map(({ figures }) => figures[metric] ?? null);
  const known = each.filter((value) => value !== null);
  if (known.length === 0 || known.length < each.length) return null;
  if (worseOf(metric) === null || !known.every((value) => value > 0)) {
    return known.reduce((sum, value) => sum + value, 0) / known.length;
  }
  // As far as anybody wants to read it.
  return Math.round(1000 * meanOf(known)) / 1000;
}

/** Why figures of two sides say nothing of the target; none: they may be compared. */
export function hindrances(
  changes: readonly FieldChange[],
  before: BaselineMachine | null,
  after: RunResult,
): readonly string[] {
  const now = machineOf(after);
  const measured = before !== null && now !== null && before.measuring !== now.measuring;
  return [
    ...(changes.length === 0 ? [] : [`the load is another one: ${changes.map(changeText).join(', ')}`]),
    ...(measured
      ? [`figures were measured in another way: version ${before.measuring}, now ${now.measuring}`]
      : []),
  ];
}

/** What to know of figures that may be compared. */
export function cautions(before: BaselineMachine | null, after: RunResult): readonly string[] {
  const now = machineOf(after);
  if (before === null || now === null) {
    return [
      'a record does not tell which machine made the load: it is of an earlier version, or of another service',
    ];
  }
  const other = otherMachineText(before, now);
  return other === null ? [] : [`the load was made on another machine: ${other}`];
}

function changeText({ field, from, to }: FieldChange): string {
  return `${field} ${JSON.stringify(from)} → ${JSON.stringify(to)}`;
}

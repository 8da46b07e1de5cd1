/** Several runs beside each other, also of different tests. Pure. */
import type { ObservedTest } from '../model/load-test.ts';
import type { RunResult } from '../model/run-result.ts';
import { loadDifferencesBetween } from '../reconcile/load-digest.ts';
import { machineOf, sampleOf } from './regression-evaluation.ts';
import {
  findComparisonWarnings,
  compareMetrics,
  findComparisonObstacles,
  type ComparedMetric,
} from './compared-metrics.ts';

/** A run, with the test that was run. */
export interface RunToCompare {
  readonly test: ObservedTest;
  readonly result: RunResult;
}

export interface ComparedRun<Run extends RunToCompare = RunToCompare> {
  readonly run: Run;
  /** `A`, `B`, … in the order of time. */
  readonly label: string;
  /** Of each figure; of the first run none. */
  readonly metrics: readonly ComparedMetric[];
  /** Why its figures and those of the first run say nothing of the target; none: they may be compared. */
  readonly obstacles: readonly string[];
  /** What to know of figures that may be compared. */
  readonly warnings: readonly string[];
}

/** By the rules of `results --compare`, each with the earliest. */
export function compareRuns<Run extends RunToCompare>(runs: readonly Run[]): readonly ComparedRun<Run>[] {
  const sorted = [...runs].sort((a, b) => (a.result.startedAt ?? 0) - (b.result.startedAt ?? 0));
  const [first] = sorted;
  if (first === undefined) return [];
  const machine = machineOf(first.result);
  return sorted.map((run, index) => {
    const label = String.fromCharCode(65 + index);
    if (run === first) return { run, label, metrics: [], obstacles: [], warnings: [] };
    const changes = run.test.id === first.test.id ? [] : loadDifferencesBetween(first.test, run.test);
    return {
      ...{ run, label },
      metrics: compareMetrics([sampleOf(first.result)], sampleOf(run.result)),
      obstacles: [
        ...[first, run].flatMap((one) =>
          one.result.status === 'ready'
            ? []
            : [`${one === first ? 'the earlier run' : 'the run'} has not ended`],
        ),
        ...findComparisonObstacles(changes, machine, run.result),
      ],
      warnings: findComparisonWarnings(machine, run.result),
    };
  });
}

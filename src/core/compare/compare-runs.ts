/** Compares several runs, including runs of different tests. Pure functions. */
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

/** A run and its test. */
export interface RunToCompare {
  readonly test: ObservedTest;
  readonly result: RunResult;
}

export interface ComparedRun<Run extends RunToCompare = RunToCompare> {
  readonly run: Run;
  /** `A`, `B`, … in chronological order. */
  readonly label: string;
  /** One entry per metric; empty for the first run. */
  readonly metrics: readonly ComparedMetric[];
  /** Reasons why this run and the first run are not comparable; empty if they are. */
  readonly obstacles: readonly string[];
  /** Warnings about a comparison that is possible. */
  readonly warnings: readonly string[];
}

/** Compares each run with the earliest one, by the rules of `results --compare`. */
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
      run,
      label,
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

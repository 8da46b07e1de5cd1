import type { RunResult } from '../run-record/run-result.ts';
import { machineOf } from './regression-evaluation.ts';
import {
  findComparisonWarnings,
  compareMetrics,
  findComparisonObstacles,
  type ComparedMetric,
  type LoadChange,
} from './compared-metrics.ts';

export interface RunToCompare {
  readonly testId: string;
  readonly result: RunResult;
}

export interface ComparedRun<Run extends RunToCompare = RunToCompare> {
  readonly run: Run;
  /** `A`, `B`, … in chronological order. */
  readonly label: string;
  /** Comparisons with the first run: one per metric that at least one of the two runs has. Empty for the first run. */
  readonly metrics: readonly ComparedMetric[];
  /** Reasons why this run cannot be compared with the first run; empty if there are none. */
  readonly obstacles: readonly string[];
  readonly warnings: readonly string[];
}

function labelOf(index: number): string {
  return String.fromCharCode(65 + index);
}

/**
 * Sorts runs by their start times, and compares each run with the earliest run.
 * @param loadChanges - returns the differences between the loads of two tests
 */
export function compareRuns<Run extends RunToCompare>(
  runs: readonly Run[],
  loadChanges: (before: Run, after: Run) => readonly LoadChange[],
): readonly ComparedRun<Run>[] {
  const startOf = ({ result }: Run) => result.record.startedAt ?? 0;
  const sorted = [...runs].sort((a, b) => startOf(a) - startOf(b));
  const [first] = sorted;
  if (first === undefined) return [];
  const machine = machineOf(first.result.record);
  return sorted.map((run, index) => {
    const label = labelOf(index);
    if (run === first) return { run, label, metrics: [], obstacles: [], warnings: [] };
    const { record } = run.result;
    const changes = run.testId === first.testId ? [] : loadChanges(first, run);
    return {
      run,
      label,
      metrics: compareMetrics([first.result.record], record),
      obstacles: [
        ...[first, run].flatMap((one) =>
          one.result.status === 'ready'
            ? []
            : [`${one === first ? 'the earlier run' : 'the later run'} has not ended`],
        ),
        ...findComparisonObstacles(changes, machine, record),
      ],
      warnings: findComparisonWarnings(machine, record, [`run ${labelOf(0)}`, `run ${label}`]),
    };
  });
}

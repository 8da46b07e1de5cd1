/** Several runs beside each other, also of different tests. Pure. */
import type { ObservedTest } from '../model/load-test.ts';
import type { RunResult } from '../model/run.ts';
import { differencesOfLoads } from '../reconcile/load-digest.ts';
import { machineOf, sampleOf } from './regression.ts';
import { cautions, comparedFigures, hindrances, type ComparedFigure } from './side-by-side.ts';

/** A run, with the test that was run. */
export interface RunToCompare {
  readonly test: ObservedTest;
  readonly result: RunResult;
}

export interface RunBeside<Run extends RunToCompare = RunToCompare> {
  readonly run: Run;
  /** `A`, `B`, … in the order of time. */
  readonly letter: string;
  /** Of each figure; of the first run none. */
  readonly figures: readonly ComparedFigure[];
  /** Why its figures and those of the first run say nothing of the target; none: they may be compared. */
  readonly hindrances: readonly string[];
  /** What to know of figures that may be compared. */
  readonly cautions: readonly string[];
}

/** By the rules of `results --compare`, each with the earliest. */
export function besideEachOther<Run extends RunToCompare>(runs: readonly Run[]): readonly RunBeside<Run>[] {
  const sorted = [...runs].sort((a, b) => (a.result.startedAt ?? 0) - (b.result.startedAt ?? 0));
  const [first] = sorted;
  if (first === undefined) return [];
  const machine = machineOf(first.result);
  return sorted.map((run, index) => {
    const letter = String.fromCharCode(65 + index);
    if (run === first) return { run, letter, figures: [], hindrances: [], cautions: [] };
    const changes = run.test.id === first.test.id ? [] : differencesOfLoads(first.test, run.test);
    return {
      ...{ run, letter },
      figures: comparedFigures([sampleOf(first.result)], sampleOf(run.result)),
      hindrances: [
        ...[first, run].flatMap((one) =>
          one.result.status === 'ready'
            ? []
            : [`${one === first ? 'the earlier run' : 'the run'} has not ended`],
        ),
        ...hindrances(changes, machine, run.result),
      ],
      cautions: cautions(machine, run.result),
    };
  });
}

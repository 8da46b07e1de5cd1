/** Runs that are compared: their names in an address, in the order of time, and what speaks against it. */
import type { ResultRecord } from '../../contract/generated/result-record.ts';
import type { TestRecord } from '../../contract/generated/test-record.ts';
import { decodeResult } from '../../contract/result-codec.ts';
import { decodeTestRecord } from '../../contract/test-codec.ts';
import { machineOf, sampleOf } from '../../core/compare/regression.ts';
import {
  cautions,
  comparedFigures,
  hindrances,
  type ComparedFigure,
} from '../../core/compare/side-by-side.ts';
import { differencesOfLoads } from '../../core/reconcile/load-digest.ts';

/** One solid line, and four dashed ones beside it. */
export const MOST_COMPARED = 5;

export interface NamedRun {
  readonly test: string;
  readonly result: string;
}

/** As an address has it. */
export function runName(test: string, result: string): string {
  return `${test}:${result}`;
}

/** Null: it is no name of a run. */
export function readRunName(text: string): NamedRun | null {
  const [test = '', result = '', ...more] = text.split(':');
  return test === '' || result === '' || more.length > 0 ? null : { test, result };
}

/** A run, with the test that was run. */
export interface RunToCompare extends NamedRun {
  readonly record: ResultRecord;
  readonly of: TestRecord;
}

export interface RunBeside {
  readonly run: RunToCompare;
  /** `A`, `B`, … in the order of time. */
  readonly letter: string;
  /** Of each figure; of the first run none. */
  readonly figures: readonly ComparedFigure[];
  /** Why its figures and those of the first run say nothing of the target; none: they may be compared. */
  readonly hindrances: readonly string[];
  /** What to know of figures that may be compared. */
  readonly cautions: readonly string[];
}

/**
 * By the rules of `results --compare`, each with the earliest.
 *
 * Errors: UnusableAnswer where one is no record.
 */
export function besideEachOther(runs: readonly RunToCompare[]): readonly RunBeside[] {
  const sorted = [...runs].sort((a, b) => startOf(a) - startOf(b));
  const [first] = sorted;
  if (first === undefined) return [];
  const [before, load] = [decodeResult(first.record), decodeTestRecord(first.of)];
  return sorted.map((run, index) => {
    const letter = String.fromCharCode(65 + index);
    if (run === first) return { run, letter, figures: [], hindrances: [], cautions: [] };
    const now = decodeResult(run.record);
    const changes = run.test === first.test ? [] : differencesOfLoads(load, decodeTestRecord(run.of));
    const machine = machineOf(before);
    return {
      ...{ run, letter },
      figures: comparedFigures([sampleOf(before)], sampleOf(now)),
      hindrances: [
        ...[before, now].flatMap(({ status }, side) =>
          status === 'ready' ? [] : [`${side === 0 ? 'the earlier run' : 'the run'} has not ended`],
        ),
        ...hindrances(changes, machine, now),
      ],
      cautions: cautions(machine, now),
    };
  });
}

function startOf({ record }: RunToCompare): number {
  const at = Date.parse(record.started_at ?? '');
  return Number.isNaN(at) ? 0 : at;
}

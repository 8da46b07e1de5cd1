/**
 * The tests of a report with their runs, in the same form for all commands, for reporters that display runs.
 */
import type { Json } from '../canonical.ts';
import { counted } from '../counted.ts';
import { keyOfAddress } from '../model/ids.ts';
import { objectOf } from '../unknown-value.ts';
import type {
  DoneAction,
  PastRun,
  PlannedAction,
  Report,
  Run,
  Source,
  TestLoad,
} from './generated/documents.ts';
import { numberOf } from './record.ts';

export type ReportedRun = Run | PastRun;

export interface ReportedTest {
  readonly key: string;
  /** The action of `plan`, `apply` or `run`; null if there is none for this test. */
  readonly action: PlannedAction | DoneAction | null;
  /** In the order of the report: by their end, and past runs newest first. */
  readonly runs: readonly ReportedRun[];
  /** The declared load; null if the test is not in the file, or its load is unknown. */
  readonly load: TestLoad | null;
  /** Location in the file; empty if the test is not in the file. */
  readonly source: Source;
}

/** Returns the tests in the order of the report; empty if the command ended before it read the tests. */
export function reportedTestsOf(report: Report): readonly ReportedTest[] {
  if ('tests' in report && report.command === 'results') {
    return report.tests.map(({ address, results, load, source }) => ({
      key: keyOfAddress(address),
      action: null,
      runs: results ?? [],
      load: load ?? null,
      source: source ?? {},
    }));
  }
  if (!('actions' in report)) return [];
  const runs = 'runs' in report ? report.runs : [];
  // Tests that were removed from the file are stopped and have no verdict.
  const acted = report.actions.filter(({ address, verb }) => address.startsWith('test.') && verb !== 'stop');
  const addresses = new Set([...acted, ...runs].map(({ address }) => address));
  return [...addresses].map((address) => {
    const action = acted.find((one) => one.address === address) ?? null;
    const own = runs.filter((one) => one.address === address);
    return {
      key: keyOfAddress(address),
      action,
      runs: own,
      load: own[0]?.load ?? action?.load ?? null,
      source: own[0]?.source ?? action?.source ?? {},
    };
  });
}

/**
 * Returns the runs that determine the current verdict. For past runs this is the latest completed run, or
 * else the active one: an earlier failure is not a current failure.
 */
export function selectEvaluatedRuns({ runs }: ReportedTest, { command }: Report): readonly ReportedRun[] {
  if (command !== 'results') return runs;
  const ended = runs.find(({ state }) => state === 'ended') ?? runs[0];
  return ended === undefined ? [] : [ended];
}

/** Returns the duration of a run in seconds; null if the record does not contain it. */
export function secondsOf({ result }: ReportedRun): number | null {
  const elapsed = numberOf(result?.['elapsed_ms']);
  if (elapsed !== null) return elapsed / 1000;
  const entries = result?.['timeline'];
  const last = objectOf(Array.isArray(entries) ? (entries.at(-1) as Json | undefined) : undefined); // a list of JSON
  const start = numberOf(last['second']);
  return start === null ? null : start + (numberOf(last['span']) ?? 1);
}

/** Returns `loadtests 0.1.0, 4 threads`; null if the record does not contain it. */
export function generatorSummary({ result }: ReportedRun): string | null {
  const { version, threads } = objectOf(result?.['generator']);
  if (typeof version !== 'string') return null;
  const count = numberOf(threads);
  return `loadtests ${version}${count === null ? '' : `, ${counted(count, 'thread')}`}`;
}

/** What a report tells of tests, test by test: the same for every command, for reporters that show runs. */
import type { Json } from '../canonical.ts';
import { counted } from '../counted.ts';
import { keyOfAddress } from '../model/ids.ts';
import type {
  DoneAction,
  PastRun,
  PlannedAction,
  Report,
  Run,
  Source,
  TestLoad,
} from './generated/documents.ts';
import { numberOf, objectOf } from './record.ts';

export type ReportedRun = Run | PastRun;

export interface ReportedTest {
  readonly key: string;
  /** Of `plan`, `apply` and `run`; null where they have none for it. */
  readonly action: PlannedAction | DoneAction | null;
  /** In the order of the report: as they ended, and of past ones the newest first. */
  readonly runs: readonly ReportedRun[];
  /** What the file declares; null where it does not, or where nothing is known of it. */
  readonly load: TestLoad | null;
  /** Its place in the file; empty where it has none. */
  readonly source: Source;
}

/** In the order of the report; none where a command ended before it knew of tests. */
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
  // What left the file is stopped, and tested by nobody.
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
 * The runs that count now: of past ones the last that has ended, or that goes on where none has. A failure of last month
 * is no failure of today.
 */
export function selectEvaluatedRuns({ runs }: ReportedTest, { command }: Report): readonly ReportedRun[] {
  if (command !== 'results') return runs;
  const ended = runs.find(({ state }) => state === 'ended') ?? runs[0];
  return ended === undefined ? [] : [ended];
}

/** What a run took, in seconds; null where the record does not tell. */
export function secondsOf({ result }: ReportedRun): number | null {
  const elapsed = numberOf(result?.['elapsed_ms']);
  if (elapsed !== null) return elapsed / 1000;
  const entries = result?.['timeline'];
  const last = objectOf(Array.isArray(entries) ? (entries.at(-1) as Json | undefined) : undefined); // a list of JSON
  const begun = numberOf(last['second']);
  return begun === null ? null : begun + (numberOf(last['span']) ?? 1);
}

/** `loadtests 0.1.0, 4 threads`; null where the record does not tell. */
export function generatorSummary({ result }: ReportedRun): string | null {
  const { version, threads } = objectOf(result?.['generator']);
  if (typeof version !== 'string') return null;
  const count = numberOf(threads);
  return `loadtests ${version}${count === null ? '' : `, ${counted(count, 'thread')}`}`;
}

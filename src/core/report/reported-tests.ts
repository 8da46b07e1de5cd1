/** The tests in a report with their runs, in the same form for all commands. */
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
import { readRunRecord } from '../run-record/read-record.ts';
import type { RunRecord } from '../run-record/run-record.ts';

export type ReportedRun = (Run | PastRun) & { readonly record: RunRecord };

export interface ReportedTest {
  readonly key: string;
  /** The action of `plan`, `apply` or `run` for this test; null if there is none. */
  readonly action: PlannedAction | DoneAction | null;
  /** Runs in report order: completed runs by end time, past runs newest first. */
  readonly runs: readonly ReportedRun[];
  /** The declared load; null if the test is not in the file, or its load is unknown. */
  readonly load: TestLoad | null;
  /** Location in the file; empty if the test is not in the file. */
  readonly source: Source;
}

/** Returns the tests in the order of the report; empty if the report contains none. */
export function reportedTestsOf(report: Report): readonly ReportedTest[] {
  if ('tests' in report && report.command === 'results') {
    return report.tests.map(({ address, results, load, source }) => ({
      key: keyOfAddress(address),
      action: null,
      runs: (results ?? []).map(toReportedRun),
      load: load ?? null,
      source: source ?? {},
    }));
  }
  if ('projects' in report)
    return report.projects.flatMap((project) =>
      reportedTestsOf(project.report).map((test) => ({
        ...test,
        key: `${nameOfProject(project)}/${test.key}`,
      })),
    );
  if (!('actions' in report)) return [];
  const runs = 'runs' in report ? report.runs : [];
  // Excludes stop actions, because they apply to tests without a verdict: removed tests and earlier versions.
  const acted = report.actions.filter(({ address, verb }) => address.startsWith('test.') && verb !== 'stop');
  const addresses = new Set([...acted, ...runs].map(({ address }) => address));
  return [...addresses].map((address) => {
    const action = acted.find((one) => one.address === address) ?? null;
    const own = runs.filter((one) => one.address === address);
    return {
      key: keyOfAddress(address),
      action,
      runs: own.map(toReportedRun),
      load: own[0]?.load ?? action?.load ?? null,
      source: own[0]?.source ?? action?.source ?? {},
    };
  });
}

/** Returns the name of a project in a report on several files, or the path of its file if the name is unknown. */
export function nameOfProject({ file, report }: { readonly file: string; readonly report: Report }): string {
  return ('project' in report ? report.project : null) ?? file;
}

export function toReportedRun<T extends Run | PastRun>(run: T): T & { readonly record: RunRecord } {
  return { ...run, record: readRunRecord(run.result) };
}

/** For `results`, returns only the latest completed run or, without one, the active run; otherwise, all runs. */
export function selectEvaluatedRuns({ runs }: ReportedTest, { command }: Report): readonly ReportedRun[] {
  if (command !== 'results') return runs;
  const ended = runs.find(({ state }) => state === 'ended') ?? runs[0];
  return ended === undefined ? [] : [ended];
}

/** Returns the duration of a run in seconds; null if the record does not contain it. */
export function secondsOf({ record: { elapsed, timeline } }: ReportedRun): number | null {
  if (elapsed !== null) return elapsed / 1000;
  const last = timeline?.at(-1);
  return last === undefined ? null : last.second + last.span;
}

/** Returns a summary of the load generator, such as `loadtests 0.1.0, 4 threads`; null if the record has no version. */
export function generatorSummary({ record }: ReportedRun): string | null {
  const { version = null, threads = null } = record.generator ?? {};
  if (version === null) return null;
  return `loadtests ${version}${threads === null ? '' : `, ${counted(threads, 'thread')}`}`;
}

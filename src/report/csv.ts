/** CSV reporter: the time series of runs. */
import type { Report } from '../core/report/generated/documents.ts';
import { reportedTestsOf, type ReportedRun } from '../core/report/reported-tests.ts';
import { timelineCsv } from '../core/report/timeline-csv.ts';

export function toCsv(report: Report): string {
  return timelineCsv(
    reportedTestsOf(report).flatMap(({ key, runs }) =>
      runs.map((run) => ({
        key,
        id: run.result_id,
        startedAt: startOf(run),
        timeline: run.result?.['timeline'],
      })),
    ),
  );
}

function startOf({ record, started_at: startedAt }: ReportedRun): string | null {
  return record.loadStartedAt === null ? startedAt : new Date(record.loadStartedAt).toISOString();
}

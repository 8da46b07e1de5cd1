/** Report of one run, with the same structure as a report of `results`. */
import { readStoredResult } from '../../contract/result-codec.ts';
import type { NamedRun } from '../../core/compare/run-names.ts';
import { testKey } from '../../core/model/ids.ts';
import { createReport } from '../../core/report/command-report.ts';
import type { Report } from '../../core/report/generated/documents.ts';
import { recordedResults } from '../../core/report/past-results.ts';
import { testLoad } from '../../core/report/plan-document.ts';
import { notFound } from '../refusal.ts';
import type { ComparisonDeps } from './comparison.ts';

/** @throws Refusal 404 if the test or run does not exist. */
export function readRunReport(
  { results, tests, labels }: ComparisonDeps,
  { test: id, result: resultId }: NamedRun,
  service: string,
): Report {
  const [test, run] = [tests.get(id), results.get(id, resultId)];
  if (test === null || run === null) throw notFound();
  const label = labels.get(id);
  const name = label?.key ?? label?.title ?? id;
  return createReport('results', {
    exitCode: 0,
    problems: [],
    body: {
      command: 'results',
      project: label?.project ?? null,
      environment: label?.environment ?? null,
      service,
      tests: [
        recordedResults({ key: testKey(name), testId: id, load: testLoad(test) }, readStoredResult(run)),
      ],
    },
  });
}

/** The runs of a report, as its page shows them: one section each. */
import { counted } from '../core/counted.ts';
import { formatInstant } from '../core/instant.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import type { Comparison, PastRun, Report, Run, TestLoad } from '../core/report/generated/documents.ts';
import { loadText } from '../core/report/load-text.ts';
import type { Chart } from './chart.ts';
import { runCharts } from './run-charts.ts';

export interface ShownRun {
  /** Of its section. */
  readonly id: string;
  /** Key of the test. */
  readonly name: string;
  readonly run: Run | PastRun;
  /** What is known of it in a line: when it was, and under which load. */
  readonly about: readonly string[];
  readonly charts: readonly Chart[];
  /** All runs of the test that the report has, this one included; none where it has only this one. */
  readonly history: readonly PastRun[];
}

/** The newest run of a test beside another one, or beside its baseline. */
export interface ShownComparison {
  readonly comparison: Comparison;
  /** The newest run, and the other one where it is one. */
  readonly runs: readonly ShownRun[];
  /** Both runs in one; none with a baseline, of which there is no record by the second. */
  readonly charts: readonly Chart[];
}

/** Null where nothing is compared. */
export function shownComparison(report: Report): ShownComparison | null {
  if (!('comparison' in report)) return null;
  const { comparison, tests } = report;
  const [test] = tests;
  const [now, before] = test?.results ?? [];
  if (test === undefined || now === undefined) return { comparison, runs: [], charts: [] };
  const [name, loaded] = [keyOfAddress(test.address), test.load?.seconds ?? null];
  const newest = { ...sectionIdOf(0), run: now, about: runFactsOf(now, test.load), history: [] };
  if (comparison.with === 'baseline' || before === undefined) {
    return { comparison, runs: [{ ...newest, name, ...toDrawnRun(0, now, test.load) }], charts: [] };
  }
  // What is declared now may not be the load of both.
  const earlier = { ...sectionIdOf(1), run: before, about: timeOf(before), history: [] };
  return {
    comparison,
    runs: [
      { ...newest, name, about: ['now', ...newest.about], charts: [] },
      { ...earlier, name: `${name} before`, charts: [] },
    ],
    charts: runCharts('compared', { name: 'now', record: now.result, loaded }, [
      { name: 'before', record: before.result, loaded },
    ]),
  };
}

/** Of each test the newest run that the report has. */
export function shownRuns(report: Report): readonly ShownRun[] {
  if ('runs' in report) {
    return report.runs.map((run, index) => {
      const about = [
        ...runFactsOf(run, run.load),
        ...(run.round === undefined ? [] : [`round ${run.round}`]),
        ...(run.started_by_us ? [] : ['not started by this command']),
      ];
      return {
        ...sectionIdOf(index),
        name: keyOfAddress(run.address),
        run,
        about,
        ...toDrawnRun(index, run, run.load),
        history: [],
      };
    });
  }
  if (report.command !== 'results' || !('tests' in report)) return [];
  return report.tests.flatMap(({ address, results, load }, index) => {
    const [run] = results ?? [];
    if (run === undefined) return [];
    const history = results !== null && results.length > 1 ? results : [];
    const name = keyOfAddress(address);
    return [
      {
        ...sectionIdOf(index),
        name,
        run,
        about: runFactsOf(run, load),
        ...toDrawnRun(index, run, load),
        history,
      },
    ];
  });
}

/** `2026-11-20 14:02:05 UTC`; none where nobody knows. */
export function timeOf({ started_at: startedAt }: Pick<PastRun, 'started_at'>): readonly string[] {
  const at = startedAt === null ? Number.NaN : Date.parse(startedAt);
  return Number.isNaN(at) ? [] : [`${formatInstant(at)} UTC`];
}

function runFactsOf(run: Run | PastRun, load: TestLoad | undefined): readonly string[] {
  return [...timeOf(run), ...(load === undefined ? [] : [loadText(load)])];
}

/** What the page begins with: `1 of 3 tests failed`. */
export function headline(runs: readonly ShownRun[], report: Report): string {
  const count = (verdict: Run['verdict']) => runs.filter(({ run }) => run.verdict === verdict).length;
  const [first] = runs;
  const errors = report.problems.filter(({ severity }) => severity === 'error').length;
  if (first === undefined)
    return errors > 0 ? `Nothing was run: ${counted(errors, 'error')}` : 'Nothing was run';
  // A test that was repeated has several.
  const noun = new Set(runs.map(({ name }) => name)).size === runs.length ? 'test' : 'run';
  const running = runs.filter(({ run }) => run.state === 'running').length;
  const of = (verdict: Run['verdict'], what: string): string =>
    runs.length === 1
      ? `${first.name} ${what}`
      : `${count(verdict)} of ${counted(runs.length, noun)} ${what}`;
  if (count('fail') > 0) return of('fail', 'failed');
  if (count('inconclusive') > 0)
    return of('inconclusive', runs.length === 1 ? 'is inconclusive' : 'inconclusive');
  if (running > 0)
    return running === 1 ? '1 test is still running' : `${counted(running, 'test')} are still running`;
  if (count('pass') > 0) return of('pass', 'passed');
  return runs.length === 1 ? `${first.name}: no verdict` : `${counted(runs.length, noun)}, no verdict`;
}

function sectionIdOf(index: number): { readonly id: string } {
  return { id: `run-${index + 1}` };
}

function toDrawnRun(
  index: number,
  { result: record }: Run | PastRun,
  load: TestLoad | undefined,
): Pick<ShownRun, 'charts'> {
  return { charts: runCharts(sectionIdOf(index).id, { name: 'now', record, loaded: load?.seconds ?? null }) };
}

/** Converts the runs in a report to the sections of the HTML report, one per run. */
import { counted, withCommas } from '../core/counted.ts';
import { timeText } from '../core/instant.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import type { Comparison, PastRun, Report, Run, TestLoad } from '../core/report/generated/documents.ts';
import { loadText } from '../core/report/load-text.ts';
import { planHeadline } from '../core/report/plan-items.ts';
import { nameOfProject, toReportedRun, type ReportedRun } from '../core/report/reported-tests.ts';
import { thresholdLabels } from '../core/report/threshold-text.ts';
import { verdictReason } from '../core/report/verdict-sentence.ts';
import { readRunRecord } from '../core/run-record/read-record.ts';
import type { RunRecord } from '../core/run-record/run-record.ts';
import { chartChange, type Chart, type ChartChange } from './chart.ts';
import { runCharts, runOfUrl } from './run-charts.ts';

export interface ShownRun {
  readonly id: string;
  /** Path of the configuration file in a report on several files; absent in other reports. */
  readonly file?: string;
  /** Key of the test, preceded by the name of its project in a report on several files. */
  readonly name: string;
  readonly run: Omit<PastRun, 'result' | 'result_id' | 'started_at'>;
  readonly record: RunRecord;
  /** Facts about the run in one line, such as its start time and load. */
  readonly about: readonly string[];
  readonly charts: readonly Chart[];
  /** Charts of each URL that has a timeline, as changes to the charts of the run; empty for other URLs. */
  readonly urlCharts: readonly (readonly ChartChange[])[];
  /** All runs of the test in the report, including this run; empty if this run is the only one. */
  readonly history: readonly ReportedRun[];
}

export interface ShownComparison {
  readonly comparison: Comparison;
  /** The newest run, followed by the earlier run if the comparison contains it. */
  readonly runs: readonly ShownRun[];
  /** Charts with both runs; empty for a baseline, which has no timeline. */
  readonly charts: readonly Chart[];
}

export function shownComparison(report: Report): ShownComparison | null {
  if (!('comparison' in report)) return null;
  const { comparison, tests } = report;
  const [test] = tests;
  const [newestRun, earlierRun] = test?.results ?? [];
  if (test === undefined || newestRun === undefined) return { comparison, runs: [], charts: [] };
  const [name, loadSeconds] = [keyOfAddress(test.address), test.load?.seconds ?? null];
  const newest = { ...sectionOf(0, newestRun), about: runFactsOf(newestRun, test.load), history: [] };
  if (comparison.with === 'baseline' || earlierRun === undefined) {
    return { comparison, runs: [{ ...newest, name, ...chartsOf(newest, test.load) }], charts: [] };
  }
  // The facts about the earlier run do not include the declared load, because that run may have had a different load.
  const earlier = { ...sectionOf(1, earlierRun), about: timeOf(earlierRun), history: [] };
  return {
    comparison,
    runs: [
      { ...newest, name, about: ['now', ...newest.about], charts: [], urlCharts: [] },
      { ...earlier, name: `${name} before`, charts: [], urlCharts: [] },
    ],
    charts: runCharts('compared', { name: 'now', record: newest.record, loadSeconds }, [
      { name: 'before', record: earlier.record, loadSeconds },
    ]),
  };
}

/**
 * Returns all runs in a report of `apply` or `run`, or the newest run of each test in a report of `results`.
 *
 * @param prefix - Start of the ids of the sections.
 */
export function shownRuns(report: Report, prefix = ''): readonly ShownRun[] {
  if ('projects' in report) {
    return report.projects.flatMap((project, index) =>
      shownRuns(project.report, `project-${index + 1}-`).map((shown) => ({
        ...shown,
        file: project.file,
        name: `${nameOfProject(project)}/${shown.name}`,
      })),
    );
  }
  if ('runs' in report) {
    return report.runs.map((run, index) => {
      const about = [
        ...runFactsOf(run, run.load),
        ...(run.round === undefined ? [] : [`round ${run.round}`]),
        ...(run.started_by_us ? [] : ['not started by this command']),
      ];
      const section = sectionOf(index, run, prefix);
      const charts = chartsOf(section, run.load);
      return { ...section, ...charts, name: keyOfAddress(run.address), about, history: [] };
    });
  }
  if (report.command !== 'results' || !('tests' in report)) return [];
  return report.tests.flatMap(({ address, results, load }, index) => {
    const [run] = results ?? [];
    if (run === undefined) return [];
    const history = results !== null && results.length > 1 ? results.map(toReportedRun) : [];
    const section = sectionOf(index, run);
    const charts = chartsOf(section, load);
    return [{ ...section, ...charts, name: keyOfAddress(address), about: runFactsOf(run, load), history }];
  });
}

/**
 * Returns a list with the start time, such as `2026-11-20 14:02:05 UTC`; an empty list if the start time is null or
 * invalid.
 */
export function timeOf({ started_at: startedAt }: Pick<PastRun, 'started_at'>): readonly string[] {
  const at = startedAt === null ? Number.NaN : Date.parse(startedAt);
  return Number.isNaN(at) ? [] : [timeText(at)];
}

function runFactsOf(run: Run | PastRun, load: TestLoad | undefined): readonly string[] {
  return [...timeOf(run), ...(load === undefined ? [] : [loadText(load)])];
}

/** Returns the heading of the report, such as `1 of 3 tests failed`. */
export function headline(runs: readonly ShownRun[], report: Report): string {
  if (report.command === 'plan' && 'changes' in report) return capitalized(planHeadline(report));
  if ('projects' in report && runs.length === 0) return counted(report.projects.length, 'project');
  const count = (verdict: Run['verdict']) => runs.filter(({ run }) => run.verdict === verdict).length;
  const [first] = runs;
  const errors = report.problems.filter(({ severity }) => severity === 'error').length;
  if (first === undefined) {
    const nothing = report.command === 'results' ? 'There are no results' : 'No tests were run';
    return errors > 0 ? `${nothing}: ${counted(errors, 'error')}` : nothing;
  }
  // With --repeat, a test can have several runs; the heading then counts runs instead of tests.
  const noun = new Set(runs.map(({ name }) => name)).size === runs.length ? 'test' : 'run';
  const running = runs.filter(({ run }) => run.state === 'running').length;
  const textFor = (verdict: Run['verdict'], outcome: string): string =>
    runs.length === 1
      ? `${first.name} ${outcome}`
      : `${count(verdict)} of ${counted(runs.length, noun)} ${outcome}`;
  if (count('fail') > 0) {
    const undecided = count('inconclusive');
    return `${textFor('fail', 'failed')}${undecided === 0 ? '' : `, ${withCommas(undecided)} inconclusive`}`;
  }
  if (count('inconclusive') > 0)
    return textFor('inconclusive', runs.length === 1 ? 'is inconclusive' : 'inconclusive');
  if (running > 0) return `${counted(running, noun)} ${running === 1 ? 'is' : 'are'} still running`;
  if (count('pass') > 0) return textFor('pass', 'passed');
  return runs.length === 1 ? `${first.name}: no verdict` : `${counted(runs.length, noun)}, no verdict`;
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Returns the title of the document: the heading, and, if the report covers a single ended run, the reason. */
export function pageTitle(report: Report, runs: readonly ShownRun[]): string {
  const [first] = runs;
  const reason =
    runs.length === 1 && first?.run.state === 'ended'
      ? verdictReason({ ...first.run, record: first.record })
      : null;
  return `${headline(runs, report)}${reason === null ? '' : `: ${reason}`} · ${titleElements(report).join(' · ')}`;
}

/** Returns the parts of `loadtests apply · project shop · env staging · api.example.com`. */
export function titleElements(report: Report): readonly string[] {
  const parts = [`loadtests ${report.command}`];
  if ('project' in report && report.project !== null) parts.push(`project ${report.project}`);
  if ('environment' in report && report.environment !== null) parts.push(`env ${report.environment}`);
  if ('service' in report && typeof report.service === 'string')
    parts.push(report.service.replace(/^https?:\/\//, ''));
  return parts;
}

function sectionOf(index: number, run: Run | PastRun, prefix = ''): Pick<ShownRun, 'id' | 'run' | 'record'> {
  return { id: `${prefix}run-${index + 1}`, run, record: readRunRecord(run.result) };
}

function chartsOf(
  { id, record, run: { thresholds, url_names: names } }: Pick<ShownRun, 'id' | 'record' | 'run'>,
  load: TestLoad | undefined,
): Pick<ShownRun, 'charts' | 'urlCharts'> {
  const drawn = { name: 'now', record, loadSeconds: load?.seconds ?? null, load: load ?? null, thresholds };
  const charts = runCharts(id, drawn);
  const urlCharts = thresholdLabels(record, names).map((label, index) => {
    const ofUrl = runOfUrl(drawn, label, index);
    if (ofUrl === drawn) return [];
    return runCharts(id, ofUrl).flatMap((chart) =>
      charts.filter((whole) => whole.id === chart.id).map((whole) => chartChange(whole, chart)),
    );
  });
  return { charts, urlCharts };
}

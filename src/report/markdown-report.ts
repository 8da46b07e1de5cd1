/** Markdown reporter for job summaries and comments. */
import { metricText } from '../core/model/metric-text.ts';
import { counted, countText } from '../core/counted.ts';
import { timeText } from '../core/instant.ts';
import type {
  Comparison,
  DoneAction,
  EvaluatedThreshold,
  Load,
  Origin,
  Problem,
  Report,
} from '../core/report/generated/documents.ts';
import { APPLY_INTRODUCTION, originText } from '../core/report/origin-text.ts';
import { outcomeText, thresholdGroups, thresholdText } from '../core/report/threshold-text.ts';
import { asProjects, problemsOfCommand } from '../core/report/several-projects.ts';
import { verdictNote, verdictSentence } from '../core/report/verdict-sentence.ts';
import {
  selectEvaluatedRuns,
  reportedTestsOf,
  type ReportedRun,
  type ReportedTest,
} from '../core/report/reported-tests.ts';
import {
  boundText,
  rateText,
  detailLines,
  FLOW_COLUMNS,
  flowRows,
  GROUP_COLUMNS,
  groupRows,
  type UrlRow,
  URL_COLUMNS,
  urlRows,
} from '../core/report/result-text.ts';
import { workerLines } from '../core/report/worker-text.ts';
import { hasMinimumCounts } from '../core/run-record/run-record.ts';
import { comparisonSideText, comparedMetricRows } from '../core/report/compared-metric-rows.ts';
import {
  codeSpan,
  collapsibleSection,
  listSection,
  joinSections,
  paragraphSection,
  tableSection,
  escapeText,
  htmlText,
  messageText,
  type MarkdownSection,
} from './markdown-builder.ts';
import { locationsAt, type Locations } from './markdown-location.ts';
import { projectsMarkdown, type ProjectPart } from './markdown-projects.ts';
import { dangerSections, planSections, totalLoadText } from './markdown-plan.ts';
import { planHeadline } from '../core/report/plan-items.ts';

/** Maximum length of a report, which is below GitHub's limit for a comment, 65,536 characters. */
const MAX_CHARACTERS = 65_000;

export function toMarkdown(report: Report): string {
  const origin = 'origin' in report ? report.origin : undefined;
  const footer = originLine(origin, report.command);
  const projects = asProjects(report);
  const length = MAX_CHARACTERS - footer.length;
  const text =
    projects === null
      ? markdownOf(report, { origin, maxLength: length, part: null })
      : projectsMarkdown(projects, {
          maxLength: length,
          problems: problemLines(problemsOfCommand(projects), locationsAt(origin)),
          render: (one, part, maxLength) => markdownOf(one, { origin, maxLength, part }),
        });
  return footer === '' ? text : `${text}\n${footer}`;
}

/**
 * Returns a report, or a section of a report on several files, as Markdown.
 * @param options.part - Section of a report on several files; null for a report on one file.
 */
function markdownOf(
  report: Report,
  options: {
    readonly origin: Origin | undefined;
    readonly maxLength: number;
    readonly part: ProjectPart | null;
  },
): string {
  const { origin, maxLength, part } = options;
  const tests = reportedTestsOf(report);
  const at = locationsAt(origin);
  const thresholds = unmetThresholds(tests, report, at);
  // Omits the problems of failed thresholds if the thresholds section reports the thresholds.
  const problems = report.problems.filter(
    ({ code: name }) => thresholds.length === 0 || name !== 'LT_RUN_THRESHOLD',
  );
  const executed = 'load' in report && 'runs' in report ? report : null;
  return joinSections(
    [
      paragraphSection(`${part?.heading ?? '### loadtests'}${headingOf(tests, report, part !== null)}`),
      ...(report.command === 'plan' && 'changes' in report && part?.omitsDangers !== true
        ? dangerSections(report)
        : []),
      ...sentenceSections(tests, report),
      ...thresholds,
      ...problemSections(problems, 'error', { at, fold: false }),
      ...runSections(tests),
      ...('comparison' in report ? comparisonSections(report.comparison) : []),
      ...('environments' in report ? validationSections(report.environments) : []),
      ...(report.command === 'plan' && 'changes' in report ? planSections(report, at) : []),
      ...(executed === null ? [] : actionSections(executed.actions)),
      ...(executed === null ? [] : loadSections(executed.load)),
      ...problemSections(problems, 'warning', { at, fold: report.command === 'plan' || 'runs' in report }),
      ...tests.flatMap((test) => detailSections(test, report, at)),
    ],
    maxLength,
  );
}

/** Returns the rest of the heading, such as `: 2 tests failed · project shop`. */
function headingOf(tests: readonly ReportedTest[], report: Report, isPart: boolean): string {
  const command = report.command === 'plan' || isPart ? '' : ` ${escapeText(report.command)}`;
  return `${command}: ${outcomeWords(tests, report)}${titleEnd(report)}`;
}

function outcomeWords(tests: readonly ReportedTest[], report: Report): string {
  const { exit_code: code } = report;
  const plan = report.command === 'plan' && 'changes' in report ? planHeadline(report) : null;
  const words = EXIT_CODE_WORDS.get(code);
  if (plan !== null) return words === undefined ? plan : `${plan}; ${words}`;
  const verdicts = verdictsText(tests, report);
  if (verdicts !== '' && (code === 0 || words === undefined || code === 10 || code === 11)) return verdicts;
  const outcome = words ?? 'done';
  return verdicts === '' ? outcome : `${outcome}; ${verdicts}`;
}

function comparisonSections(comparison: Comparison): readonly MarkdownSection[] {
  const rows = comparedMetricRows(comparison).map((row) => row.map((cell) => escapeText(cell)));
  return [
    paragraphSection(`Compared with ${escapeText(comparisonSideText(comparison))}:`),
    tableSection('metrics', ['metric', 'before', 'now', 'change'], rows),
  ];
}

/**
 * Descriptions of exit codes. Exit code 2, a plan with changes, is missing, because `planHeadline` describes that plan.
 */
const EXIT_CODE_WORDS: ReadonlyMap<number, string> = new Map([
  [1, 'unexpected error'],
  [3, 'the command line or the file is invalid'],
  [4, 'the API key is missing or was rejected'],
  [5, 'the saved plan is stale'],
  [6, 'approval is required'],
  [7, 'some actions failed'],
  [8, 'the outcome of a request is unknown'],
  [9, 'a timeout expired, or a service is unavailable'],
  [10, 'a threshold failed'],
  [11, 'no verdict'],
  [12, 'a limit is exceeded, or an action is blocked'],
  [13, '--fail-on rejects a change'],
  [129, 'interrupted'],
  [130, 'interrupted'],
  [143, 'interrupted'],
]);

function titleEnd(report: Report): string {
  if (!('project' in report) || report.project === null) return '';
  const environment =
    'environment' in report && report.environment !== null ? ` · ${escapeText(report.environment)}` : '';
  const service =
    'service' in report && report.service !== 'embedded'
      ? ` · ${escapeText(report.service.replace(/^https?:\/\//, ''))}`
      : '';
  return ` · project ${escapeText(report.project)}${environment}${service}`;
}

const VERDICT_SYMBOLS = { pass: '✓', fail: '✗', inconclusive: '?', none: '·' } as const;

/** Formats the counts of verdicts, such as `1 test failed, 2 passed`. */
function verdictsText(tests: readonly ReportedTest[], report: Report): string {
  const runs = tests.flatMap((test) => selectEvaluatedRuns(test, report));
  const labels = [
    ['fail', 'failed'],
    ['inconclusive', 'inconclusive'],
    ['pass', 'passed'],
    ['none', 'without a verdict'],
  ] as const;
  const noun = new Set(tests.map(({ key }) => key)).size < runs.length ? 'run' : 'test';
  const lacking = report.command === 'results' ? tests.filter((test) => test.runs.length === 0).length : 0;
  return [
    ...labels.map(([verdict, label]) => ({
      count: runs.filter((run) => run.verdict === verdict).length,
      label,
    })),
    { count: lacking, label: 'without results' },
  ]
    .filter(({ count }) => count > 0)
    .map(({ count, label }, index) => `${index === 0 ? counted(count, noun) : count} ${label}`)
    .join(', ');
}

function sentenceSections(tests: readonly ReportedTest[], report: Report): readonly MarkdownSection[] {
  const lines = tests.flatMap((test) =>
    selectEvaluatedRuns(test, report)
      .filter(({ verdict, state }) => state === 'ended' && (verdict === 'fail' || verdict === 'inconclusive'))
      .map((run) => `${codeSpan(test.key)} ${escapeText(verdictSentence(run))}`),
  );
  return lines.length === 0 ? [] : [listSection('runs', lines)];
}

function unmetThresholds(
  tests: readonly ReportedTest[],
  report: Report,
  at: Locations,
): readonly MarkdownSection[] {
  const lines = (['fail', 'inconclusive'] as const).flatMap((verdict) =>
    tests.flatMap((test) =>
      selectEvaluatedRuns(test, report).flatMap((run) =>
        run.thresholds
          .filter((one) => one.verdict === verdict)
          .map((one) => thresholdLine(test, run, { threshold: one, at })),
      ),
    ),
  );
  if (lines.length === 0) return [];
  const title = `${counted(lines.length, 'threshold')} failed or inconclusive`;
  return [collapsibleSection(title, listSection('thresholds', lines))];
}

function thresholdLine(
  { key, source }: ReportedTest,
  run: ReportedRun,
  { threshold, at }: { readonly threshold: EvaluatedThreshold; readonly at: Locations },
): string {
  const symbol = VERDICT_SYMBOLS[threshold.verdict];
  const bold = threshold.verdict === 'fail' ? `**${symbol}**` : symbol;
  const place = at.markdown(threshold.source ?? source);
  const location = place === '' ? '' : ` (${place})`;
  return `${bold} ${codeSpan(key)} ${codeSpan(thresholdText(threshold))}: ${escapeText(outcomeText(threshold, run))}${location}`;
}

const RUN_COLUMNS = ['run', 'verdict', 'requests', 'failed', 'per second', 'p50', 'p95', 'p99'];

function runSections(tests: readonly ReportedTest[]): readonly MarkdownSection[] {
  const rows = tests.flatMap(({ key, runs }) => runs.map((run) => runRow(key, run)));
  return rows.length === 0 ? [] : [tableSection('runs', RUN_COLUMNS, rows)];
}

function runRow(key: string, run: ReportedRun): readonly string[] {
  const { verdict, metrics, record } = run;
  // For ended runs, other sections state the reason for a failed or inconclusive run.
  const reason = verdict === 'fail' || verdict === 'inconclusive' ? null : run.reason;
  const outcome = `${VERDICT_SYMBOLS[verdict]} ${verdict === 'fail' ? '**fail**' : verdict}`;
  const kinds = [metrics?.error, metrics?.timeout_error, metrics?.network_error];
  const failed = kinds.every((count) => count === undefined)
    ? ''
    : countText(
        kinds.reduce<number>((sum, count) => sum + (count ?? 0), 0),
        hasMinimumCounts(record) || kinds.includes(undefined),
      );
  const omitted = record.omitted ?? 0;
  const time = (metric: 'p50' | 'p95' | 'p99') =>
    metrics?.[metric] === undefined ? '' : escapeText(boundText(metric, metrics[metric], record));
  return [
    `${codeSpan(key)}${whenText(run)}`,
    reason === null ? outcome : `${outcome}: ${escapeText(reason)}`,
    metrics?.requests === undefined ? '' : countText(metrics.requests, hasMinimumCounts(record)),
    omitted > 0 ? `${failed}, ${metricText('error', omitted)} omitted` : failed,
    metrics?.requests_per_second === undefined ? '' : rateText(metrics.requests_per_second, record),
    ...[time('p50'), time('p95'), time('p99')],
  ];
}

/**
 * Returns the start time of an earlier run; empty if this command started the run, or if the time is unknown.
 */
function whenText(run: ReportedRun): string {
  const at = run.started_at === null ? Number.NaN : Date.parse(run.started_at);
  if (Number.isNaN(at) || ('started_by_us' in run && run.started_by_us)) return '';
  return ` run of ${escapeText(timeText(at))}`;
}

function detailSections(test: ReportedTest, report: Report, at: Locations): readonly MarkdownSection[] {
  const name = `<code>${htmlText(test.key)}</code>`;
  return selectEvaluatedRuns(test, report).flatMap((run) => {
    const thresholds = thresholdGroups(run.thresholds)
      .flatMap((group) => group.thresholds)
      .map((one) => thresholdLine(test, run, { threshold: one, at }));
    const note = verdictNote(run);
    const details = [...(note === null ? [] : [note]), ...detailLines(run.record)].map(escapeText);
    const workers = workerLines(run.record).map((line) => escapeText(line.trim()));
    const toCells = ([one, ...cells]: UrlRow) => [codeSpan(one), ...cells.map(escapeText)];
    const flows = flowRows(run.record).map(toCells);
    const groups = groupRows(run.record, run.url_groups).map(toCells);
    const urls = urlRows(run.record, run.url_names).map(toCells);
    const collapsed = (title: string, section: MarkdownSection) =>
      section.lines.length === 0 ? [] : [collapsibleSection(`${name}: ${title}`, section)];
    return [
      ...collapsed(counted(thresholds.length, 'threshold'), listSection('thresholds', thresholds)),
      ...collapsed('request details', listSection('details', details)),
      ...collapsed('workers', listSection('workers', workers)),
      ...collapsed(counted(flows.length, 'flow'), tableSection('flows', FLOW_COLUMNS, flows)),
      ...collapsed(
        `${counted(groups.length, 'group')} of URLs`,
        tableSection('groups', GROUP_COLUMNS, groups),
      ),
      ...collapsed(counted(urls.length, 'URL'), tableSection('URLs', URL_COLUMNS, urls)),
    ];
  });
}

function validationSections(environments: readonly string[]): readonly MarkdownSection[] {
  const names = environments.map(codeSpan).join(', ');
  const checked = names === '' ? '' : ` Checked environments: ${names}.`;
  return [paragraphSection(`The file is valid.${checked}`)];
}

function actionSections(actions: readonly DoneAction[]): readonly MarkdownSection[] {
  const acting = actions.filter(({ verb }) => verb !== 'no-op');
  if (acting.length === 0) return [paragraphSection('No changes.')];
  const rows = acting.map((action) => [
    escapeText(action.verb),
    codeSpan(action.address) + (action.note === null ? '' : ` ${messageText(action.note)}`),
    action.starts_load ? 'yes' : '',
    escapeText(action.outcome.replace('_', ' ')),
  ]);
  const section = tableSection('actions', ['action', 'item', 'starts load', 'outcome'], rows);
  return [collapsibleSection(counted(rows.length, 'action'), section)];
}

function loadSections(load: Load): readonly MarkdownSection[] {
  return load.starts === 0 ? [] : [paragraphSection(`**Load:** ${totalLoadText(load, null)}`)];
}

/** Returns the line with the commit and the time of the report, and the command that applies a saved plan. */
function originLine(origin: Origin | undefined, command: string): string {
  if (origin === undefined) return '';
  const made = escapeText(originText(origin, command));
  const { apply_command: apply } = origin;
  return apply === undefined ? `${made}\n` : `${made} ${APPLY_INTRODUCTION} ${codeSpan(apply)}\n`;
}

function problemLines(problems: readonly Problem[], at: Locations): readonly string[] {
  return problems.map(({ code: name, severity, message, hint, file, line }) => {
    const place = file === null ? '' : at.markdown(line === null ? { file } : { file, line });
    const location = place === '' ? '' : `${place} `;
    const advice = hint === null ? '' : ` (${messageText(hint)})`;
    return `${location}${severity} ${codeSpan(name)}: ${messageText(message)}${advice}`;
  });
}

function problemSections(
  problems: readonly Problem[],
  severity: Problem['severity'],
  { at, fold }: { readonly at: Locations; readonly fold: boolean },
): readonly MarkdownSection[] {
  const lines = problemLines(
    problems.filter((one) => one.severity === severity),
    at,
  );
  if (lines.length === 0) return [];
  const section = listSection(`${severity}s`, lines);
  return [fold ? collapsibleSection(counted(lines.length, severity), section) : section];
}

/** A report as Markdown, for the summary of a job and for comments: what was decided first, and why; the rest folded. */
import { figureText } from '../core/figure-text.ts';
import { counted } from '../core/counted.ts';
import { formatInstant } from '../core/instant.ts';
import type { Json } from '../core/canonical.ts';
import type {
  Against,
  Comparison,
  DoneAction,
  EvaluatedThreshold,
  Load,
  PlannedAction,
  Problem,
  Report,
  Source,
} from '../core/report/generated/documents.ts';
import { limitText, outcomeText } from '../core/report/limit-text.ts';
import { judgedRuns, testsOf, type ReportedRun, type ReportedTest } from '../core/report/reported-tests.ts';
import { boundText, detailLines, URL_COLUMNS, urlRows } from '../core/report/result-text.ts';
import { workerLines } from '../core/report/worker-text.ts';
import { otherSideText, sideBySideRows } from '../core/report/side-by-side-rows.ts';
import { code, folded, list, page, paragraph, table, text, type Section } from './markdown-text.ts';

/** Of a comment, GitHub takes 65,536. */
const MOST_CHARACTERS = 65_000;

export function markdown(report: Report): string {
  const tests = testsOf(report);
  const planned = 'load' in report ? report : null;
  const limits = undecided(tests, report);
  // A limit that failed is a problem too, and told once.
  const problems = report.problems.filter(
    ({ code: name }) => limits.length === 0 || name !== 'LT_RUN_THRESHOLD',
  );
  return page(
    [
      paragraph(`### loadtests ${text(report.command)}${titleEnd(report)}`),
      paragraph(
        `Exit code ${report.exit_code}${MEANINGS.get(report.exit_code) ?? ''}.${verdictsText(tests, report)}`,
      ),
      ...limits,
      ...problemSections(problems, 'error', false),
      ...runSections(tests),
      ...('comparison' in report ? comparisonSections(report.comparison) : []),
      ...('environments' in report ? validSections(report.environments) : []),
      ...('against' in report ? againstSections(report.against) : []),
      ...(planned === null ? [] : actionSections(planned.actions, !('runs' in planned))),
      ...(planned === null ? [] : loadSections(planned.load)),
      ...problemSections(problems, 'warning', 'runs' in report),
      ...tests.flatMap((test) => detailSections(test, report)),
    ],
    MOST_CHARACTERS,
  );
}

function comparisonSections(comparison: Comparison): readonly Section[] {
  const rows = sideBySideRows(comparison).map((row) => row.map((cell) => text(cell)));
  return [
    paragraph(`Compared with ${text(otherSideText(comparison))}:`),
    table('figures', ['figure', 'before', 'now', 'change'], rows),
  ];
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [0, ': done'],
  [1, ': unexpected'],
  [2, ': there are changes'],
  [3, ': the command line or the file is not valid'],
  [4, ': the API key is missing or was rejected'],
  [5, ': the saved plan is stale'],
  [6, ': consent is required'],
  [7, ': some actions failed'],
  [8, ': the outcome of a request is unknown'],
  [9, ': timed out, or something cannot be reached'],
  [10, ': a threshold failed'],
  [11, ': no verdict'],
  [12, ': blocked'],
  [130, ': interrupted'],
  [143, ': interrupted'],
]);

function titleEnd(report: Report): string {
  if (!('project' in report) || report.project === null) return '';
  const environment =
    'environment' in report && report.environment !== null ? ` · ${text(report.environment)}` : '';
  const service = 'service' in report ? ` · ${text(report.service)}` : '';
  return ` · ${text(report.project)}${environment}${service}`;
}

const MARKS = { pass: '✓', fail: '✗', inconclusive: '?', none: '·' } as const;

/** ` ✗ 1 failed, ✓ 2 passed` */
function verdictsText(tests: readonly ReportedTest[], report: Report): string {
  const runs = tests.flatMap((test) => judgedRuns(test, report));
  const said = [
    ['fail', 'failed'],
    ['inconclusive', 'inconclusive'],
    ['pass', 'passed'],
    ['none', 'without a verdict'],
  ] as const;
  const parts = said.flatMap(([verdict, word]) => {
    const count = runs.filter((run) => run.verdict === verdict).length;
    return count === 0 ? [] : [`${MARKS[verdict]} ${count} ${word}`];
  });
  return parts.length === 0 ? '' : ` ${parts.join(', ')}`;
}

/** Limits that failed, then those without a verdict. */
function undecided(tests: readonly ReportedTest[], report: Report): readonly Section[] {
  const lines = (['fail', 'inconclusive'] as const).flatMap((verdict) =>
    tests.flatMap((test) =>
      judgedRuns(test, report).flatMap((run) =>
        run.thresholds.filter((one) => one.verdict === verdict).map((one) => limitLine(test, run, one)),
      ),
    ),
  );
  return lines.length === 0 ? [] : [list('limits', lines)];
}

function limitLine({ key, source }: ReportedTest, run: ReportedRun, threshold: EvaluatedThreshold): string {
  const mark = MARKS[threshold.verdict];
  const bold = threshold.verdict === 'fail' ? `**${mark}**` : mark;
  const place = placeText(threshold.source ?? source);
  return `${bold} ${code(key)} ${code(limitText(threshold))}: ${text(outcomeText(threshold, run))}${place}`;
}

function placeText({ file, line }: Source): string {
  return file === undefined ? '' : ` (${code(line === undefined ? file : `${file}:${line}`)})`;
}

const RUN_COLUMNS = ['run', 'verdict', 'requests', 'failed', 'per second', 'p50', 'p95', 'p99'];

function runSections(tests: readonly ReportedTest[]): readonly Section[] {
  const rows = tests.flatMap(({ key, runs }) => runs.map((run) => runRow(key, run)));
  return rows.length === 0 ? [] : [table('runs', RUN_COLUMNS, rows)];
}

function runRow(key: string, run: ReportedRun): readonly string[] {
  const { verdict, reason, metrics, result } = run;
  const told = `${MARKS[verdict]} ${verdict === 'fail' ? '**fail**' : verdict}`;
  const kinds = [metrics?.error, metrics?.timeout_error, metrics?.network_error];
  const failed = kinds.every((count) => count === undefined)
    ? ''
    : figureText(
        'error',
        kinds.reduce<number>((sum, count) => sum + (count ?? 0), 0),
      );
  const time = (metric: 'p50' | 'p95' | 'p99') =>
    metrics?.[metric] === undefined ? '' : text(boundText(metric, metrics[metric], result));
  const count = (metric: 'requests' | 'requests_per_second') =>
    metrics?.[metric] === undefined ? '' : figureText(metric, metrics[metric]);
  return [
    `${code(key)}${whenText(run)}`,
    reason === null ? told : `${told}: ${text(reason)}`,
    count('requests'),
    failed,
    count('requests_per_second'),
    ...[time('p50'), time('p95'), time('p99')],
  ];
}

/** Of a run that the command did not start: when it was. */
function whenText(run: ReportedRun): string {
  const at = run.started_at === null ? Number.NaN : Date.parse(run.started_at);
  if (Number.isNaN(at) || ('started_by_us' in run && run.started_by_us)) return '';
  return ` run of ${text(formatInstant(at).slice(0, 16))} UTC`;
}

/** Of the run that counts: each limit, why requests failed, and a row for each URL. */
function detailSections(test: ReportedTest, report: Report): readonly Section[] {
  const name = code(test.key);
  return judgedRuns(test, report).flatMap((run) => {
    const limits = run.thresholds.map((one) => limitLine(test, run, one));
    const details = detailLines(run.result).map(text);
    const workers = workerLines(run.result).map((line) => text(line.trim()));
    const urls = urlRows(run.result, run.url_names).map(([url, ...cells]) => [code(url), ...cells.map(text)]);
    return [
      ...(limits.length === 0
        ? []
        : [folded(`${name}: ${counted(limits.length, 'limit')}`, list('limits', limits))]),
      ...(details.length === 0
        ? []
        : [folded(`${name}: what happened to its requests`, list('details', details))]),
      ...(workers.length === 0 ? [] : [folded(`${name}: who made its load`, list('workers', workers))]),
      ...(urls.length === 0
        ? []
        : [folded(`${name}: ${counted(urls.length, 'URL')}`, table('URLs', URL_COLUMNS, urls))]),
    ];
  });
}

function validSections(environments: readonly string[]): readonly Section[] {
  if (environments.length === 0) return [paragraph('The file is valid.')];
  return [paragraph(`The file is valid, in ${environments.map(code).join(', ')} too.`)];
}

/** What lets more pass, or tests less, is what a reviewer must see. */
function againstSections({ revision, note, load, limits, changes, removed }: Against): readonly Section[] {
  const marked = (loosening: boolean, line: string) => (loosening ? `**${line}**` : line);
  const lines = [
    ...(note === null ? [] : [text(note)]),
    ...removed.map((address) => marked(true, `${code(address)} removed`)),
    ...changes.map(({ address, field, from, to, kind }) =>
      marked(
        kind === 'loosened' || kind === 'removed',
        `${code(address)} ${code(field)} ${kind}: ${value(from)} → ${value(to)}`,
      ),
    ),
    ...limits.map(({ limit, from, to, kind }) =>
      marked(
        kind === 'raised' || kind === 'removed',
        `limit ${code(limit)} ${kind}: ${value(from)} → ${value(to)}`,
      ),
    ),
    `All tests before: ${loadText(load.before)}`,
    `All tests after: ${loadText(load.after)}`,
  ];
  return [paragraph(`Compared with ${code(revision)}:`), list('changes', lines)];
}

function value(json: Json): string {
  if (json === null) return '(none)';
  return code(typeof json === 'string' ? json : JSON.stringify(json));
}

function actionSections(
  actions: readonly (PlannedAction | DoneAction)[],
  planned: boolean,
): readonly Section[] {
  const acting = actions.filter(({ verb }) => verb !== 'no-op');
  if (acting.length === 0) return [paragraph('No changes.')];
  const rows = acting.map((action) => [
    text(action.verb),
    code(action.address) + (action.note === null ? '' : ` ${text(action.note)}`),
    action.starts_load ? 'yes' : '',
    'outcome' in action ? text(action.outcome) : 'planned',
  ]);
  const section = table('actions', ['action', 'what', 'starts load', 'outcome'], rows);
  return [planned ? section : folded(counted(rows.length, 'action'), section)];
}

function loadSections(load: Load): readonly Section[] {
  return load.starts === 0 ? [] : [paragraph(`Load: ${loadText(load)}`)];
}

function loadText({ starts, seconds, peak_connections: peaks }: Load): string {
  if (starts === 0) return 'none.';
  const hosts = Object.entries(peaks).map(
    ([host, peak]) => `${counted(peak, 'connection')} on ${code(host)}`,
  );
  return `${counted(starts, 'test')}, ${seconds} s in total, at most ${hosts.join(', ')}.`;
}

function problemSections(
  problems: readonly Problem[],
  severity: Problem['severity'],
  fold: boolean,
): readonly Section[] {
  const lines = problems
    .filter((one) => one.severity === severity)
    .map(({ code: name, message, hint, file, line }) => {
      const place = file === null ? '' : `${code(line === null ? file : `${file}:${line}`)} `;
      const advice = hint === null ? '' : ` (${text(hint)})`;
      return `${place}${severity} ${code(name)}: ${text(message)}${advice}`;
    });
  if (lines.length === 0) return [];
  const section = list(`${severity}s`, lines);
  return [fold ? folded(counted(lines.length, severity), section) : section];
}

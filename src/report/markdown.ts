/** A report as Markdown: for the summary of a job. */
import type {
  DoneAction,
  JudgedThreshold,
  Load,
  PlannedAction,
  Problem,
  Report,
  Run,
} from '../core/report/generated/documents.ts';
import { printable } from '../core/printable.ts';
import { subjectText } from '../core/model/threshold.ts';
import { figureText } from '../core/figure-text.ts';

const MAX_ROWS = 200;

export function markdown(report: Report): string {
  const heading = `### loadtests ${text(report.command)}${titleEnd(report)}`;
  const parts = [heading, `Exit code ${report.exit_code}${MEANINGS.get(report.exit_code) ?? ''}.`];
  if ('actions' in report) parts.push(...actionParts(report.actions, 'has_changes' in report));
  if ('load' in report) parts.push(...loadParts(report.load));
  if ('runs' in report) parts.push(...runParts(report.runs));
  parts.push(...problemParts(report.problems));
  return `${parts.join('\n\n')}\n`;
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [0, ': done'],
  [2, ': there are changes'],
  [10, ': a threshold failed'],
  [11, ': no verdict'],
]);

function titleEnd(report: Report): string {
  if (!('project' in report) || report.project === null) return '';
  const environment =
    'environment' in report && report.environment !== null ? ` · ${text(report.environment)}` : '';
  const service = 'service' in report ? ` · ${text(report.service)}` : '';
  return ` · ${text(report.project)}${environment}${service}`;
}

function actionParts(actions: readonly (PlannedAction | DoneAction)[], planned: boolean): string[] {
  const acting = actions.filter(({ verb }) => verb !== 'keep');
  if (acting.length === 0) return planned ? ['No changes.'] : [];
  const rows = acting.map((action) => [
    text(action.verb),
    code(action.address) + (action.note === null ? '' : ` ${text(action.note)}`),
    action.starts_load ? 'yes' : '',
    'outcome' in action ? text(action.outcome) : 'planned',
  ]);
  return [table(['action', 'what', 'starts load', 'outcome'], rows)];
}

function loadParts({ starts, seconds, peak_connections: peaks }: Load): string[] {
  if (starts === 0) return [];
  const hosts = Object.entries(peaks).map(([host, peak]) => `${peak} on ${code(host)}`);
  return [`Load: ${starts} started, ${seconds} s in total, at most ${hosts.join(', ')} connections.`];
}

function runParts(runs: readonly Run[]): string[] {
  if (runs.length === 0) return [];
  const rows = runs.map(({ address, verdict, figures, thresholds }) => [
    code(address),
    verdict === 'fail' ? '**fail**' : verdict,
    figures?.requests === undefined ? '' : `${figures.requests}`,
    thresholds.map(thresholdText).join('<br>'),
  ]);
  return [table(['run', 'verdict', 'requests', 'thresholds'], rows)];
}

const MARKS = { pass: '✓', fail: '✗', inconclusive: '?' } as const;

function thresholdText(threshold: JudgedThreshold): string {
  const { metric, limit, value, verdict, reason } = threshold;
  const told = reason === undefined ? null : text(reason);
  const figure = value === null ? 'unknown' : figureText(metric, value);
  return `${MARKS[verdict]} ${code(`${subjectText(threshold)} ${limit}`)} ${told ?? figure}`;
}

function problemParts(problems: readonly Problem[]): string[] {
  if (problems.length === 0) return [];
  const lines = problems.slice(0, MAX_ROWS).map(({ code: name, severity, message, file, line }) => {
    const place = file === null ? '' : `${code(line === null ? file : `${file}:${line}`)} `;
    return `- ${place}${severity} ${code(name)}: ${text(message)}`;
  });
  return [lines.join('\n') + leftOut(problems.length)];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows.slice(0, MAX_ROWS)];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n') + leftOut(rows.length);
}

function leftOut(count: number): string {
  return count > MAX_ROWS ? `\n\n… and ${count - MAX_ROWS} more.` : '';
}

/** Texts of the file and of the service, as themselves: no markup, no link, no mention of anybody. */
function text(value: string): string {
  return printable(value)
    .replaceAll(/ +/g, ' ')
    .replaceAll(/[\\`*_{}[\]()<>#+!|~@&:-]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function code(value: string): string {
  return `<code>${text(value)}</code>`;
}

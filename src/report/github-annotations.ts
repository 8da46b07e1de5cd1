/**
 * Reporter for GitHub Actions: prints workflow commands that annotate lines of the file.
 * @remarks A runner shows at most ten errors and ten warnings per step, so failed thresholds are printed first.
 * @see GitHub's documentation of workflow commands.
 */
import { counted } from '../core/counted.ts';
import { printable, printableLines } from '../core/printable.ts';
import type { Problem, Report, Source } from '../core/report/generated/documents.ts';
import { dangerText } from '../core/report/plan-items.ts';
import { thresholdText, outcomeText } from '../core/report/threshold-text.ts';
import { verdictSentence } from '../core/report/verdict-sentence.ts';
import { selectEvaluatedRuns, reportedTestsOf } from '../core/report/reported-tests.ts';

interface Annotation {
  readonly title: string;
  readonly text: string;
  readonly source: Source;
}

/** Maximum number of annotations per severity. */
const MAX_ANNOTATIONS = 10;

export function toGithubAnnotations(report: Report): string {
  const failed = failures(report);
  const others = report.problems.filter((one) => !isCoveredBy(one, failed));
  const errors = [...failed, ...annotationsOf(others, 'error')];
  return [
    ...formatCommands('error', errors),
    ...formatCommands('warning', [...dangerAnnotations(report), ...annotationsOf(others, 'warning')]),
  ].join('');
}

function dangerAnnotations(report: Report): readonly Annotation[] {
  if (!('danger' in report)) return [];
  return report.danger.map((one) => ({
    title: `danger: ${one.kind}`,
    text: dangerText(one),
    source: {
      ...(one.file !== null && { file: one.file }),
      ...(one.line !== null && { line: one.line }),
    },
  }));
}

/** Returns the failed thresholds, and the failed runs without a failed threshold, such as runs whose setup failed. */
function failures(report: Report): readonly Annotation[] {
  return reportedTestsOf(report).flatMap((test) =>
    selectEvaluatedRuns(test, report).flatMap((run) => {
      const failed = run.thresholds.filter(({ verdict }) => verdict === 'fail');
      if (run.verdict === 'fail' && failed.length === 0)
        return [{ title: test.key, text: verdictSentence(run), source: test.source }];
      return failed.map((threshold) => ({
        title: `${test.key}: ${thresholdText(threshold)}`,
        text: outcomeText(threshold, run),
        source: threshold.source ?? test.source,
      }));
    }),
  );
}

function isCoveredBy({ code, file, line, column }: Problem, failed: readonly Annotation[]): boolean {
  if (code !== 'LT_RUN_THRESHOLD') return false;
  return failed.some(
    ({ source }) => source.file === file && source.line === line && source.column === column,
  );
}

function annotationsOf(problems: readonly Problem[], severity: Problem['severity']): readonly Annotation[] {
  return problems
    .filter((one) => one.severity === severity)
    .map(({ code, message, hint, file, line, column }) => ({
      title: code,
      text: hint === null ? message : `${message}\n${hint}`,
      source: {
        ...(file !== null && { file }),
        ...(line !== null && { line }),
        ...(column !== null && { column }),
      },
    }));
}

function formatCommands(kind: 'error' | 'warning', all: readonly Annotation[]): readonly string[] {
  const omitted = all.length - MAX_ANNOTATIONS;
  return [
    ...all
      .slice(0, MAX_ANNOTATIONS)
      .map(({ title, text, source: { file, line, column } }) =>
        formatCommand(kind, { file, line, col: column, title }, text),
      ),
    ...(omitted > 0
      ? [formatCommand('notice', {}, `${counted(omitted, `more ${kind} is`, `more ${kind}s are`)} not shown`)]
      : []),
  ];
}

function formatCommand(
  name: string,
  parameters: Readonly<Record<string, string | number | undefined>>,
  text: string,
): string {
  const properties = Object.entries(parameters).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${escapeProperty(toSingleLine(String(value)))}`],
  );
  const message = text.split('\n').map(toSingleLine).join('\n');
  return `::${[name, properties.join(',')].filter((part) => part !== '').join(' ')}::${escapeData(message)}\n`;
}

/** Returns one line that a runner does not interpret as a command in the `##[…]` form. */
function toSingleLine(text: string): string {
  return printableLines(printable(text));
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

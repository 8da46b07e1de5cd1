/**
 * A report as annotations of GitHub Actions: commands to the runner, which shows each on its line of the file.
 *
 * Source: GitHub's documents on workflow commands. A runner shows ten errors and ten warnings of a step, so what matters
 *         most comes first.
 */
import { counted } from '../core/counted.ts';
import { printable, printableLines } from '../core/printable.ts';
import type { Problem, Report, Source } from '../core/report/generated/documents.ts';
import { limitText, outcomeText } from '../core/report/limit-text.ts';
import { judgedRuns, testsOf } from '../core/report/reported-tests.ts';

interface Annotation {
  readonly title: string;
  readonly text: string;
  readonly source: Source;
}

/** Of each kind. */
const MOST = 10;

/** A line for each; none where there is nothing to say. */
export function github(report: Report): string {
  const failed = failedLimits(report);
  const others = report.problems.filter((one) => !isToldBy(one, failed));
  const errors = [...failed, ...annotationsOf(others, 'error')];
  return [...commands('error', errors), ...commands('warning', annotationsOf(others, 'warning'))].join('');
}

function failedLimits(report: Report): readonly Annotation[] {
  return testsOf(report).flatMap((test) =>
    judgedRuns(test, report).flatMap((run) =>
      run.thresholds.flatMap((threshold) => {
        if (threshold.verdict !== 'fail') return [];
        const title = `${test.key}: ${limitText(threshold)}`;
        return [{ title, text: outcomeText(threshold, run), source: threshold.source ?? test.source }];
      }),
    ),
  );
}

/** A limit that failed is a problem of the command too, at the same place. */
function isToldBy({ code, file, line, column }: Problem, failed: readonly Annotation[]): boolean {
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

function commands(kind: 'error' | 'warning', all: readonly Annotation[]): readonly string[] {
  const left = all.length - MOST;
  return [
    ...all
      .slice(0, MOST)
      .map(({ title, text, source: { file, line, column } }) =>
        command(kind, { file, line, col: column, title }, text),
      ),
    ...(left > 0 ? [command('notice', {}, `and ${counted(left, `${kind} more`, `${kind}s more`)}`)] : []),
  ];
}

function command(
  name: string,
  given: Readonly<Record<string, string | number | undefined>>,
  text: string,
): string {
  const properties = Object.entries(given).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${escapedProperty(shown(String(value)))}`],
  );
  const told = text.split('\n').map(shown).join('\n');
  return `::${[name, properties.join(',')].filter((part) => part !== '').join(' ')}::${escapedText(told)}\n`;
}

/** One line, in which an old form of commands is none either. */
function shown(text: string): string {
  return printableLines(printable(text));
}

function escapedText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapedProperty(text: string): string {
  return escapedText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

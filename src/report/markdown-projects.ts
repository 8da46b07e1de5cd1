/**
 * Markdown report of several configuration files: a summary, numbered sections, and a list of the files without
 * changes.
 */
import { counted } from '../core/counted.ts';
import type { AppliesDocument, PlansDocument, Report } from '../core/report/generated/documents.ts';
import { dangerText, isQuiet } from '../core/report/plan-items.ts';
import {
  actionsOfProjects,
  incompleteTotalText,
  type ProjectsDocument,
} from '../core/report/several-projects.ts';
import { codeSpan, escapeText, messageText } from './markdown-builder.ts';
import { totalLoadText } from './markdown-plan.ts';

/** Maximum number of dangers in the summary. Beyond this number, each section shows its own dangers. */
const MAX_DANGERS = 12;
/** Number of characters reserved for the list of files without changes. */
const LIST_RESERVE = 4000;

export interface ProjectPart {
  readonly heading: string;
  readonly omitsDangers: boolean;
}

export function projectsMarkdown(
  document: ProjectsDocument,
  {
    maxLength,
    problems,
    render,
  }: {
    readonly maxLength: number;
    /** Problems that belong to no file, as Markdown. */
    readonly problems: readonly string[];
    readonly render: (report: Report, part: ProjectPart, maxLength: number) => string;
  },
): string {
  const numbered = document.projects.map(({ file, report }, index) => ({ file, report, number: index + 1 }));
  const quiet = numbered.filter(({ report }) => report.exit_code === 0 && isQuietReport(report));
  const shown = numbered.filter((one) => !quiet.includes(one));
  const dangers = dangersOf(document);
  const omitsDangers = dangers.length <= MAX_DANGERS;
  const head = [
    `### loadtests${document.command === 'plan' ? '' : ` ${document.command}`}: ${headline(document)}`,
    ...dangerLines(dangers),
    ...(problems.length === 0 ? [] : ['', ...problems.map((text) => `- ${text}`)]),
    ...('load' in document
      ? [
          '',
          `**Load of ${incompleteTotalText(document) ?? 'all projects'}:** ${totalLoadText(document.load, null, actionsOfProjects(document))}${parallelText(document)}`,
        ]
      : []),
    '',
  ].join('\n');
  let remaining = maxLength - head.length - LIST_RESERVE;
  const sections = shown.map(({ file, report, number }, index) => {
    const part = { heading: `#### ${number}. ${codeSpan(file)}`, omitsDangers };
    const text = `\n---\n\n${render(report, part, Math.floor(remaining / (shown.length - index)))}`;
    remaining -= text.length;
    return text;
  });
  return [
    head,
    ...sections,
    ...quietLine(
      document.command,
      quiet.map(({ file }) => file),
    ),
  ].join('');
}

function parallelText({ load, parallel_projects: parallel }: PlansDocument | AppliesDocument): string {
  if (parallel === 1 || load.concurrent_tests < 2) return '';
  return ` Up to ${parallel} projects run at the same time, never on the same host.`;
}

function headline({ command, projects }: ProjectsDocument): string {
  const all = counted(projects.length, 'project');
  const failed = projects.filter(({ report }) => report.exit_code !== 0 && report.exit_code !== 2).length;
  const failures = failed === 0 ? '' : `; ${failed} failed`;
  if (command !== 'plan') return `${all}${failures}`;
  const changed = projects.filter(({ report }) => 'changes' in report && !isQuiet(report)).length;
  return changed === 0 ? `no changes in ${all}${failures}` : `changes in ${changed} of ${all}${failures}`;
}

function dangersOf({ projects }: ProjectsDocument): readonly string[] {
  return projects.flatMap(({ report }, index) =>
    'danger' in report ? report.danger.map((one) => `${index + 1}\\. ${messageText(dangerText(one))}`) : [],
  );
}

function dangerLines(dangers: readonly string[]): readonly string[] {
  if (dangers.length === 0) return [];
  const more = dangers.length - MAX_DANGERS;
  const lines = dangers.slice(0, MAX_DANGERS).map((text) => `> - ${text}`);
  return ['', '> [!CAUTION]', ...lines, ...(more > 0 ? [`> - … and ${more} more`] : [])];
}

function isQuietReport(report: Report): boolean {
  if (report.command === 'plan') return 'changes' in report && isQuiet(report);
  return report.command === 'validate' && report.problems.length === 0;
}

function quietLine(command: string, files: readonly string[]): readonly string[] {
  if (files.length === 0) return [];
  const shown = files.slice(0, 50).map(codeSpan).join(', ');
  const more = files.length > 50 ? escapeText(` and ${files.length - 50} more`) : '';
  const title = command === 'validate' ? 'Valid' : 'Without changes';
  return [`\n---\n\n${title}: ${shown}${more}\n`];
}

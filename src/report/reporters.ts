/**
 * What a report can be turned into, beside the text and the document that every command has.
 *
 * To add one, add its file, a function from a `Report` to text, and its row here: its flag, its completion, the check
 * of its file and its place in the reference follow from the row. Code is loaded when it is asked for: start-up is a
 * feature.
 */
import type { Report } from '../core/report/generated/documents.ts';

/** Turns a report into text. Its runs have their whole records, where the service gives them. */
export type Render = (report: Report) => string;

export interface Reporter {
  /** Its flag is its name. `file`: takes one. `file or stdout`: may take one. `runner`: commands to the runner of a CI job. */
  readonly destination: 'file' | 'file or stdout' | 'runner';
  /** Which commands have it: those that tell of runs, or `plan` and `validate` as well. */
  readonly documents: 'runs' | 'runs and plans';
  /** Whether it shows more of a run than its figures: then the whole record is read, once. */
  readonly needsRecords: boolean;
  /** Behind its flag in the help. */
  readonly description: string;
  readonly load: () => Promise<Render>;
}

const REPORTER_TABLE = {
  junit: {
    destination: 'file',
    documents: 'runs',
    needsRecords: false,
    description: 'write a JUnit XML report: one suite per test, one case per threshold',
    load: async () => (await import('./junit-xml.ts')).toJunitXml,
  },
  markdown: {
    destination: 'file or stdout',
    documents: 'runs and plans',
    needsRecords: true,
    description: 'write a Markdown report to a file (default: stdout)',
    load: async () => (await import('./markdown-report.ts')).toMarkdown,
  },
  html: {
    destination: 'file',
    documents: 'runs',
    needsRecords: true,
    description: 'write a self-contained HTML report with charts',
    load: async () => (await import('./html-report.ts')).toHtml,
  },
  csv: {
    destination: 'file',
    documents: 'runs',
    needsRecords: true,
    description: 'write the time series of runs as CSV',
    load: async () => (await import('./csv.ts')).toCsv,
  },
  github: {
    destination: 'runner',
    documents: 'runs and plans',
    needsRecords: true,
    description: 'add annotations and a job summary in GitHub Actions',
    load: async () => (await import('./github-annotations.ts')).toGithubAnnotations,
  },
} as const satisfies Readonly<Record<string, Reporter>>;

export type ReporterName = keyof typeof REPORTER_TABLE;

export const REPORTERS: Readonly<Record<ReporterName, Reporter>> = REPORTER_TABLE;

/** In the order of the table. */
export const REPORTER_NAMES = Object.keys(REPORTER_TABLE) as readonly ReporterName[]; // its keys are these

/** By name, the file that was asked for, or true without one. */
export type ReportFlags = Readonly<Partial<Record<ReporterName, string | true>>>;

/** The reporters that were asked for. */
export function requestedReporters(flags: ReportFlags): readonly ReporterName[] {
  return REPORTER_NAMES.filter((name) => flags[name] !== undefined);
}

/** Whether one that was asked for needs whole records. */
export function needsRecords(flags: ReportFlags): boolean {
  return requestedReporters(flags).some((name) => REPORTERS[name].needsRecords);
}

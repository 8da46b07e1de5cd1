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
  readonly writes: 'file' | 'file or stdout' | 'runner';
  /** Which commands have it: those that tell of runs, or `plan` and `validate` as well. */
  readonly of: 'runs' | 'runs and plans';
  /** Whether it shows more of a run than its figures: then the whole record is read, once. */
  readonly records: boolean;
  /** Behind its flag in the help. */
  readonly about: string;
  readonly load: () => Promise<Render>;
}

const TABLE = {
  junit: {
    writes: 'file',
    of: 'runs',
    records: false,
    about: 'write JUnit XML to a file: a suite for each test, a case for each limit',
    load: async () => (await import('./junit.ts')).junit,
  },
  markdown: {
    writes: 'file or stdout',
    of: 'runs and plans',
    records: true,
    about: 'write Markdown, for a summary or a comment, to a file or else to stdout',
    load: async () => (await import('./markdown.ts')).markdown,
  },
  html: {
    writes: 'file',
    of: 'runs',
    records: true,
    about: 'write a page with charts and tables, which opens from disk, to a file',
    load: async () => (await import('./html.ts')).html,
  },
  csv: {
    writes: 'file',
    of: 'runs',
    records: true,
    about: 'write the time series of runs to a file as CSV',
    load: async () => (await import('./csv.ts')).csv,
  },
  github: {
    writes: 'runner',
    of: 'runs and plans',
    records: true,
    about: 'annotate the lines of the file in GitHub Actions, and append Markdown to the summary of the job',
    load: async () => (await import('./github.ts')).github,
  },
} as const satisfies Readonly<Record<string, Reporter>>;

export type ReporterName = keyof typeof TABLE;

export const REPORTERS: Readonly<Record<ReporterName, Reporter>> = TABLE;

/** In the order of the table. */
export const REPORTER_NAMES = Object.keys(TABLE) as readonly ReporterName[]; // its keys are these

/** By name, the file that was asked for, or true without one. */
export type ReportFlags = Readonly<Partial<Record<ReporterName, string | true>>>;

/** The reporters that were asked for. */
export function askedReporters(flags: ReportFlags): readonly ReporterName[] {
  return REPORTER_NAMES.filter((name) => flags[name] !== undefined);
}

/** Whether one that was asked for needs whole records. */
export function needsRecords(flags: ReportFlags): boolean {
  return askedReporters(flags).some((name) => REPORTERS[name].records);
}

/**
 * The table of reporters, which create output formats other than the text and the JSON document.
 * @remarks To add a reporter, add a file with a function that converts a `Report` to a string, and a row in this table.
 * The row defines the flag, its completion, the check of its file, and its entry in the reference.
 */
import type { Report } from '../core/report/generated/documents.ts';

/**
 * Converts a report to an output format. If a requested reporter needs full records and the records can be read, the
 * runs in the report have full records.
 */
export type Render = (report: Report) => string;

export interface Reporter {
  /**
   * `file`: the flag requires a path. `file or stdout`: the path is optional. `runner`: the
   * reporter prints workflow commands for the CI runner.
   */
  readonly destination: 'file' | 'file or stdout' | 'runner';
  /** Commands that support the reporter: commands that report runs, or also `plan` and `validate`. */
  readonly documents: 'runs' | 'runs and plans';
  /** True if the reporter needs full records, which are read once for all reporters. */
  readonly needsRecords: boolean;
  readonly description: string;
  readonly load: () => Promise<Render>;
}

const REPORTER_TABLE = {
  junit: {
    destination: 'file',
    documents: 'runs',
    needsRecords: false,
    description: 'write a JUnit XML report: one suite per test, one case per threshold and per run',
    load: async () => (await import('./junit-xml.ts')).toJunitXml,
  },
  markdown: {
    destination: 'file or stdout',
    documents: 'runs and plans',
    needsRecords: true,
    description: 'write a Markdown report to the file, or to stdout if no file is given',
    load: async () => (await import('./markdown-report.ts')).toMarkdown,
  },
  html: {
    destination: 'file',
    documents: 'runs and plans',
    needsRecords: true,
    description: 'write a self-contained HTML report',
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

export const REPORTER_NAMES = Object.keys(REPORTER_TABLE) as readonly ReporterName[]; // The keys are the names.

/** Output files of the requested reporters; true if no file is given. */
export type ReportFlags = Readonly<Partial<Record<ReporterName, string | true>>>;

export function requestedReporters(flags: ReportFlags): readonly ReporterName[] {
  return REPORTER_NAMES.filter((name) => flags[name] !== undefined);
}

export function needsRecords(flags: ReportFlags): boolean {
  return requestedReporters(flags).some((name) => REPORTERS[name].needsRecords);
}

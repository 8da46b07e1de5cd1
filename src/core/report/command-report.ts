/**
 * The report of a command: one document, which is output as JSON or converted to text by reporters.
 * @see docs/internals/command-line.md, section 5
 */
import { documentationOf } from '../codes.ts';
import type { Problem } from '../problem.ts';
import type { CommandDocument, Failure, Origin, Report, ServiceRecord } from './generated/documents.ts';

type WithoutEnvelope<Document> = Document extends unknown
  ? Omit<Document, Exclude<keyof Failure, 'command'>>
  : never;

export type CommandBody = WithoutEnvelope<CommandDocument>;

export type BodyOf<Command extends CommandBody['command']> = Extract<
  CommandBody,
  { readonly command: Command }
>;

/**
 * Creates the report of a command.
 * @param ended.body - members of the command; null if the command ended before it had results
 */
export function createReport(
  command: string,
  ended: {
    readonly exitCode: number;
    readonly problems: readonly Problem[];
    readonly body: CommandBody | null;
    readonly origin?: Origin | null;
  },
): Report {
  const envelope = {
    format_version: 1,
    command,
    exit_code: ended.exitCode,
    problems: ended.problems.map(problemDocument),
    ...(ended.origin == null ? {} : { origin: ended.origin }),
  } as const;
  return ended.body === null ? envelope : { ...envelope, ...ended.body };
}

/** Complete records by the id of their result. */
export type Records = ReadonlyMap<string, ServiceRecord>;

export function withRecords(report: Report, records: Records): Report {
  if (records.size === 0) return report;
  if ('projects' in report) {
    const projects = report.projects.map((one) => ({ ...one, report: withRecords(one.report, records) }));
    return { ...report, projects };
  }
  if (!('runs' in report)) return report;
  const runs = report.runs.map((run) => ({ ...run, result: records.get(run.result_id ?? '') ?? run.result }));
  return { ...report, runs };
}

/** Renames the files in source locations, such as to names relative to another directory. */
export function withLocations(report: Report, nameOf: (file: string) => string): Report {
  return renameLocations(report, nameOf) as Report;
}

function renameLocations(value: unknown, nameOf: (file: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => renameLocations(one, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  const isLocation = 'file' in value && 'line' in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (isLocation && name === 'file' && typeof one === 'string') return [name, nameOf(one)];
      // Does not change records from a service.
      return [name, name === 'result' ? one : renameLocations(one, nameOf)];
    }),
  );
}

function problemDocument({
  code,
  severity,
  message,
  hint,
  example,
  source,
}: Problem): Failure['problems'][number] {
  return {
    code,
    severity,
    message,
    file: source?.file ?? null,
    line: source?.line ?? null,
    column: source?.column ?? null,
    hint: example === undefined ? hint : ['for example:', ...example].join('\n  '),
    docs: documentationOf(code),
  };
}

/**
 * What a command reports: the one document that machines get and reporters turn into text.
 *
 * Shape:  schemas/report; the types are generated from it, so a member that a schema lacks does not compile.
 * Source: docs/internals/command-line.md, section 5.
 */
import { documentationOf } from '../codes.ts';
import type { Problem } from '../problem.ts';
import type { CommandDocument, Failure, Report, ServiceRecord } from './generated/documents.ts';

type WithoutEnvelope<Document> = Document extends unknown
  ? Omit<Document, Exclude<keyof Failure, 'command'>>
  : never;

/** What a command adds to the envelope. */
export type CommandBody = WithoutEnvelope<CommandDocument>;

export type BodyOf<Command extends CommandBody['command']> = Extract<
  CommandBody,
  { readonly command: Command }
>;

/** @param body null where the command ended before it had anything to report */
export function createReport(
  command: string,
  ended: {
    readonly exitCode: number;
    readonly problems: readonly Problem[];
    readonly body: CommandBody | null;
  },
): Report {
  const envelope = {
    format_version: 1,
    command,
    exit_code: ended.exitCode,
    problems: ended.problems.map(problemDocument),
  } as const;
  return ended.body === null ? envelope : { ...envelope, ...ended.body };
}

/** Whole records by the id of their result. */
export type Records = ReadonlyMap<string, ServiceRecord>;

/** What reporters get: lists leave out what is long in a record, and documents of many tests with them. */
export function withRecords(report: Report, records: Records): Report {
  if (records.size === 0 || !('runs' in report)) return report;
  const runs = report.runs.map((run) => ({ ...run, result: records.get(run.result_id ?? '') ?? run.result }));
  return { ...report, runs };
}

/** The report with the places in it named in another way: as seen from another directory. */
export function withLocations(report: Report, nameOf: (file: string) => string): Report {
  // Nothing but names of files changes.
  return renameLocations(report, nameOf) as Report;
}

function renameLocations(value: unknown, nameOf: (file: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => renameLocations(one, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  const isPlace = 'file' in value && 'line' in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (isPlace && name === 'file' && typeof one === 'string') return [name, nameOf(one)];
      // What a service says is told as it was.
      return [name, name === 'result' ? one : renameLocations(one, nameOf)];
    }),
  );
}

function problemDocument({ code, severity, message, hint, source }: Problem): Failure['problems'][number] {
  return {
    code,
    severity,
    message,
    file: source?.file ?? null,
    line: source?.line ?? null,
    column: source?.column ?? null,
    hint,
    docs: documentationOf(code),
  };
}

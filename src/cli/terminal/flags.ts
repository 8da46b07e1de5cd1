/** Values of flags: text in, value out. Errors: ProblemError LT_CLI_USAGE with what would be right. */
import { LIMIT_NAMES, type LimitName } from '../../core/model/state.ts';
import { parseDuration, type Milliseconds } from '../../core/units.ts';
import { REPORTER_NAMES, type ReportFlags } from '../../report/reporters.ts';
import type { RetentionPolicy } from '../../server/store/result-store.ts';
import { usageError } from './errors.ts';

export interface OutputFlags extends ReportFlags {
  readonly json?: boolean;
  readonly jsonInto?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

export interface FileFlags {
  readonly file?: string;
  readonly env?: string;
  readonly var?: ReadonlyMap<string, string>;
}

/** Files that a command line may name to be written. */
export interface OutputFiles extends ReportFlags {
  readonly jsonInto?: string;
  readonly out?: string;
}

export interface OutputFile {
  /** As it is written. */
  readonly flag: string;
  readonly path: string;
}

/** Each file that is to be written, with its flag. */
export function listOutputFiles(flags: OutputFiles): readonly OutputFile[] {
  const reports = REPORTER_NAMES.map((name) => [`--${name}`, flags[name]] as const);
  return [['--json-into', flags.jsonInto] as const, ...reports, ['--out', flags.out] as const].flatMap(
    ([flag, path]) => (typeof path === 'string' ? [{ flag, path }] : []),
  );
}

/** The same flags without their files: what may still be printed. */
export function withoutFiles(flags: OutputFlags): OutputFlags {
  const { json, quiet, verbose } = flags;
  const reports = REPORTER_NAMES.filter((name) => flags[name] === true).map((name) => [name, true] as const);
  return {
    ...(json === undefined ? {} : { json }),
    ...(quiet === undefined ? {} : { quiet }),
    ...(verbose === undefined ? {} : { verbose }),
    ...Object.fromEntries(reports),
  };
}

export interface FilterFlags {
  readonly only?: readonly string[];
  readonly exclude?: readonly string[];
}

export interface PlanFlags extends OutputFlags, FileFlags, FilterFlags {
  readonly run?: boolean;
  readonly maxAge?: Milliseconds;
  readonly replace?: readonly string[];
  readonly onDrift?: 'report' | 'replace';
  readonly allowLimit?: readonly LimitName[];
  readonly allowUnmarked?: boolean;
  readonly repeat?: number;
  readonly parallelism?: number;
  readonly lockTimeout?: Milliseconds;
}

export interface ApplyFlags extends PlanFlags {
  readonly yes?: boolean;
  readonly wait?: boolean;
  readonly timeout?: Milliseconds;
  readonly onInterrupt?: 'stop' | 'detach';
  readonly requireVerdict?: boolean;
  readonly threads?: number;
}

export function parseDurationFlag(text: string): Milliseconds {
  const value = parseDuration(text);
  if (value === null) throw usageError(`"${text}" is not a valid duration; write 90s, 1m30s or 24h`);
  return value;
}

export function parseCountFlag(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1000) {
    throw usageError(`"${text}" is not a valid count; write a whole number from 1 to 1000`);
  }
  return value;
}

/** Far more than anybody waits for. */
export const MAX_ROUNDS = 100;

export function parseRoundsFlag(text: string): number {
  return parseNumberFlag(text, 'rounds', MAX_ROUNDS);
}

/** As many as a baseline may hold. */
const MAX_BASELINE_RUNS = 100;

export function parseBaselineRunsFlag(text: string): number {
  return parseNumberFlag(text, 'runs', MAX_BASELINE_RUNS);
}

/** Each takes some 10 MB. */
const MAX_THREADS = 256;

export function parseThreadsFlag(text: string): number {
  return parseNumberFlag(text, 'threads', MAX_THREADS);
}

/** More than any process can hold open. */
const MAX_CONNECTIONS = 10_000_000;

export function parseConnectionsFlag(text: string): number {
  return parseNumberFlag(text, 'connections', MAX_CONNECTIONS);
}

/** More than any fleet of workers makes. */
const MAX_RATE = 1_000_000_000;

export function parseRateFlag(text: string): number {
  return parseNumberFlag(text, 'requests per second', MAX_RATE);
}

/** Without a slash at its end. */
export function parseServiceFlag(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isAddress = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (!isAddress || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw usageError(`"${text}" is not a valid service address; write http://127.0.0.1:4900`);
  }
  return text.replace(/\/+$/, '');
}

function parseNumberFlag(text: string, what: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= most) return value;
  throw usageError(`"${text}" is not a valid number of ${what}; write a whole number from 1 to ${most}`);
}

/** `90d`: of that time; `1000`: so many. */
export function parseRetentionFlag(text: string): RetentionPolicy {
  if (/^[1-9]\d{0,6}$/.test(text)) return { kind: 'count', max: Number(text) };
  const ms = parseDuration(text) ?? 0;
  if (ms > 0) return { kind: 'age', ms };
  throw usageError(`"${text}" is neither a time nor a number of results; write 90d or 1000`);
}

export function parsePortFlag(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535)
    throw usageError(`"${text}" is not a valid port; write 0 to 65535`);
  return value;
}

export function parseListFlag(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

export function parseLimitFlag(text: string, before: readonly LimitName[] | undefined): readonly LimitName[] {
  const name = LIMIT_NAMES.find((one) => one === text);
  if (name === undefined)
    throw usageError(`"${text}" is not a limit; the limits are ${LIMIT_NAMES.join(', ')}`);
  return [...(before ?? []), name];
}

export function parseVariableFlag(
  text: string,
  before: ReadonlyMap<string, string> | undefined,
): ReadonlyMap<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw usageError(`"${text}" is not a variable; write --var name=value`);
  return new Map([...(before ?? []), [text.slice(0, at), text.slice(at + 1)]]);
}

/** Types and parsers of flags. The parsers throw ProblemError LT_CLI_USAGE for an invalid value. */
import { LIMIT_NAMES, type LimitName } from '../../core/model/state.ts';
import { withoutUndefined } from '../../core/present-fields.ts';
import { DANGER_KINDS, type DangerKind } from '../../core/reconcile/danger-kinds.ts';
import { parseDuration, type Milliseconds } from '../../core/units.ts';
import { REPORTER_NAMES, type ReportFlags } from '../../report/reporters.ts';
import type { RetentionPolicy } from '../../server/store/result-store.ts';
import type { ProblemError } from '../../core/problem.ts';
import { usageError } from './errors.ts';

export interface OutputFlags extends ReportFlags {
  readonly json?: boolean;
  readonly jsonInto?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

export interface FileFlags {
  readonly file?: string;
  /** Values of all `--file` flags, for commands that accept several files. */
  readonly files?: readonly string[];
  readonly env?: string;
  readonly var?: ReadonlyMap<string, string>;
}

/** Flags of a command that opens a session. */
export interface SessionFlags {
  readonly lockTimeout?: Milliseconds;
  /** Threads per run of the embedded service. Default: automatic selection. */
  readonly threads?: number;
  /** Seed of all runs of the embedded service. Default: random seeds. */
  readonly seed?: number;
  /** True to permit commands of the file even in a pull request job with secrets. */
  readonly allowCommands?: boolean;
}

/** Flags of the commands that use the file and its service. */
export interface ServiceFlags extends FileFlags, OutputFlags, Pick<SessionFlags, 'lockTimeout'> {}

export interface OutputFiles extends ReportFlags {
  readonly jsonInto?: string;
  readonly out?: string;
}

export interface OutputFile {
  readonly flag: string;
  readonly path: string;
}

export function listOutputFiles(flags: OutputFiles): readonly OutputFile[] {
  const reports = REPORTER_NAMES.map((name) => [`--${name}`, flags[name]] as const);
  return [['--json-into', flags.jsonInto] as const, ...reports, ['--out', flags.out] as const].flatMap(
    ([flag, path]) => (typeof path === 'string' ? [{ flag, path }] : []),
  );
}

export function withoutFiles(flags: OutputFlags): OutputFlags {
  const { json, quiet, verbose } = flags;
  const reports = REPORTER_NAMES.filter((name) => flags[name] === true).map((name) => [name, true] as const);
  return { ...withoutUndefined({ json, quiet, verbose }), ...Object.fromEntries(reports) };
}

export interface FilterFlags {
  readonly only?: readonly string[];
  readonly exclude?: readonly string[];
}

export interface PlanFlags extends ServiceFlags, FilterFlags {
  readonly run?: boolean;
  readonly maxAge?: Milliseconds;
  readonly replace?: readonly string[];
  readonly onDrift?: 'report' | 'replace';
  readonly allowLimit?: readonly LimitName[];
  readonly allowUnmarked?: boolean;
  readonly repeat?: number;
  readonly parallelism?: number;
  readonly parallelProjects?: number;
}

export interface ApplyFlags extends PlanFlags, SessionFlags {
  readonly again?: boolean;
  readonly maxPlanAge?: Milliseconds;
  readonly yes?: boolean;
  readonly wait?: boolean;
  readonly timeout?: Milliseconds;
  readonly onInterrupt?: 'stop' | 'detach';
  readonly requireVerdict?: boolean;
}

function invalidValue(flag: string, text: string, advice: string): ProblemError {
  return usageError(`${flag} does not accept "${text}"; ${advice}`);
}

export function parseDurationFlag(flag: string, text: string): Milliseconds {
  const value = parseDuration(text);
  if (value === null) throw invalidValue(flag, text, 'write a duration such as 90s, 1m30s or 24h');
  return value;
}

/** Parses comma-separated kinds of danger. Adds the kinds to those of earlier flags. */
export function parseDangerFlag(
  flag: string,
  text: string,
  previous: readonly DangerKind[] | undefined,
): readonly DangerKind[] {
  const kinds = text.split(',').map((name) => {
    const kind = DANGER_KINDS.find((one) => one === name.trim());
    if (kind !== undefined) return kind;
    throw invalidValue(flag, name, `use one or more of: ${DANGER_KINDS.join(', ')}`);
  });
  return [...(previous ?? []), ...kinds];
}

/** Maximum value of flags that limit concurrency. */
export const MAX_COUNT = 1000;

export const parseCountFlag = numberParser(1, MAX_COUNT);

export const MAX_ROUNDS = 100;

export const parseRoundsFlag = numberParser(1, MAX_ROUNDS);

const MAX_BASELINE_RUNS = 100;

export const parseBaselineRunsFlag = numberParser(1, MAX_BASELINE_RUNS);

const MAX_LAST = 10_000;

export const parseLastFlag = numberParser(1, MAX_LAST);

/** Maximum number of threads, each of which needs about 10 MB of memory. */
const MAX_THREADS = 256;

export const parseThreadsFlag = numberParser(1, MAX_THREADS);

/** Maximum seed, which has 32 bits. */
const MAX_SEED = 2 ** 32 - 1;

export const parseSeedFlag = numberParser(0, MAX_SEED);

const MAX_CONNECTIONS = 10_000_000;

export const parseConnectionsFlag = numberParser(1, MAX_CONNECTIONS);

const MAX_RATE = 1_000_000_000;

export const parseRateFlag = numberParser(1, MAX_RATE);

const MAX_PORT = 65_535;

export const parsePortFlag = numberParser(0, MAX_PORT);

/** Accepts one file, for commands that use a single file. */
export function parseFileFlag(flag: string, text: string, previous: string | undefined): string {
  if (previous === undefined) return text;
  throw usageError(`this command accepts only one ${flag}`, 'run the command once for each file');
}

/** Parses the address of a service. Returns it without trailing slashes. */
export function parseServiceFlag(flag: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isAddress = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (!isAddress || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    // The message omits the value, because it may contain a password.
    throw usageError(
      `the value of ${flag} is not a valid address; write a URL such as http://127.0.0.1:4900, without credentials, a query or a fragment`,
    );
  }
  return text.replace(/\/+$/, '');
}

function numberParser(min: number, max: number): (flag: string, text: string) => number {
  return (flag, text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw invalidValue(flag, text, `write a whole number from ${min} to ${max}`);
  };
}

/** Parses `90d` as a maximum age and `1000` as a maximum number of results per test. */
export function parseRetentionFlag(flag: string, text: string): RetentionPolicy {
  if (/^[1-9]\d{0,6}$/.test(text)) return { kind: 'count', max: Number(text) };
  const ms = parseDuration(text) ?? 0;
  if (ms > 0) return { kind: 'age', ms };
  throw invalidValue(flag, text, 'write a duration or a number of results, such as 90d or 1000');
}

export function parseListFlag(
  _flag: string,
  text: string,
  previous: readonly string[] | undefined,
): readonly string[] {
  return [...(previous ?? []), text];
}

export function parseLimitFlag(
  flag: string,
  text: string,
  previous: readonly LimitName[] | undefined,
): readonly LimitName[] {
  const name = LIMIT_NAMES.find((one) => one === text);
  if (name === undefined) throw invalidValue(flag, text, `use one of: ${LIMIT_NAMES.join(', ')}`);
  return [...(previous ?? []), name];
}

export function parseVariableFlag(
  flag: string,
  text: string,
  previous: ReadonlyMap<string, string> | undefined,
): ReadonlyMap<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw invalidValue(flag, text, `write ${flag} name=value`);
  return new Map([...(previous ?? []), [text.slice(0, at), text.slice(at + 1)]]);
}

/** From flags to an open session: the file, and the service that it or the environment names. */
import type { LoadedConfig } from '../../config/load-config.ts';
import type { Problem } from '../../core/problem.ts';
import type { Milliseconds } from '../../core/units.ts';
import type { Context } from '../terminal/context.ts';
import { hasServiceData } from '../files/data-directory.ts';
import type { FileFlags, OutputFiles } from '../terminal/flags.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { loadProject, missingSecretErrors, relevantWarnings } from '../files/project.ts';
import { Session } from './session.ts';

export interface OpenRequest {
  readonly flags: FileFlags &
    OutputFiles & { readonly lockTimeout?: Milliseconds; readonly threads?: number };
  /** How the file is read; left out: with its baselines. */
  readonly load?: typeof loadProject;
  /** Whether the command may write: then it takes the directory for itself. */
  readonly writes: boolean;
  /** The tests that the command is about, by key; left out: all. Of others, nothing is said of their secrets. */
  readonly selectsTest?: (key: string) => boolean;
  /** The tests whose secrets must be set, by key; left out: none. */
  readonly sendsSecrets?: (key: string) => boolean;
  /** Whether the command line fits the file; asked before anything is opened. Errors: ProblemError. */
  readonly check?: (config: LoadedConfig) => void;
}

/** `config` is null where the command goes on without a file. */
export interface OpenedSession<Config extends LoadedConfig | null = LoadedConfig> {
  readonly config: Config;
  readonly warnings: readonly Problem[];
  readonly session: Session;
}

/** Loads the file, opens the session, acts, and closes. A file that does not load is the outcome. */
export async function withProject(
  context: Context,
  request: OpenRequest,
  act: (opened: OpenedSession) => Promise<Outcome>,
): Promise<Outcome> {
  const { load = loadProject } = request;
  const loaded = await load(context, request.flags);
  if (loaded.ok)
    return await runInSession(context, request, { config: loaded.value, warnings: loaded.warnings, act });
  const reachable = lacksOnlyFile(context, request.flags, loaded.problems);
  return createOutcome({
    problems: loaded.problems.map((one) => (reachable ? { ...one, hint: NO_CONFIG } : one)),
  });
}

const NO_CONFIG =
  'create one with "loadtests import -o loadtests.yaml"; status, run id:ID, results id:ID and stop --all work without a file';

/**
 * The same, for what also makes sense without a file.
 *
 * @param request.mayLackFile asked when the file does not load; by itself: where nothing but the file is lacking
 */
export async function withService(
  context: Context,
  request: OpenRequest & { readonly mayLackFile?: (problems: readonly Problem[]) => boolean },
  act: (opened: OpenedSession<LoadedConfig | null>) => Promise<Outcome>,
): Promise<Outcome> {
  const { flags, mayLackFile = (problems: readonly Problem[]) => lacksOnlyFile(context, flags, problems) } =
    request;
  const loaded = await loadProject(context, flags);
  if (loaded.ok)
    return await runInSession(context, request, { config: loaded.value, warnings: loaded.warnings, act });
  if (!mayLackFile(loaded.problems)) return createOutcome({ problems: loaded.problems });
  return await runInSession(context, request, { config: null, warnings: [], act });
}

/** Whether nothing but the file is lacking: none was asked for, none is there, and it is known which service is meant. */
export function lacksOnlyFile(
  { env, directory }: Context,
  flags: FileFlags,
  problems: readonly Problem[],
): boolean {
  const asked = flags.file !== undefined || flags.env !== undefined || flags.var !== undefined;
  if (asked || problems.some(({ code }) => code !== 'LT_CONFIG_NOT_FOUND')) return false;
  return namesService(env) || hasServiceData(directory);
}

export function namesService(env: Context['env']): boolean {
  return (env['LOADTESTS_BASE_URL'] ?? '') !== '';
}

async function runInSession<Config extends LoadedConfig | null>(
  context: Context,
  { flags, writes, selectsTest = () => true, sendsSecrets, check }: OpenRequest,
  given: {
    readonly config: Config;
    readonly warnings: readonly Problem[];
    readonly act: (opened: OpenedSession<Config>) => Promise<Outcome>;
  },
): Promise<Outcome> {
  const { config, act } = given;
  const warnings = config === null ? given.warnings : relevantWarnings(config, given.warnings, selectsTest);
  if (config !== null) check?.(config);
  const session = await Session.open(context, {
    config,
    directory: config?.file.directory ?? context.directory,
    writes,
    lockTimeout: flags.lockTimeout,
    threads: flags.threads,
  });
  try {
    const missing =
      sendsSecrets !== undefined && config !== null ? missingSecretErrors(config, sendsSecrets) : [];
    return missing.length > 0
      ? createOutcome({ problems: missing })
      : await act({ config, warnings, session });
  } finally {
    await session.close();
  }
}

/** Opens a session: loads the configuration file and connects to the service. */
import type { LoadedConfig } from '../../config/load-config.ts';
import { SERVICE_DEFAULTS } from '../../config/lower-service.ts';
import type { Problem } from '../../core/problem.ts';
import type { Context } from '../terminal/context.ts';
import { hasServiceData } from '../files/data-directory.ts';
import type { FileFlags, OutputFiles, SessionFlags } from '../terminal/flags.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { loadProject, missingSecretErrors, relevantWarnings } from '../files/project.ts';
import { Session } from './session.ts';

export interface OpenRequest {
  readonly flags: FileFlags & OutputFiles & SessionFlags;
  /** Default: `loadProject`. */
  readonly load?: typeof loadProject;
  /** See `SessionRequest.writes`. */
  readonly writes: boolean;
  /** Selects tests by key. Default: all tests. Missing secrets of other tests cause no warnings. */
  readonly selectsTest?: (key: string) => boolean;
  /** Selects the tests whose secrets must be set. Default: none. */
  readonly sendsSecrets?: (key: string) => boolean;
  /**
   * Checks the command line before the session is opened.
   * @throws ProblemError if the command line does not match the configuration file.
   */
  readonly check?: (config: LoadedConfig) => void;
}

/** `config` is null if the command runs without a configuration file. */
export interface OpenedSession<Config extends LoadedConfig | null = LoadedConfig> {
  readonly config: Config;
  readonly warnings: readonly Problem[];
  readonly session: Session;
}

/**
 * Calls `act` with the configuration and an open session. If the file cannot be loaded, the outcome contains the
 * problems of the file.
 */
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
  'create a file with "loadtests import -o loadtests.yaml"; status, run id:ID, results id:ID and stop --all work without a file';

/**
 * Like `withProject`, but the configuration file is optional.
 * @param request.mayLackFile - Reports whether to continue despite the problems. Default: `lacksOnlyFile`.
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

/**
 * Returns true if no file exists, no flag requires one, and a service can be used. The environment must name a service,
 * or the directory must contain data of the embedded service.
 */
export function lacksOnlyFile(
  { env, directory }: Context,
  flags: FileFlags,
  problems: readonly Problem[],
): boolean {
  return lacksOptionalFile(flags, problems) && (namesService(env) || hasServiceData(directory));
}

/** Returns true if no file exists and no flag requires one. */
export function lacksOptionalFile(
  { file, env, var: variables }: FileFlags,
  problems: readonly Problem[],
): boolean {
  const isOptional = file === undefined && env === undefined && variables === undefined;
  return isOptional && problems.every(({ code }) => code === 'LT_CONFIG_NOT_FOUND');
}

/** Reports whether the environment or the file names a service. Otherwise, the embedded service is used. */
export function namesService(env: Context['env'], { baseUrl } = SERVICE_DEFAULTS): boolean {
  return baseUrl !== null || (env['LOADTESTS_BASE_URL'] ?? '') !== '';
}

async function runInSession<Config extends LoadedConfig | null>(
  context: Context,
  { flags, writes, selectsTest = () => true, sendsSecrets, check }: OpenRequest,
  opening: {
    readonly config: Config;
    readonly warnings: readonly Problem[];
    readonly act: (opened: OpenedSession<Config>) => Promise<Outcome>;
  },
): Promise<Outcome> {
  const { config, act } = opening;
  const warnings =
    config === null ? opening.warnings : relevantWarnings(config, opening.warnings, selectsTest);
  if (config !== null) check?.(config);
  const session = await Session.open(context, {
    config,
    directory: config?.file.directory ?? context.directory,
    writes,
    flags,
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

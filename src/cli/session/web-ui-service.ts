/** Which service's page is meant, and the key that makes links to it. */
import type { LoadedConfig } from '../../config/load-config.ts';
import { isLoopback } from '../../core/model/app.ts';
import { Secret } from '../../core/model/secret.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { serviceDirectoryOf } from '../files/data-directory.ts';
import type { Context } from '../terminal/context.ts';
import { chooseService, type HostedService } from './connect.ts';
import { readStoredKey } from './operator-secrets.ts';

export interface WebUiService {
  readonly service: HostedService;
  readonly key: Secret;
  /** On this machine, and not named by a file: as `serve` listens where nothing else is said. */
  readonly isOwnService: boolean;
}

export interface WebUiServiceRequest {
  /** The address on the command line. */
  readonly named: string | null;
  /** Null: there is no file. */
  readonly config: LoadedConfig | null;
  readonly data: string | undefined;
}

/** Where `serve` listens by default. */
const DEFAULT_URL = 'http://127.0.0.1:4900';

/** Errors: ProblemError LT_CLI_NO_WEB_UI, LT_CLI_ORIGIN, LT_CLI_UNSAFE, LT_API_KEY. */
export function chooseWebUiService(
  context: Context,
  { named, config, data }: WebUiServiceRequest,
): WebUiService {
  const service = serviceOf(context, named, config);
  const isOwnService = config === null && isLoopback(new URL(service.baseUrl).host);
  const given = context.env[service.apiKeyEnv] ?? '';
  if (given !== '') return { service, key: new Secret(service.apiKeyEnv, given), isOwnService };
  const stored = isOwnService ? readStoredKey(serviceDirectoryOf(context, data)) : null;
  if (stored !== null) return { service, key: stored, isOwnService };
  const where = isOwnService ? ', or call this where the data of "loadtests serve" is (--data DIR)' : '';
  throw new ProblemError(
    problem(
      'LT_API_KEY',
      `the API key is missing; set the environment variable ${service.apiKeyEnv}${where}`,
    ),
  );
}

function serviceOf(context: Context, named: string | null, config: LoadedConfig | null): HostedService {
  const chosen = chooseService(context, config?.service ?? null);
  if (chosen.kind === 'hosted' && named === null) return chosen.service;
  if (chosen.kind === 'hosted' && new URL(chosen.service.baseUrl).origin !== new URL(named ?? '').origin) {
    const other = new URL(chosen.service.baseUrl).origin;
    const message = `--service is ${named ?? ''}, but LOADTESTS_BASE_URL names ${other}, whose key the environment has; unset it`;
    throw new ProblemError(problem('LT_CLI_ORIGIN', message));
  }
  if (named === null && config !== null) {
    const message = 'the file names no service, so it is the embedded one, which has no page';
    const hint = `start "loadtests serve", and name it: loadtests open --service ${DEFAULT_URL}`;
    throw new ProblemError(problem('LT_CLI_NO_WEB_UI', message, { hint }));
  }
  const env = { ...context.env, LOADTESTS_BASE_URL: named ?? DEFAULT_URL };
  const ours = chooseService({ ...context, env }, null);
  if (ours.kind === 'embedded') throw new Error('Bug: a service that has an address is not embedded');
  return ours.service;
}

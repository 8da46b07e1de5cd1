/** Selects the service whose web UI is opened, and its API key. */
import type { LoadedConfig } from '../../config/load-config.ts';
import { isLoopback } from '../../core/model/app.ts';
import { Secret } from '../../core/model/secret.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { serviceDirectoryOf } from '../files/data-directory.ts';
import type { Context } from '../terminal/context.ts';
import { chooseService, missingKeyError, type HostedService } from './connect.ts';
import { readStoredKey } from './operator-secrets.ts';

export interface WebUiService {
  readonly service: HostedService;
  readonly key: Secret;
  /** True for a service on loopback if no configuration file is used. */
  readonly isOwnService: boolean;
}

export interface WebUiServiceRequest {
  /** Value of `--service`; null if it is not set. */
  readonly named: string | null;
  /** Null if no configuration file is used. */
  readonly config: LoadedConfig | null;
  readonly data: string | undefined;
}

const DEFAULT_URL = 'http://127.0.0.1:4900';

/** @throws ProblemError if the service is not permitted or has no web UI, or the key is missing or unusable. */
export function chooseWebUiService(
  context: Context,
  { named, config, data }: WebUiServiceRequest,
): WebUiService {
  const service = serviceOf(context, named, config);
  const isOwnService = config === null && isLoopback(new URL(service.baseUrl).host);
  const value = context.env[service.apiKeyEnv] ?? '';
  if (value !== '') return { service, key: new Secret(service.apiKeyEnv, value), isOwnService };
  const stored = isOwnService ? readStoredKey(serviceDirectoryOf(context, data)) : null;
  if (stored !== null) return { service, key: stored, isOwnService };
  const alternative = isOwnService ? ', or pass the data directory of "loadtests serve" with --data DIR' : '';
  throw missingKeyError(service.apiKeyEnv, alternative);
}

function serviceOf(context: Context, named: string | null, config: LoadedConfig | null): HostedService {
  const chosen = chooseService(context, config);
  if (chosen !== null && named === null) return chosen;
  if (chosen !== null && new URL(chosen.baseUrl).origin !== new URL(named ?? '').origin) {
    const other = new URL(chosen.baseUrl).origin;
    const message = `--service is ${named ?? ''}, but LOADTESTS_BASE_URL and the API key belong to ${other}; unset LOADTESTS_BASE_URL`;
    throw new ProblemError(problem('LT_CLI_ORIGIN', message));
  }
  if (named === null && config !== null) {
    const message = 'the file uses the embedded service, which has no web UI';
    const hint = `start "loadtests serve", then run: loadtests open --service ${DEFAULT_URL}`;
    throw new ProblemError(problem('LT_CLI_NO_WEB_UI', message, { hint }));
  }
  const env = { ...context.env, LOADTESTS_BASE_URL: named ?? DEFAULT_URL };
  const own = chooseService({ ...context, env }, null);
  if (own === null) throw new Error('Bug: a service with an address was selected as the embedded service');
  return own;
}

/** Selects a service from the configuration file and the environment, and connects to it. */
import type { LoadedConfig } from '../../config/load-config.ts';
import { SERVICE_DEFAULTS, type ServiceConfig } from '../../config/lower-service.ts';
import type { ServiceClient } from '../../client/client.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import type { TracedIteration } from '../../core/load/run-report.ts';
import { isLoopback } from '../../core/model/app.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { Secret } from '../../core/model/secret.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import type { Milliseconds } from '../../core/units.ts';
import type { Context } from '../terminal/context.ts';

/** Settings of a service with an address. */
export interface HostedService extends ServiceConfig {
  readonly baseUrl: string;
}

export interface Connection {
  readonly service: ServicePort;
  /** Origin of the service, or `embedded`. */
  readonly origin: string;
  readonly key: Secret;
  readonly settle: Milliseconds;
  readonly verificationIdOf: (appId: string) => string;
  /** Runs one iteration with one client; null for a hosted service. */
  readonly runIteration: ((spec: LoadTestSpec) => Promise<TracedIteration>) | null;
  readonly runsOutliveCommand: () => boolean;
  /** Makes later reads include changes by other processes. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Returns the service that the file or LOADTESTS_BASE_URL names; null for the embedded service, if neither names one.
 * @throws ProblemError LT_CLI_ORIGIN, LT_CLI_UNSAFE or LT_CLI_USAGE if the address is not allowed or invalid.
 */
export function chooseService(context: Context, config: LoadedConfig | null): HostedService | null {
  const fromEnvironment = context.env['LOADTESTS_BASE_URL'] ?? '';
  const settings = config?.service ?? SERVICE_DEFAULTS;
  const fromFile = settings.baseUrl;
  const baseUrl = fromFile ?? (fromEnvironment === '' ? null : fromEnvironment.replace(/\/+$/, ''));
  if (baseUrl === null) return null;
  const origin = originOf(baseUrl);
  if (fromEnvironment !== '' && originOf(fromEnvironment) !== origin) {
    throw connectionError(
      'LT_CLI_ORIGIN',
      `LOADTESTS_BASE_URL is ${originOf(fromEnvironment)}, but the file names ${origin}; unset LOADTESTS_BASE_URL, or change "service.base_url"`,
    );
  }
  if (fromFile !== null && fromEnvironment === '' && isCi(context.env)) {
    throw new ProblemError(
      problem(
        'LT_CLI_ORIGIN',
        `in CI, LOADTESTS_BASE_URL must be set to ${origin}, because a pull request could change "service.base_url" and redirect the API key`,
        { hint: `set LOADTESTS_BASE_URL=${origin} in the CI settings, next to the API key` },
      ),
    );
  }
  const service = { ...settings, baseUrl };
  checkSafety(context, service);
  return service;
}

export function isCi({ CI: ci = '' }: Context['env']): boolean {
  return !['', '0', 'false'].includes(ci.toLowerCase());
}

function originOf(url: string): string {
  try {
    const { origin, protocol } = new URL(url);
    if (protocol === 'http:' || protocol === 'https:') return origin;
  } catch {
    // An invalid address is reported below.
  }
  throw connectionError('LT_CLI_USAGE', `LOADTESTS_BASE_URL "${url}" is not an http:// or https:// URL`);
}

function checkSafety(context: Context, service: HostedService): void {
  const { protocol, hostname } = new URL(service.baseUrl);
  if (context.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw connectionError(
      'LT_CLI_UNSAFE',
      'NODE_TLS_REJECT_UNAUTHORIZED=0 is not allowed, because an attacker on the network could read the API key; unset the variable, and trust a private CA with NODE_EXTRA_CA_CERTS',
    );
  }
  if (protocol === 'http:' && !isLoopback(hostname) && !service.allowPlainHttp) {
    throw connectionError(
      'LT_CLI_UNSAFE',
      `the API key would be sent unencrypted to ${service.baseUrl}; use https, or set "service.allow_plain_http" to true`,
    );
  }
}

function connectionError(code: Problem['code'], message: string): ProblemError {
  return new ProblemError(problem(code, message));
}

/**
 * Returns the command, or `a program` for the library, with the process ID, as recorded with started or stopped runs.
 */
export function callerOf({ args, pid }: Pick<Context, 'args' | 'pid'>): string {
  const command = args.find((word) => !word.startsWith('-'));
  return command === undefined ? `a program (process ${pid})` : `loadtests ${command} (process ${pid})`;
}

/** @param alternative - End of the message that describes another source of the key. */
export function missingKeyError(variable: string, alternative = ''): ProblemError {
  const message = `the API key is missing; set the environment variable ${variable}${alternative}`;
  return connectionError('LT_API_KEY', message);
}

/** @throws ProblemError LT_API_KEY if the environment variable of the key is not set or is empty. */
export async function connectHosted(context: Context, service: HostedService): Promise<Connection> {
  const value = context.env[service.apiKeyEnv];
  if (value === undefined || value === '') throw missingKeyError(service.apiKeyEnv);
  const key = new Secret(service.apiKeyEnv, value);
  const client = await createHostedClient(context, service, key);
  return {
    service: client,
    origin: new URL(service.baseUrl).origin,
    key,
    settle: service.settle,
    verificationIdOf: (appId) => `${service.tokenPrefix}-${appId}`,
    runIteration: null,
    runsOutliveCommand: () => true,
    refresh: () => Promise.resolve(),
    close: () => client.close(),
  };
}

/** @throws ProblemError if the address is not allowed. */
export async function createHostedClient(
  context: Pick<Context, 'version' | 'args' | 'pid'>,
  service: HostedService,
  key: Secret,
): Promise<ServiceClient> {
  const { createCommandClient } = await import('./command-client.ts');
  const { baseUrl, authHeader, requestTimeout, allowPlainHttp } = service;
  const access = { baseUrl, authHeader, key, requestTimeout, allowPlainHttp };
  return createCommandClient({ ...access, version: context.version, caller: callerOf(context) });
}

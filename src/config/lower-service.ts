/** Lowering of `service` and `web_server`, the process that serves the target during a command. */
import { faultOfHeaderName } from '../core/model/rules/request-rules.ts';
import { milliseconds, type Milliseconds } from '../core/units.ts';
import { quote } from '../core/quote.ts';
import type { ServiceEntry, WebServerEntry } from './generated/config-file.ts';
import { urlFieldFault } from './hosts.ts';
import { fieldOf, lowerDuration, lowerFlag, addError, type LoweringContext } from './quantities.ts';

/** Settings of the service that a file selects. */
export interface ServiceConfig {
  /** URL without `/v2` and without a trailing slash; null if the file does not set it. */
  readonly baseUrl: string | null;
  readonly authHeader: string;
  readonly apiKeyEnv: string;
  readonly tokenPrefix: string;
  readonly requestTimeout: Milliseconds;
  readonly settle: Milliseconds;
  readonly allowPlainHttp: boolean;
}

/** Settings of a file that does not set them. */
export const SERVICE_DEFAULTS: ServiceConfig = {
  baseUrl: null,
  authHeader: 'service-auth',
  apiKeyEnv: 'LOADTESTS_API_KEY',
  tokenPrefix: 'service',
  requestTimeout: milliseconds(30_000),
  settle: milliseconds(65_000),
  allowPlainHttp: false,
};

export interface WebServerConfig {
  readonly command: string;
  readonly url: string;
  /** True to use a server that is already running; null for the default, which is true except in CI. */
  readonly reuseExisting: boolean | null;
  readonly timeout: Milliseconds;
}

/**
 * Environment variables that contain other settings and therefore must not be used as the API key. The values of these
 * variables may be known to other users, who could then sign plans.
 */
const OPERATOR_VARIABLES: readonly string[] = [
  'LOADTESTS_BASE_URL',
  'LOADTESTS_ENV_FD',
  'LOADTESTS_LIMITS',
  'LOADTESTS_RECORD_URL',
  'LOADTESTS_REDIS',
  'LOADTESTS_SMTP',
  'LOADTESTS_WORKER_SECRET',
];

const AT_SERVICE = '/service';
const AT_WEB_SERVER = '/web_server';

export function lowerService(to: LoweringContext, entry: ServiceEntry): ServiceConfig {
  const authHeader = entry.auth_header ?? SERVICE_DEFAULTS.authHeader;
  const reason = faultOfHeaderName(authHeader);
  if (reason !== null) addError(to, 'LT_CONFIG_VALUE', reason, `${AT_SERVICE}/auth_header`);
  if (OPERATOR_VARIABLES.includes(entry.api_key_env ?? ''))
    addError(
      to,
      'LT_CONFIG_VALUE',
      `${entry.api_key_env} is reserved for a different purpose and cannot contain the API key; set "api_key_env" to a different variable, such as LOADTESTS_API_KEY`,
      `${AT_SERVICE}/api_key_env`,
    );
  const rule = { bare: null, unit: 'ms' } as const;
  return {
    baseUrl: entry.base_url === undefined ? null : lowerBaseUrl(to, entry.base_url),
    authHeader,
    apiKeyEnv: entry.api_key_env ?? SERVICE_DEFAULTS.apiKeyEnv,
    tokenPrefix: entry.token_prefix ?? SERVICE_DEFAULTS.tokenPrefix,
    requestTimeout:
      lowerDuration(to, fieldOf(entry, 'request_timeout', AT_SERVICE), { ...rule, min: 1 }) ??
      SERVICE_DEFAULTS.requestTimeout,
    settle:
      lowerDuration(to, fieldOf(entry, 'settle', AT_SERVICE), { ...rule, min: 0 }) ?? SERVICE_DEFAULTS.settle,
    allowPlainHttp:
      lowerFlag(to, fieldOf(entry, 'allow_plain_http', AT_SERVICE)) ?? SERVICE_DEFAULTS.allowPlainHttp,
  };
}

function lowerBaseUrl(to: LoweringContext, text: string): string {
  const at = `${AT_SERVICE}/base_url`;
  const fault = urlFieldFault(text);
  if (fault !== null) {
    addError(to, 'LT_CONFIG_VALUE', fault, at);
    return '';
  }
  const url = new URL(text);
  const path = withoutSlashesAtEnd(url.pathname);
  if (path.endsWith('/v2')) {
    const shown = quote(text.split(/[?#]/, 1)[0] ?? '');
    const corrected = url.origin + path.slice(0, -3);
    const message = `${shown} ends in /v2, which loadtests appends itself; write "${corrected}"`;
    addError(to, 'LT_CONFIG_VALUE', message, at);
  } else if (/[?#]/.test(text)) {
    const message = `"base_url" must not contain a query or fragment; write ${quote(url.origin + path)}`;
    addError(to, 'LT_CONFIG_VALUE', message, at);
  }
  return url.origin + path;
}

/** Removes trailing slashes in linear time. A regular expression would take quadratic time for many slashes. */
function withoutSlashesAtEnd(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

export function lowerWebServer(to: LoweringContext, entry: WebServerEntry): WebServerConfig {
  for (const key of ['command', 'url'] as const) {
    if (entry[key] === undefined && to.isComplete(AT_WEB_SERVER)) {
      addError(
        to,
        'LT_CONFIG_SHAPE',
        `"web_server" has no "${key}", which is required`,
        to.locations.key(AT_WEB_SERVER),
      );
    }
  }
  if (entry.url !== undefined) {
    const fault = urlFieldFault(entry.url);
    if (fault !== null) addError(to, 'LT_CONFIG_VALUE', fault, `${AT_WEB_SERVER}/url`);
  }
  if (entry.command?.includes('\0') === true)
    addError(
      to,
      'LT_CONFIG_VALUE',
      '"command" contains a NUL character; remove it',
      `${AT_WEB_SERVER}/command`,
    );
  const timeout = lowerDuration(to, fieldOf(entry, 'timeout', AT_WEB_SERVER), {
    bare: null,
    unit: 'ms',
    min: 1,
  });
  return {
    command: entry.command ?? '',
    url: entry.url ?? '',
    reuseExisting: lowerFlag(to, fieldOf(entry, 'reuse_existing', AT_WEB_SERVER)),
    timeout: timeout ?? milliseconds(30_000),
  };
}

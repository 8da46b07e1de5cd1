/** Connections to Redis, and checks at startup that Redis is reachable and suitable. */
import { messageOf, codeOf } from '../core/unknown-value.ts';
import type { Endpoint } from '../egress/address-policies.ts';
import { Redis, type RedisOptions } from 'ioredis';
import { problem, ProblemError } from '../core/problem.ts';
import type { RedisAddress } from './redis-address.ts';
import { limitReplies } from './reply-limits.ts';
import { reasonOfRedisError } from './sealed-stream.ts';
import { formatMinimumAcl, findMissingPermissions, type MissingPermissions } from './redis-permissions.ts';

/** Timeout for connecting and for the reply to a command, in ms. */
const COMMAND_TIMEOUT_MS = 3000;

const LOADING_TIMEOUT_MS = 10_000;

/**
 * Minimum and maximum delay before a reconnect, in ms, before a random variation of up to 25%. The delay doubles with
 * each attempt. The maximum must be much shorter than a lease.
 */
const [MIN_RECONNECT_DELAY_MS, MAX_RECONNECT_DELAY_MS] = [50, 250];

export interface OpenRedis {
  /** Address without credentials. */
  readonly displayAddress: string;
  /** Version of the server, such as `7.0.15`. */
  readonly version: string;
  /**
   * Opens another connection, which reconnects automatically. While the connection is lost, commands wait indefinitely.
   * The caller closes the connection with `disconnect`.
   *
   * @param blockMs - Maximum time that a command on this connection blocks in Redis, in ms; 0 if no command blocks.
   */
  connect(name: string, blockMs?: number): Redis;
  /** Returns the endpoints of all connections so far, including those before a failover. */
  endpoints(): readonly Endpoint[];
}

/** Called once when a connection is lost, and once when it is re-established. */
export type OnConnectionChange = (change: {
  readonly event: 'redis-lost' | 'redis-back';
  readonly connection: string;
  readonly reason: string | null;
}) => void;

/**
 * Checks that Redis is usable, and returns an object that opens connections.
 *
 * @throws ProblemError LT_CLUSTER_UNREACHABLE if Redis cannot be reached; LT_CLUSTER_REDIS if the credentials,
 * permissions, version or configuration are not usable.
 */
export async function openRedis(
  address: RedisAddress,
  onChange: OnConnectionChange = () => undefined,
): Promise<OpenRedis> {
  const endpoints = new Map<string, Endpoint>();
  const recordEndpoint = ({ stream }: Redis): void => {
    if (!('remoteAddress' in stream)) return;
    const { remoteAddress, remotePort } = stream;
    if (remoteAddress === undefined || remotePort === undefined) return;
    endpoints.set(`${remoteAddress} ${remotePort}`, { address: remoteAddress, port: remotePort });
  };
  const version = await checkServer(address, recordEndpoint);
  return {
    displayAddress: address.displayAddress,
    version,
    endpoints: () => [...endpoints.values()],
    connect: (name, blockMs = 0) => {
      const redis = new Redis({
        ...optionsOf(address),
        connectionName: `loadtests-${name}`,
        // Without this timeout, a connection over a network that drops packets would remain open.
        socketTimeout: COMMAND_TIMEOUT_MS + blockMs,
        maxRetriesPerRequest: null,
        retryStrategy: reconnectDelayOf,
        sentinelRetryStrategy: reconnectDelayOf,
        // After a failover, the former primary may continue as a replica.
        reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
      });
      limitReplies(redis);
      let lost = false;
      let reason: string | null = null;
      redis.on('connect', () => recordEndpoint(redis));
      redis.on('error', (error: unknown) => {
        reason = explainFailure(error).text;
      });
      redis.on('reconnecting', () => {
        if (!lost) onChange({ event: 'redis-lost', connection: name, reason });
        lost = true;
      });
      redis.on('ready', () => {
        if (lost) onChange({ event: 'redis-back', connection: name, reason: null });
        lost = false;
        reason = null;
      });
      return redis;
    },
  };
}

function reconnectDelayOf(attempt: number): number {
  const wait = Math.min(MIN_RECONNECT_DELAY_MS * 2 ** Math.min(attempt - 1, 10), MAX_RECONNECT_DELAY_MS);
  // The random factor prevents workers from reconnecting simultaneously.
  return wait * (0.75 + Math.random() / 2);
}

async function checkServer(address: RedisAddress, connected: (redis: Redis) => void): Promise<string> {
  const redis = new Redis({
    ...optionsOf(address),
    lazyConnect: true,
    // The ready check is not needed, because the checks below report missing permissions more precisely.
    enableReadyCheck: false,
    disableClientInfo: true,
    socketTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
    sentinelRetryStrategy: () => null,
  });
  limitReplies(redis);
  const errors: unknown[] = [];
  redis.on('error', (error) => errors.push(error));
  try {
    await redis.connect();
    connected(redis);
    if (errors.length > 0) throw errors[0];
    await waitUntilLoaded(redis);
    refuseMissingPermissions(address, await findMissingPermissions(redis, address.database));
    const info = parseInfo(await redis.info());
    refuseUnsupported(address, info);
    return info.get('valkey_version') ?? info.get('redis_version') ?? '';
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    // ioredis sends SELECT on connect, before the permission check.
    if (errors.some(isSelectError)) refuseMissingPermissions(address, { commands: ['select'], keys: false });
    // The first error states the cause. Later errors usually report only that the connection is closed.
    throw createConnectionError(address, errors[0] ?? error);
  } finally {
    redis.disconnect();
  }
}

function isSelectError(error: unknown): boolean {
  return error instanceof Error && /^NOPERM.*'select'/.test(error.message);
}

function optionsOf({ location, user, password, database }: RedisAddress): Omit<RedisOptions, 'replyMapping'> {
  const common = {
    db: database,
    connectTimeout: COMMAND_TIMEOUT_MS,
    keepAlive: 10_000,
    ...(user === null ? {} : { username: user }),
    ...(password === null ? {} : { password: password.reveal() }),
  };
  if (location.kind === 'socket') return { ...common, path: location.path };
  if (location.kind === 'server') {
    const { host, port } = location.server;
    return { ...common, host, port, ...(location.tls ? { tls: serverNameOf(host) } : {}) };
  }
  return {
    ...common,
    sentinels: [...location.sentinels],
    name: location.name,
    sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
    ...(location.password === null ? {} : { sentinelPassword: location.password.reveal() }),
    ...(location.tls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
  };
}

/** Returns the TLS option for SNI; empty for an IP address, which must not be sent as SNI. */
function serverNameOf(host: string): { readonly servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host };
}

async function waitUntilLoaded(redis: Redis): Promise<void> {
  const until = performance.now() + LOADING_TIMEOUT_MS;
  for (;;) {
    try {
      await redis.ping();
      return;
    } catch (error) {
      const isBusy = error instanceof Error && /^(LOADING|BUSY)\b/.test(error.message);
      if (error instanceof Error && error.message.startsWith('NOPERM')) return;
      if (!isBusy || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function parseInfo(info: string): ReadonlyMap<string, string> {
  const lines = info.split(/\r?\n/).filter((line) => /^\w+:/.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

function refuseMissingPermissions(
  { displayAddress, user }: RedisAddress,
  { commands, keys }: MissingPermissions,
): void {
  if (commands.length === 0 && !keys) return;
  const [first = '', ...others] = commands;
  const missing = [
    ...(first === ''
      ? []
      : [others.length === 0 ? `the command ${first}` : `the commands ${commands.join(', ')}`]),
    ...(keys ? ['the keys of loadtests'] : []),
  ];
  throw createSetupError(
    `the user "${user ?? 'default'}" of Redis at ${displayAddress} lacks permission to use ${missing.join(' and ')}`,
    `grant the permissions: ACL SETUSER ${user ?? 'NAME'} ${formatMinimumAcl()}`,
  );
}

/** Minimum version of Redis. The version of Valkey is not checked. */
const MIN_VERSION = [6, 2] as const;

function refuseUnsupported({ displayAddress }: RedisAddress, info: ReadonlyMap<string, string>): void {
  const version = info.get('redis_version') ?? '';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]);
  if (!info.has('valkey_version') && !isNew) {
    const finding = version === '' ? 'does not report its version' : `has version ${version}`;
    throw createSetupError(`Redis at ${displayAddress} ${finding}`, 'use Redis 6.2 or later, or Valkey');
  }
  if (info.get('redis_mode') === 'cluster')
    throw createSetupError(
      `Redis at ${displayAddress} is a node of a Redis Cluster`,
      'use a single server, or one that is managed by Sentinel',
    );
  if (info.get('role') === 'slave') {
    const primary = `${info.get('master_host') ?? ''}:${info.get('master_port') ?? ''}`;
    throw createSetupError(
      `Redis at ${displayAddress} is a replica and does not accept writes`,
      `use the address of its primary, ${primary}, or of its sentinels`,
    );
  }
  const policy = info.get('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction')
    throw createSetupError(
      `Redis at ${displayAddress} evicts keys when memory is full (maxmemory-policy: ${policy})`,
      'set maxmemory-policy to noeviction in the Redis configuration, or run CONFIG SET maxmemory-policy noeviction',
    );
}

function createConnectionError(address: RedisAddress, error: unknown): ProblemError {
  const { text, hint: knownHint, code } = explainFailure(error);
  const { location } = address;
  // A Redis server without TLS treats a TLS handshake as an incomplete command and waits for the rest.
  const tlsHint = location.kind !== 'socket' && location.tls && text === NO_RESPONSE ? NO_TLS : null;
  const hint = knownHint ?? tlsHint;
  return new ProblemError(
    problem(code, `Redis at ${address.displayAddress} cannot be used: ${text}`, { hint }),
  );
}

/** Returns the error for a command that failed after the checks at startup. */
export function createCommandError(
  { displayAddress }: Pick<OpenRedis, 'displayAddress'>,
  error: unknown,
): ProblemError {
  const cause = reasonOfRedisError(error);
  return new ProblemError(
    cause === null
      ? problem('LT_CLUSTER_UNREACHABLE', `Redis at ${displayAddress} did not respond or returned an error`)
      : problem('LT_CLUSTER_REDIS', `Redis at ${displayAddress} cannot be used: ${cause}`),
  );
}

function createSetupError(text: string, hint: string): ProblemError {
  return new ProblemError(problem('LT_CLUSTER_REDIS', text, { hint }));
}

interface FailureReason {
  readonly text: string;
  readonly hint: string | null;
  readonly code: 'LT_CLUSTER_REDIS' | 'LT_CLUSTER_UNREACHABLE';
}

const CREDENTIALS = 'set the user and password in LOADTESTS_REDIS: redis://user:password@host:6379';
const NO_TLS = 'use redis:// if the server does not support TLS';
const NO_RESPONSE = `no response within ${COMMAND_TIMEOUT_MS / 1000} s`;
const TRUST = 'set NODE_EXTRA_CA_CERTS=FILE to add a certificate authority';

/** Explanations of errors by code or message. The first match is used. */
const FAILURE_REASONS: readonly (readonly [RegExp, text: string, hint: string | null])[] = [
  [/WRONGPASS|invalid password/, 'the user or password is wrong', CREDENTIALS],
  [/NOAUTH/, 'a password is required', CREDENTIALS],
  [
    /DB index/,
    'the database number is out of range',
    'remove the number, or increase "databases" in the Redis configuration',
  ],
  [/SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET)/, 'its certificate is not signed by a trusted authority', TRUST],
  [/ALTNAME_INVALID/, 'its certificate is for a different name', 'use a host name from the certificate'],
  [/CERT_HAS_EXPIRED/, 'its certificate has expired', null],
  [
    /certificate required/i,
    'it requires a client certificate',
    'set tls-auth-clients to no in the Redis configuration',
  ],
  [/WRONG_VERSION_NUMBER|EPROTO|packet length/, 'it does not support TLS', NO_TLS],
  [
    /Protocol error|Unknown RESP type/,
    'it does not use the Redis protocol',
    'use rediss:// if the server requires TLS',
  ],
];

const UNREACHABLE: readonly (readonly [RegExp, text: string])[] = [
  [/ECONNREFUSED/, 'connection refused'],
  [/ENOTFOUND|EAI_/, 'the host name could not be resolved'],
  [/ENOENT/, 'the socket file does not exist'],
  [/EACCES/, 'permission denied'],
  [/ETIMEDOUT|timeout|timed out/i, NO_RESPONSE],
  [/EHOSTUNREACH|ENETUNREACH/, 'no route to host'],
  [/LOADING|BUSY/, 'it is still loading its dataset or is running a script'],
  [/ECONNRESET|EPIPE|Connection is closed/, 'it closed the connection'],
];

/** Explains an error without quoting its command, because the arguments of a command may include passwords. */
function explainFailure(error: unknown): FailureReason {
  const message = messageOf(error);
  const details = `${codeOf(error) ?? ''} ${message}`;
  for (const [pattern, text, hint] of FAILURE_REASONS) {
    if (pattern.test(details)) return { text, hint, code: 'LT_CLUSTER_REDIS' };
  }
  const text = UNREACHABLE.find(([pattern]) => pattern.test(details))?.[1] ?? message.split('\n')[0] ?? '';
  const explained = message.includes('All sentinels are unreachable')
    ? `no sentinel is usable: ${text}`
    : text;
  return { text: explained, hint: null, code: 'LT_CLUSTER_UNREACHABLE' };
}

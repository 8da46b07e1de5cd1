/** Opening a Redis: is it there, may we use it, and is it set up so that it forgets nothing? */
import type { Endpoint } from '../egress/address-policies.ts';
import { Redis, type RedisOptions } from 'ioredis';
import { problem, ProblemError } from '../core/problem.ts';
import type { RedisAddress } from './redis-address.ts';
import { formatMinimumAcl, findMissingPermissions, type MissingPermissions } from './redis-permissions.ts';

/** How long a connection may take to be made, and a command to be answered, in ms. */
const COMMAND_TIMEOUT_MS = 3000;

/** A Redis that was just started reads its data first. */
const LOADING_TIMEOUT_MS = 10_000;

/** The wait before a connection is made again, in ms; it doubles up to the longest, which a lease bears. */
const [MIN_RECONNECT_DELAY_MS, MAX_RECONNECT_DELAY_MS] = [50, 800];

export interface OpenRedis {
  /** See `RedisAddress.shown`. */
  readonly displayAddress: string;
  /** Of the server, such as `7.0.15`. */
  readonly version: string;
  /**
   * One more connection. It is made again whenever it is lost, and commands wait meanwhile, without end: who must not
   * wait says so at the command. It is closed by who asked for it, with `disconnect`.
   *
   * @param blockMs how long a command of this connection may block in Redis; 0: none does
   */
  connect(name: string, blockMs?: number): Redis;
  /** Where its connections led so far: what sentinels and name servers name may change at any time. */
  endpoints(): readonly Endpoint[];
}

/** What happens to connections later: one word for each change. Nothing of it holds a credential. */
export type OnConnectionChange = (trouble: {
  readonly event: 'redis-lost' | 'redis-back';
  readonly connection: string;
  readonly reason: string | null;
}) => void;

/**
 * Checked before anything is built on it; a name server or a failover may take some seconds.
 *
 * Errors: ProblemError LT_CLUSTER_UNREACHABLE; LT_CLUSTER_REDIS for credentials, rights, its version and its set-up.
 */
export async function openRedis(
  address: RedisAddress,
  onTrouble: OnConnectionChange = () => undefined,
): Promise<OpenRedis> {
  const reached = new Map<string, Endpoint>();
  const note = ({ stream }: Redis): void => {
    if (!('remoteAddress' in stream)) return;
    const { remoteAddress, remotePort } = stream;
    if (remoteAddress === undefined || remotePort === undefined) return;
    reached.set(`${remoteAddress} ${remotePort}`, { address: remoteAddress, port: remotePort });
  };
  const version = await checkServer(address, note);
  return {
    displayAddress: address.displayAddress,
    version,
    endpoints: () => [...reached.values()],
    connect: (name, blockMs = 0) => {
      const redis = new Redis({
        ...optionsOf(address),
        connectionName: `loadtests-${name}`,
        // A network that swallows packets looks like a Redis that says nothing.
        socketTimeout: COMMAND_TIMEOUT_MS + blockMs,
        maxRetriesPerRequest: null,
        retryStrategy: reconnectDelayOf,
        sentinelRetryStrategy: reconnectDelayOf,
        // What was the primary may live on as a replica after a failover.
        reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
      });
      let lost = false;
      let reason: string | null = null;
      redis.on('connect', () => {
        note(redis);
      });
      redis.on('error', (error: unknown) => {
        reason = explainFailure(error).text;
      });
      redis.on('reconnecting', () => {
        if (!lost) onTrouble({ event: 'redis-lost', connection: name, reason });
        lost = true;
      });
      redis.on('ready', () => {
        if (lost) onTrouble({ event: 'redis-back', connection: name, reason: null });
        lost = false;
        reason = null;
      });
      return redis;
    },
  };
}

function reconnectDelayOf(attempt: number): number {
  const wait = Math.min(MIN_RECONNECT_DELAY_MS * 2 ** Math.min(attempt - 1, 10), MAX_RECONNECT_DELAY_MS);
  // Of many workers not all at once.
  return wait * (0.75 + Math.random() / 2);
}

/** The version of a Redis that can be used. */
async function checkServer(address: RedisAddress, connected: (redis: Redis) => void): Promise<string> {
  const redis = new Redis({
    ...optionsOf(address),
    lazyConnect: true,
    // Asked below: what may not ask is told so.
    enableReadyCheck: false,
    disableClientInfo: true,
    socketTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
    sentinelRetryStrategy: () => null,
  });
  const errors: unknown[] = [];
  redis.on('error', (error) => errors.push(error));
  try {
    await redis.connect();
    connected(redis);
    if (errors.length > 0) throw errors[0];
    await waitUntilLoaded(redis);
    refuseMissingPermissions(address, await findMissingPermissions(redis, address.database));
    const facts = parseInfo(await redis.info());
    refuseUnsupported(address, facts);
    return facts.get('valkey_version') ?? facts.get('redis_version') ?? '';
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    // Said before anything can be tried.
    if (errors.some(isSelectError)) refuseMissingPermissions(address, { commands: ['select'], keys: false });
    // The first one says why; what comes after it says that the connection was closed.
    throw createConnectionError(address, errors[0] ?? error);
  } finally {
    redis.disconnect();
  }
}

function isSelectError(error: unknown): boolean {
  return error instanceof Error && /^NOPERM.*'select'/.test(error.message);
}

function optionsOf({ location, user, password, database }: RedisAddress): Omit<RedisOptions, 'replyMapping'> {
  const all = {
    db: database,
    connectTimeout: COMMAND_TIMEOUT_MS,
    keepAlive: 10_000,
    ...(user === null ? {} : { username: user }),
    ...(password === null ? {} : { password: password.reveal() }),
  };
  if (location.kind === 'socket') return { ...all, path: location.path };
  if (location.kind === 'server') {
    const { host, port } = location.server;
    return { ...all, host, port, ...(location.tls ? { tls: serverNameOf(host) } : {}) };
  }
  return {
    ...all,
    sentinels: [...location.sentinels],
    name: location.name,
    sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
    ...(location.password === null ? {} : { sentinelPassword: location.password.reveal() }),
    ...(location.tls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
  };
}

/** The name that a certificate must have; addresses are compared without. */
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
      const waits = error instanceof Error && /^(LOADING|BUSY)\b/.test(error.message);
      if (error instanceof Error && error.message.startsWith('NOPERM')) return;
      if (!waits || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** The lines `name:value` of INFO. */
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
    `the user "${user ?? 'default'}" of Redis at ${displayAddress} lacks the right to use ${missing.join(' and ')}`,
    `what it needs: ACL SETUSER ${user ?? 'NAME'} ${formatMinimumAcl()}`,
  );
}

/** The oldest version of Redis; that of Valkey, which began later, is always new enough. */
const MIN_VERSION = [6, 2] as const;

function refuseUnsupported({ displayAddress }: RedisAddress, facts: ReadonlyMap<string, string>): void {
  const version = facts.get('redis_version') ?? '';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]);
  if (!facts.has('valkey_version') && !isNew) {
    const said = version === '' ? 'does not tell its version' : `is of version ${version}`;
    throw createSetupError(
      `Redis at ${displayAddress} ${said}`,
      'loadtests needs Redis 6.2 or later, or Valkey',
    );
  }
  if (facts.get('redis_mode') === 'cluster')
    throw createSetupError(
      `Redis at ${displayAddress} is a node of a Redis Cluster`,
      'name a server of its own, or one that sentinels watch',
    );
  if (facts.get('role') === 'slave') {
    const primary = `${facts.get('master_host') ?? ''}:${facts.get('master_port') ?? ''}`;
    throw createSetupError(
      `Redis at ${displayAddress} is a replica, which takes no writes`,
      `name its primary, ${primary}, or its sentinels`,
    );
  }
  const policy = facts.get('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction')
    throw createSetupError(
      `Redis at ${displayAddress} throws keys away when its memory is full: its maxmemory-policy is ${policy}`,
      'set maxmemory-policy to noeviction, in its configuration or with CONFIG SET maxmemory-policy noeviction',
    );
}

function createConnectionError(address: RedisAddress, error: unknown): ProblemError {
  const { text, hint: known, code } = explainFailure(error);
  const { location } = address;
  // A Redis without TLS waits for the rest of what it takes for a command.
  const perhaps = location.kind !== 'socket' && location.tls && text === SILENT ? NO_TLS : null;
  const hint = known ?? perhaps;
  return new ProblemError(
    problem(code, `Redis at ${address.displayAddress} cannot be used: ${text}`, { hint }),
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

const CREDENTIALS = 'give user and password in LOADTESTS_REDIS: redis://user:password@host:6379';
const NO_TLS = 'write redis:// where it does not speak TLS';
const SILENT = `no answer within ${COMMAND_TIMEOUT_MS / 1000} s`;
const TRUST = 'NODE_EXTRA_CA_CERTS=FILE adds a certificate authority';

/** By what is in the code or the message of an error; the first that fits. Others are told in their own words. */
const FAILURE_REASONS: readonly (readonly [RegExp, text: string, hint: string | null])[] = [
  [/WRONGPASS|invalid password/, 'the user or password is wrong', CREDENTIALS],
  [/NOAUTH/, 'it asks for a password', CREDENTIALS],
  [/DB index/, 'it has no database of that number', 'leave the number out, or raise "databases" there'],
  [/SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET)/, 'nobody who is trusted here signed its certificate', TRUST],
  [/ALTNAME_INVALID/, 'its certificate is for another name', 'use a name that stands in the certificate'],
  [/CERT_HAS_EXPIRED/, 'its certificate has expired', null],
  [/certificate required/i, 'it asks for a certificate of ours', 'set tls-auth-clients to no there'],
  [/WRONG_VERSION_NUMBER|EPROTO|packet length/, 'it does not speak TLS', NO_TLS],
  [
    /Protocol error|Unknown RESP type/,
    'it does not speak the protocol of Redis',
    'write rediss:// where it speaks TLS',
  ],
];

const UNREACHABLE: readonly (readonly [RegExp, text: string])[] = [
  [/ECONNREFUSED/, 'nothing listens there'],
  [/ENOTFOUND|EAI_/, 'its name is not known'],
  [/ENOENT/, 'there is no such file'],
  [/EACCES/, 'the file may not be opened'],
  [/ETIMEDOUT|timeout|timed out/i, SILENT],
  [/EHOSTUNREACH|ENETUNREACH/, 'no way leads there'],
  [/LOADING|BUSY/, 'it is still busy with its start'],
  [/ECONNRESET|EPIPE|Connection is closed/, 'it closed the connection'],
];

/** Of an error, words alone: the error of a command holds its arguments, and with them passwords. */
function explainFailure(error: unknown): FailureReason {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  const said = `${code} ${message}`;
  for (const [pattern, text, hint] of FAILURE_REASONS) {
    if (pattern.test(said)) return { text, hint, code: 'LT_CLUSTER_REDIS' };
  }
  const text = UNREACHABLE.find(([pattern]) => pattern.test(said))?.[1] ?? message.split('\n')[0] ?? '';
  const all = message.includes('All sentinels are unreachable')
    ? `no sentinel answered as it should: ${text}`
    : text;
  return { text: all, hint: null, code: 'LT_CLUSTER_UNREACHABLE' };
}

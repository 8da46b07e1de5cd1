/** What the service is told when it is opened. */
import { OWN_LIMITS } from '../core/model/capabilities.ts';
import type { Secret } from '../core/model/secret.ts';
import type { Endpoint } from '../egress/address-policies.ts';
import type { ConnectionLimits } from './http-server.ts';
import type { ServiceLog } from './log.ts';
import type { CheckpointStore } from '../core/ports/checkpoint-store.ts';
import type { Runner } from '../core/ports/runner.ts';
import type { WorkerPool } from '../core/ports/worker-pool.ts';
import type { RetentionPolicy } from './store/result-store.ts';
import type { Ticker } from './ticker.ts';

export interface ServiceOptions {
  /** `in-process`: for one command of one user; loopback hosts need no token. `serve`: for others too. */
  readonly mode: 'in-process' | 'serve';
  /** Made when it is missing. One service at a time. */
  readonly dataDirectory: string;
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly apiKey: Secret;
  /** One that keeps something of its runs is made when the data is open. */
  readonly runner: Runner | ((keep: CheckpointStore) => Runner);
  /** Those who make the load where the runner does not; null, or not given: it does. */
  readonly workerPool?: WorkerPool | null;
  /** What it depends on and never sends anything to for others, beside its mail relay. None where it is not given. */
  readonly endpoints?: () => readonly Endpoint[];
  readonly log: ServiceLog;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * Blocks of addresses, `address/bits`, that the operator vouches for: load may go to private ones among them, and
   * in all of them a TXT record proves enough for load.
   */
  readonly allowPrivate: readonly string[];
  /** The address that users call the service by, where a proxy stands before it. */
  readonly publicUrl: string | null;
  readonly limits?: Partial<ServiceLimits>;
  /** Which results of each test are kept; all where it is not given. */
  readonly keepResults?: RetentionPolicy | null;
  /** Whether anybody is told of ended runs: not by a service on a copy of the data. True where it is not given. */
  readonly sendNotices?: boolean;
  /** When to look at what has come due; every second where it is not given. */
  readonly ticker?: Ticker;
  /**
   * Hosts, with or without port and with `*` for any text, that callbacks may go to and payload files come from,
   * beside verified apps and, where the machine is the users' own, loopback. None where it is not given.
   */
  readonly allowCallbacks?: readonly string[];
  /**
   * Addresses and domains, with `*` for any text, that mail may go to, beside the hosts of verified apps. None where it
   * is not given.
   */
  readonly allowEmail?: readonly string[];
  /** Lets metrics be read without the key. */
  readonly publicMetrics?: boolean;
  /** Name servers, `address` or `address:port`, that are asked instead of the system's. */
  readonly dnsServers?: readonly string[];
  /** Engine threads of each run; as many as its load needs where it is not given. */
  readonly threads?: number | null;
  /** The relay for mail, `smtp://user:password@host:port?from=address` or `smtps:`; none: no mail. */
  readonly smtp?: string | null;
}

export interface ServiceLimits extends ConnectionLimits {
  /** Of all runs together, on one host: a name, or a machine that names lead to. */
  readonly connectionsPerTarget: number;
  /** Of all runs together, on one host; requests that follow redirects are among them. */
  readonly requestsPerSecondPerTarget: number;
  /** Verify calls of one app, where others use the service; and checks of it before runs that failed. */
  readonly verifyAttemptsPerMinute: number;
  /** The same of all apps together. */
  readonly totalVerifyAttemptsPerMinute: number;
  /** That a host did not verify is told at multiples of this, where others use the service; longer than a check. */
  readonly refusalDelayStepMs: number;
  readonly hostCheckIntervalMs: number;
  /** Of the definitions of all tests together. */
  readonly maxTestBytes: number;
  /** Of all payload files that callers have sent. */
  readonly maxPayloadBytes: number;
  /** How often what a run has counted is kept, so that it survives a kill. */
  readonly checkpointIntervalMs: number;
  /** How long runs, answers and attempts to deliver may take to end when the service closes. */
  readonly closeGraceMs: number;
  /** One attempt at a callback: resolving, connecting, sending and reading together. */
  readonly callbackDeadlineMs: number;
  /** How long a service of one command tries, when it closes, to tell of the runs of that command. */
  readonly finalDeliveryMs: number;
}

export const DEFAULT_LIMITS: ServiceLimits = {
  connections: 4096,
  unauthenticated: 1024,
  receiveHeaderMs: 10_000,
  receiveMs: 30_000,
  connectionsPerTarget: OWN_LIMITS.connectionsPerHost,
  requestsPerSecondPerTarget: OWN_LIMITS.requestsPerSecondPerHost,
  verifyAttemptsPerMinute: 5,
  totalVerifyAttemptsPerMinute: 30,
  refusalDelayStepMs: 10_000,
  hostCheckIntervalMs: 10_000,
  maxTestBytes: 1024 * 1024 * 1024,
  maxPayloadBytes: 1024 * 1024 * 1024,
  checkpointIntervalMs: 5000,
  closeGraceMs: 3000,
  callbackDeadlineMs: 10_000,
  finalDeliveryMs: 10_000,
};

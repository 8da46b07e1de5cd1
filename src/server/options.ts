import { OWN_LIMITS } from '../core/model/capabilities.ts';
import type { Secret } from '../core/model/secret.ts';
import type { Endpoint } from '../egress/address-policies.ts';
import type { ServiceLog } from './log.ts';
import type { ReportRenderer } from './routes/run-report.ts';
import type { CheckpointStore } from '../core/ports/checkpoint-store.ts';
import type { PhaseRunner } from '../core/ports/phase-runner.ts';
import type { Runner } from '../core/ports/runner.ts';
import type { WorkerPool } from '../core/ports/worker-pool.ts';
import type { RetentionPolicy } from './store/result-store.ts';
import type { Ticker } from './ticker.ts';

export interface ServiceOptions {
  /**
   * `in-process` is for one user, in the process of that user. `serve` is for several users.
   */
  readonly mode: 'in-process' | 'serve';
  /** Data directory, which is created if missing. Only one service can use the directory at a time. */
  readonly dataDirectory: string;
  readonly host: string;
  /** Port; 0 selects a free port. */
  readonly port: number;
  readonly apiKey: Secret;
  /**
   * Runner, or a function that creates the runner. The function is called after the database is opened.
   */
  readonly runner: Runner | ((checkpoints: CheckpointStore) => Runner);
  readonly phases: PhaseRunner;
  /** Workers that generate the load; null if the runner generates it. Default: null. */
  readonly workerPool?: WorkerPool | null;
  /**
   * Returns the endpoints of the dependencies of the service, except the mail relay. These endpoints must never receive
   * load or callbacks. Default: none.
   */
  readonly endpoints?: () => readonly Endpoint[];
  /** Null disables HTML reports. Default: null. */
  readonly renderReport?: ReportRenderer | null;
  readonly log: ServiceLog;
  readonly version: string;
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * Trusted address blocks, `address/bits`. Private addresses in these blocks may receive load. A TXT record suffices
   * to verify a host whose addresses are all in these blocks.
   */
  readonly allowPrivate: readonly string[];
  /** Public URL of the service if it runs behind a proxy; otherwise null. */
  readonly publicUrl: string | null;
  /**
   * Addresses and address blocks of trusted proxies. Their X-Forwarded-For header determines the client address for
   * rate limits. Default: none.
   */
  readonly trustProxies?: readonly string[];
  readonly limits?: Partial<ServiceLimits>;
  /** Default: all results are retained. */
  readonly keepResults?: RetentionPolicy | null;
  /**
   * Whether notices of ended runs are sent. Must be false for a service that runs on a copy of the data. Default: true.
   */
  readonly sendNotices?: boolean;
  /** Calls periodic work, such as starting scheduled tests. Default: once per second. */
  readonly ticker?: Ticker;
  /**
   * Hosts, with or without a port, that may receive callbacks and provide payload files. `*` matches any string.
   * Hosts of verified apps, and loopback hosts if the users are on the same machine, are always allowed. Default: none.
   */
  readonly allowCallbacks?: readonly string[];
  /**
   * Email addresses and domains that may receive email; `*` matches any string. Hosts of verified apps without a port
   * are always allowed. Default: none.
   */
  readonly allowEmail?: readonly string[];
  readonly publicMetrics?: boolean;
  /** DNS servers, as `address` or `address:port`. Default: the DNS servers of the system. */
  readonly dnsServers?: readonly string[];
  readonly threads?: number | null;
  /** Seed of all runs; null for a random seed per run. Default: null. */
  readonly seed?: number | null;
  /** Mail relay URL, `smtp://user:password@host:port?from=address` or `smtps:`; default: no email. */
  readonly smtp?: string | null;
}

export interface ConnectionLimits {
  readonly connections: number;
  readonly unauthenticated: number;
  /**
   * Time limit for receiving the header section of a request, in ms. Measured from the opening of the connection for
   * the first request, and from the first byte for later requests.
   */
  readonly receiveHeaderMs: number;
  /** Time limit for receiving a whole request, in ms. Measured from the same moment as `receiveHeaderMs`. */
  readonly receiveMs: number;
  /** Time after which the connection is closed if the client stops reading a response, in ms. */
  readonly sendStallMs: number;
}

export interface ServiceLimits extends ConnectionLimits {
  /** Maximum number of connections that all runs together open to one host name or IP address. */
  readonly connectionsPerTarget: number;
  /** Maximum number of requests per second that all runs together send to one host, including after redirects. */
  readonly requestsPerSecondPerTarget: number;
  /** Maximum number of verify calls and failed checks of one app per minute in `serve` mode. */
  readonly verifyAttemptsPerMinute: number;
  /** Maximum number of verify calls and failed checks of all apps per minute in `serve` mode. */
  readonly totalVerifyAttemptsPerMinute: number;
  readonly refusalDelayStepMs: number;
  readonly hostCheckIntervalMs: number;
  readonly maxTestBytes: number;
  readonly maxPayloadBytes: number;
  readonly checkpointIntervalMs: number;
  /** Maximum time to wait for runs, responses and deliveries when the service closes, in ms. */
  readonly closeGraceMs: number;
  readonly callbackDeadlineMs: number;
  /** Maximum time for delivering notices when an in-process service closes, in ms. */
  readonly finalDeliveryMs: number;
}

export const DEFAULT_LIMITS: ServiceLimits = {
  connections: 4096,
  unauthenticated: 1024,
  receiveHeaderMs: 10_000,
  receiveMs: 30_000,
  sendStallMs: 60_000,
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

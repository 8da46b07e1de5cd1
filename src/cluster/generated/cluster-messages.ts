/* Written by "npm run generate" from schemas/; never edited. */
import type { Milliseconds } from '../../core/units.ts';

/**
 * Messages that a service and its workers exchange as JSON. All of them are sealed, so a reader of Redis sees only the sender, the recipient and the time of a message. Times are in ms.
 */
export type ClusterMessage = Heartbeat | MailboxMessage | ShardOffer | ServiceMessage | WorkerHeader;
export type Name = string;
export type RunId = string;
export type Difference = number;
export type Duration = number;
/**
 * Message from the service to one worker, in the mailbox of the worker.
 */
export type MailboxMessage = OfferReference | DrainRequest;
export type WorkerId = string;
export type Level = number;
export type RunTime = Milliseconds;
export type RequestTime = Milliseconds;
export type Text = string;
export type LongText = string;
/**
 * @maxItems 10000
 */
export type OfferedFields = readonly OfferedField[];
export type OfferedVariable =
  | {
      readonly name: Name;
      readonly header: Name;
    }
  | {
      readonly name: Name;
      readonly cookie: Name;
    }
  | {
      readonly name: Name;
      readonly json: Name;
      readonly pick?: 'first' | 'last' | 'random' | 'all';
    }
  | {
      readonly name: Name;
      readonly status: true;
    }
  | {
      readonly name: Name;
      readonly pattern: Name;
    };
export type OfferedExpectedValue = OfferedScalar | OfferedCondition;
export type OfferedScalar = string | number | boolean | null;
/**
 * Values of one row. Their length is not checked, because a payload file may have 64 MiB of them; the size of the offer limits it.
 *
 * @maxItems 100
 */
export type OfferedRow = readonly string[];
export type OfferedPasses = number;
export type Count = number;
export type ThreadIndex = number;
/**
 * Message from the service to all workers of a run.
 */
export type ServiceMessage = StartMessage | AcknowledgedMessage | StopMessage | RowsMessage | CancelMessage;
/**
 * JSON part of a message from a worker to the service. Each message has a sequence number, from 0 without gaps, except `counts`, which has its own.
 */
export type WorkerHeader = ReadyMessage | RefusedMessage | ProgressHeader | CountsMessage | FinalMessage;
export type ThreadCount = number;
export type RunInstant = number;

/**
 * State that a worker publishes every 2 s. Other versions may have further members.
 */
export interface Heartbeat {
  readonly protocol: number;
  /**
   * Random ID of the process: 16 hex digits.
   */
  readonly id: string;
  /**
   * Name from `--name`, or the host name.
   */
  readonly name: string;
  readonly version: Name;
  /**
   * Start of the worker by its own clock, in ms since 1970.
   */
  readonly since: number;
  readonly state: 'ready' | 'busy' | 'draining';
  /**
   * Run that the worker is working on; null if idle.
   */
  readonly runId: RunId | null;
  /**
   * Engine threads that the worker uses for a run.
   */
  readonly threads: number;
  /**
   * Maximum number of concurrent connections; null if unlimited.
   */
  readonly connections: number | null;
  /**
   * Source ports to one address; null if unknown.
   */
  readonly ports: number | null;
  /**
   * Addresses to which a port in TIME_WAIT can be reused after one second.
   */
  readonly portReuse: 'all' | 'loopback' | 'none';
  /**
   * IP versions of the worker's addresses, excluding loopback.
   *
   * @maxItems 2
   */
  readonly families: readonly (4 | 6)[];
  /**
   * Offset of the worker's wall clock from Redis time, and the uncertainty of the offset.
   */
  readonly clock: {
    readonly offsetMs: Difference;
    readonly uncertaintyMs: Duration;
  };
  /**
   * Utilization of the main thread, 0 to 1.
   */
  readonly load: number;
}
/**
 * Reference to a sealed `ShardOffer`. Its epoch and expiry are those of the message.
 */
export interface OfferReference {
  readonly kind: 'offer';
  readonly runId: RunId;
  /**
   * IDs of the chunks of the sealed offer, in order.
   *
   * @minItems 1
   * @maxItems 1024
   */
  readonly chunks: readonly string[];
}
/**
 * The worker accepts no new shards and ends after its current one.
 */
export interface DrainRequest {
  readonly kind: 'drain';
}
/**
 * Offer of a shard to one worker.
 */
export interface ShardOffer {
  readonly protocol: number;
  readonly runId: RunId;
  /**
   * Increases each time the run is split over workers. Messages of older epochs are ignored.
   */
  readonly epoch: number;
  readonly workerId: WorkerId;
  /**
   * Redis time after which the worker must not accept the offer.
   */
  readonly expires: number;
  readonly job: OfferedJob;
  /**
   * Hosts that the worker verifies from its own network.
   *
   * @maxItems 100
   */
  readonly hosts: readonly OfferedHost[];
  /**
   * Shards of the worker's threads; `stride` is the number of threads of the whole run.
   *
   * @minItems 1
   * @maxItems 4096
   */
  readonly threadShards: readonly OfferedShard[];
}
/**
 * Job with all payload rows. The worker replaces the addresses with those that it resolves itself.
 */
export interface OfferedJob {
  readonly runId: RunId;
  readonly testType: 'cycling' | 'non-cycling' | 'per-second';
  readonly initial: Level;
  readonly total: Level;
  readonly duration: RunTime;
  readonly ramps: readonly OfferedRamp[] | null;
  readonly warmup: RunTime;
  readonly timeout: RequestTime;
  readonly errorThreshold: number;
  /**
   * @minItems 1
   * @maxItems 100
   */
  readonly targets: readonly OfferedTarget[];
  readonly flows: readonly OfferedFlow[] | null;
  readonly groups: readonly OfferedGroup[] | null;
  /**
   * @maxItems 100
   */
  readonly iterationRows: readonly OfferedRows[];
  readonly values: OfferedFields;
  /**
   * @maxItems 1000
   */
  readonly bodyFiles: readonly OfferedFile[];
  readonly arrivals: 'random' | null;
  readonly maxClients?: number | null;
  readonly iterations: number | null;
  readonly onStart: number | null;
  readonly clientRows: number;
  readonly iterationsPerClient: number | null;
  readonly pace: RunTime | null;
  readonly connections: number | null;
  readonly keepAlive: boolean;
  readonly tlsVerify: boolean;
  readonly userAgent: Name;
  readonly seed: Count;
  readonly threads: number | null;
  readonly trace: {
    /**
     * @maxItems 100000
     */
    readonly secrets: readonly Text[];
  } | null;
}
export interface OfferedRamp {
  readonly start: RunTime;
  readonly duration: RunTime;
  readonly from: Level;
  readonly to: Level;
  readonly before: number;
}
/**
 * Request of an iteration: see `JobTarget`.
 */
export interface OfferedTarget {
  readonly url: Text;
  readonly secure: boolean;
  readonly hostname: Name;
  readonly port: number;
  readonly authority: Name;
  /**
   * @maxItems 10000
   */
  readonly addresses: readonly Name[];
  readonly connection: OfferedConnection | null;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  readonly path: Text;
  readonly headers: OfferedFields;
  readonly credentials: {
    readonly login: Text;
    readonly password: Text;
  } | null;
  readonly awsSigv4: {
    readonly region: Name;
    readonly service: Name;
    readonly accessKeyId: Text;
    readonly secretAccessKey: Text;
    readonly sessionToken: Text | null;
  } | null;
  body:
    | {
        readonly kind: 'params';
        readonly fields: OfferedFields;
      }
    | {
        readonly kind: 'text';
        readonly text: Text;
      }
    | {
        readonly kind: 'json';
        readonly text: Text;
      }
    | {
        readonly kind: 'file';
        readonly file: Name;
      }
    | {
        readonly kind: 'multipart';
        /**
         * @minItems 1
         * @maxItems 1000
         */
        readonly parts: readonly (OfferedTextPart | OfferedFilePart)[];
      }
    | null;
  /**
   * @maxItems 50
   */
  readonly variables: readonly OfferedVariable[];
  readonly expect: OfferedExpectation | null;
  readonly rows: OfferedRows | null;
  readonly endsOnFailure: boolean;
  readonly resolveUrl: boolean;
  readonly delay: {
    readonly min: RequestTime;
    readonly max: RequestTime;
  } | null;
}
/**
 * Connection settings of a host: see `JobConnection`.
 */
export interface OfferedConnection {
  readonly cert?: LongText;
  readonly key?: LongText;
  readonly passphrase?: LongText;
  readonly ca?: LongText;
  readonly serverName?: Name;
  readonly tlsMin?: '1.2' | '1.3';
  readonly resolve?: readonly Name[];
  readonly ip?: 4 | 6;
}
export interface OfferedField {
  readonly name: Text;
  readonly value: Text;
}
/**
 * A string in a multipart body: see `TextPart`.
 */
export interface OfferedTextPart {
  readonly name: Text;
  readonly value: Text;
  readonly contentType?: Text;
  readonly filename?: Text;
}
/**
 * A file in a multipart body: see `FilePart`. `file` is the SHA-256 of a file in `bodyFiles`.
 */
export interface OfferedFilePart {
  readonly name: Text;
  readonly file: Name;
  readonly contentType: Text | null;
  readonly filename: Text | null;
}
/**
 * Conditions that a response must meet: see `Expectation`.
 */
export interface OfferedExpectation {
  readonly within?: number;
  readonly status: readonly (number | ('2xx' | '3xx' | '4xx' | '5xx'))[] | null;
  readonly headers: OfferedFields | null;
  readonly body: {
    /**
     * @maxItems 100
     */
    readonly contains: readonly Text[];
    /**
     * @maxItems 100
     */
    readonly notContains: readonly Text[];
    /**
     * @maxItems 100
     */
    readonly matches: readonly Text[];
  } | null;
  readonly json: readonly OfferedValue[] | null;
}
export interface OfferedValue {
  readonly pointer: Text;
  readonly value: OfferedExpectedValue;
}
/**
 * Conditions for a value: see `Condition`.
 */
export interface OfferedCondition {
  readonly exists?: boolean;
  readonly length?: Name;
  readonly number?: Name;
  /**
   * @maxItems 100
   */
  readonly oneOf?: readonly OfferedScalar[];
  readonly matches?: Text;
  readonly not?: OfferedExpectedValue;
}
/**
 * Rows of a payload file: see `PayloadRows`.
 */
export interface OfferedRows {
  /**
   * @maxItems 100
   */
  readonly names: readonly Name[];
  /**
   * @maxItems 1000000
   */
  readonly values: readonly OfferedRow[];
  readonly order?: 'sequential' | 'random' | 'once' | 'client';
  /**
   * @maxItems 100
   */
  readonly mask?: readonly Name[];
  /**
   * @maxItems 10000
   */
  readonly json?: readonly string[];
}
export interface OfferedFlow {
  readonly name: Name;
  readonly weight: number;
  readonly urls: number;
  readonly values?: OfferedFields;
}
export interface OfferedGroup {
  readonly first: number;
  readonly count: number;
  readonly parallel?: true;
  repeat?:
    | OfferedPasses
    | {
        readonly atMost: OfferedPasses;
        /**
         * @minItems 1
         * @maxItems 100
         */
        readonly until: readonly OfferedVariableCondition[];
      };
  forEach?:
    | {
        readonly name: Name;
        /**
         * @minItems 1
         * @maxItems 1000
         */
        readonly values: readonly Text[];
      }
    | {
        readonly name: Name;
        readonly list: Name;
        readonly atMost: OfferedPasses;
      };
  /**
   * @minItems 1
   * @maxItems 100
   */
  readonly when?: readonly OfferedVariableCondition[];
}
export interface OfferedVariableCondition {
  readonly name: Name;
  readonly value: OfferedExpectedValue;
}
/**
 * Content of a file in request bodies, in Base64: see `JobFile`.
 */
export interface OfferedFile {
  readonly sha256: Name;
  readonly content: string;
}
export interface OfferedHost {
  readonly host: Name;
  readonly verificationId: Name;
  readonly method: 'http' | 'dns';
  readonly connection: OfferedConnection | null;
}
export interface OfferedShard {
  readonly threadIndex: ThreadIndex;
  readonly first: Count;
  readonly stride: number;
  readonly clients: Count;
}
export interface StartMessage {
  readonly kind: 'start';
  /**
   * Start in Redis time, at least one second after sending. Counts as the first acknowledgement.
   */
  readonly startAt: number;
}
export interface AcknowledgedMessage {
  readonly kind: 'acknowledged';
  /**
   * Newest merged sequence by worker id, for workers whose sequence has changed.
   */
  readonly merged: {
    readonly [k: string]: number;
  };
  /**
   * Repeated in every later acknowledgement, so that no worker misses it.
   */
  readonly stop: StopCommand | null;
}
export interface StopCommand {
  reason:
    | 'stopped'
    | 'error_threshold'
    | 'setup'
    | 'verification_lost'
    | 'over_limit'
    | 'partial'
    | 'missed'
    | 'threshold';
  readonly unstarted: 'stopped' | 'aborted';
  /**
   * Time that requests in flight may take to finish.
   */
  readonly drainMs: number;
}
export interface StopMessage {
  readonly kind: 'stop';
  readonly stop: StopCommand;
}
/**
 * New values of the last rows of the iterations. Iterations that begin later use them.
 */
export interface RowsMessage {
  readonly kind: 'rows';
  readonly rows: OfferedRows;
}
/**
 * Cancels an epoch before its start. Workers discard what they have prepared.
 */
export interface CancelMessage {
  readonly kind: 'cancel';
}
/**
 * First message of a worker that has accepted its shard: sequence 0.
 */
export interface ReadyMessage {
  readonly kind: 'ready';
  readonly name: Name;
  /**
   * Uncertainty of the worker's clock relative to Redis, which bounds the error of its start.
   */
  readonly uncertaintyMs: number;
  readonly environment: {
    readonly version: Name;
    readonly cores: ThreadCount;
    readonly quota: number | null;
    readonly threadReason: 'asked' | 'load' | 'cores' | 'quota' | 'target' | 'runs';
    readonly node: Name;
  };
}
export interface RefusedMessage {
  readonly kind: 'refused';
  readonly reason: Text;
}
/**
 * Measurements of the worker's threads since the previous message, without the snapshots; sent every second, possibly empty.
 */
export interface ProgressHeader {
  readonly kind: 'progress';
  /**
   * @maxItems 1000
   */
  readonly exchanges: readonly ReportedExchange[];
  /**
   * Thread shards that have finished.
   *
   * @maxItems 4096
   */
  readonly done: readonly FinishedShard[];
  /**
   * Numbers of the thread shards whose threads have died.
   *
   * @maxItems 4096
   */
  readonly lost: readonly ThreadIndex[];
  /**
   * The worker had no memory for further response bodies.
   */
  readonly overloaded: boolean;
}
/**
 * One request and its response: see `Exchange`.
 */
export interface ReportedExchange {
  readonly target: number;
  readonly url: LongText;
  readonly method: Name;
  readonly redirected: boolean;
  readonly resent: boolean;
  readonly requestHeader: LongText;
  readonly requestBody: Text;
  readonly status: number | null;
  readonly responseHeader: Text;
  readonly responseBody: Text | null;
  readonly bytes: Count;
  readonly error: Name | null;
  readonly ms: {
    readonly connect: RunInstant | null;
    readonly tls: RunInstant | null;
    readonly wait: RunInstant | null;
    readonly total: RunInstant;
  };
  readonly success: boolean;
  readonly unexpected: {
    readonly error: Text;
    readonly actual: Text | null;
  } | null;
  readonly variables: {
    readonly [k: string]: LongText;
  };
}
export interface FinishedShard {
  readonly shard: ThreadIndex;
  readonly time: {
    readonly elapsed: RunInstant;
    readonly loaded: RunInstant;
  };
}
/**
 * Totals since the start, every 250 ms, for `error_threshold`.
 */
export interface CountsMessage {
  readonly kind: 'counts';
  readonly finished: Count;
  readonly failed: Count;
}
/**
 * Last message: the final ledger. It must equal the sum of the merged snapshots.
 */
export interface FinalMessage {
  readonly kind: 'final';
  readonly totals: ShardTotals;
  /**
   * Actual start minus `startAt`, in ms, measured after the start; null if the worker never started.
   */
  readonly startLatenessMs: Difference | null;
  /**
   * Uncertainty of `startLatenessMs`, in ms.
   */
  readonly startUncertaintyMs: Duration | null;
  /**
   * Reason for an early end; null if the shard ran to its end.
   */
  readonly endedBy: 'lease' | 'signal' | null;
}
/**
 * Integer totals over all snapshots of a shard, including warm-up. The service computes the same totals from what it merges.
 */
export interface ShardTotals {
  readonly snapshots: Count;
  readonly planned: Count;
  readonly started: Count;
  readonly finished: Count;
  readonly abandoned: Count;
  readonly notStarted: Count;
  readonly bytesSent: Count;
  readonly bytesReceived: Count;
}

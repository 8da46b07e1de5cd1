/**
 * Messages that a service and its workers exchange. All of them are sealed (`seal.ts`): a reader of Redis
 * sees only the sender, the recipient and the time of a message.
 *
 * A *worker* is a process. It generates the load of one *worker shard* of a run at a time, which consists of
 * one thread shard for each of its threads. Times are in ms; comments mark those that are in Redis time.
 */
import type { GeneratorEnvironment } from '../core/load/generator-totals.ts';
import type { LoadJob } from '../core/load/load-job.ts';
import type { ThreadTime } from '../core/load/run-merger.ts';
import type { AbortReason, TracedExchange } from '../core/load/run-report.ts';
import type { Shard } from '../core/load/shard.ts';
import type { Snapshot, UnstartedReason } from '../core/load/snapshot.ts';
import type { VerifiedHost } from '../core/ports/runner.ts';
import type { ConnectionCapacity } from '../engine/machine-limits.ts';

/** Version of the protocol; increased with every incompatible change. */
export const PROTOCOL_VERSION = 1;

/** Interval between two heartbeats of a worker. */
export const HEARTBEAT_INTERVAL_MS = 2000;

/** Interval at which the service acknowledges merged messages and workers report their counts. */
export const SYNC_INTERVAL_MS = 250;

/** Time from sending the newest acknowledged message until the lease of a worker expires. */
export const LEASE_MS = 5000;

/** Silence after which the service treats a worker as lost. Always longer than the worker's own lease. */
export const MAX_SILENCE_MS = 8000;

/** Time that workers have to get ready. */
export const READY_TIMEOUT_MS = 5000;

/** Time between sending the start command and the start itself. */
export const START_LEAD_MS = 1200;

/** Time that requests in flight may take to finish after a lease has expired. */
export const LEASE_DRAIN_MS = 1000;

/**
 * State that a worker publishes every 2 s. Sealed for `presence`, so that only holders of the secret can
 * publish it.
 */
export interface Heartbeat {
  readonly protocol: number;
  /** Random id of the process: 16 hex digits. */
  readonly id: string;
  /** Name from `--name`, or the host name. */
  readonly name: string;
  readonly version: string;
  /** Start of the worker by its own clock, in ms since 1970. */
  readonly since: number;
  readonly state: 'ready' | 'busy' | 'draining';
  /** Run that the worker is working on; null if idle. */
  readonly runId: string | null;
  /** Engine threads that the worker uses for a run. */
  readonly threads: number;
  /** Maximum number of concurrent connections; null if unlimited. */
  readonly connections: number | null;
  /** Source ports to one address; null if unknown. */
  readonly ports: number | null;
  /** Addresses to which a port in TIME_WAIT can be reused after one second. */
  readonly portReuse: ConnectionCapacity['portReuse'];
  /** IP versions of the worker's addresses, excluding loopback. */
  readonly families: readonly (4 | 6)[];
  /** Offset of the worker's wall clock from Redis time, and the uncertainty of the offset. */
  readonly clock: { readonly offsetMs: number; readonly uncertaintyMs: number };
  /** Utilization of the main thread, 0 to 1. */
  readonly load: number;
}

/** Offer of a shard to one worker. */
export interface ShardOffer {
  readonly protocol: number;
  readonly runId: string;
  /** Increases each time the run is split over workers. Messages of older epochs are ignored. */
  readonly epoch: number;
  readonly workerId: string;
  /** Redis time after which the worker must not accept the offer. */
  readonly expires: number;
  /** Job with all payload rows. The worker replaces the addresses with those that it resolves itself. */
  readonly job: LoadJob;
  /** Hosts that the worker verifies from its own network. */
  readonly hosts: readonly VerifiedHost[];
  /** Shards of the worker's threads; `stride` is the number of threads of the whole run. */
  readonly threadShards: readonly Shard[];
}

/** Message from the service to one worker, in the mailbox of the worker. */
export type MailboxMessage =
  | OfferReference
  /** The worker accepts no new shards and ends after its current one. */
  | { readonly kind: 'drain' };

/** Reference to a sealed `ShardOffer`. Its epoch and expiry are those of the message. */
export interface OfferReference {
  readonly kind: 'offer';
  readonly runId: string;
  /** Ids of the chunks of the sealed offer, in order. */
  readonly chunks: readonly string[];
}

/** Message from the service to all workers of a run, in the run's stream `to`. */
export type ServiceMessage =
  | {
      readonly kind: 'start';
      /** Start in Redis time, at least one second after sending. Counts as the first acknowledgement. */
      readonly startAt: number;
    }
  | {
      readonly kind: 'acknowledged';
      /** Newest merged sequence by worker id, for workers whose sequence has changed. */
      readonly merged: Readonly<Record<string, number>>;
      /** Repeated in every later acknowledgement, so that no worker misses it. */
      readonly stop: StopCommand | null;
    }
  | { readonly kind: 'stop'; readonly stop: StopCommand }
  /** Cancels an epoch before its start. Workers discard what they have prepared. */
  | { readonly kind: 'cancel' };

export interface StopCommand {
  readonly reason: AbortReason;
  readonly unstarted: UnstartedReason;
  /** Time that requests in flight may take to finish. */
  readonly drainMs: number;
}

/**
 * Message from a worker to the service, in the run's stream `of`. Each has a sequence number, from 0 without
 * gaps, except `counts`, which has its own.
 */
export type WorkerMessage =
  | ReadyMessage
  | { readonly kind: 'refused'; readonly reason: string }
  | ProgressMessage
  | {
      /** Totals since the start, every 250 ms, for `error_threshold`. */
      readonly kind: 'counts';
      readonly finished: number;
      readonly failed: number;
    }
  | FinalMessage;

/** First message of a worker that has accepted its shard: sequence 0. */
export interface ReadyMessage {
  readonly kind: 'ready';
  readonly name: string;
  /** Uncertainty of the worker's clock relative to Redis, which bounds the error of its start. */
  readonly uncertaintyMs: number;
  readonly surroundings: GeneratorEnvironment;
}

/** Measurements of the worker's threads since the previous message; sent every second, possibly empty. */
export interface ProgressMessage {
  readonly kind: 'progress';
  /** Complete snapshots; `threadIndex` is the number of the thread in the whole run. */
  readonly snapshots: readonly Snapshot[];
  readonly exchanges: readonly TracedExchange[];
  /** Thread shards that have finished. */
  readonly done: readonly { readonly shard: number; readonly time: ThreadTime }[];
  /** Numbers of the thread shards whose threads have died. */
  readonly lost: readonly number[];
  /** The worker had no memory for further response bodies. */
  readonly overloaded: boolean;
}

/** Last message: the final ledger. It must equal the sum of the merged snapshots. */
export interface FinalMessage {
  readonly kind: 'final';
  readonly totals: ShardTotals;
  /** Actual start minus `startAt`, in ms, measured after the start; null if the worker never started. */
  readonly startLatenessMs: number | null;
  /** Uncertainty of `startLatenessMs`, in ms. */
  readonly startUncertaintyMs: number | null;
  /** Reason for an early end; null if the shard ran to its end. */
  readonly endedBy: 'lease' | 'signal' | null;
}

/**
 * Integer totals over all snapshots of a shard, including warm-up. The service computes the same totals from
 * what it merges.
 */
export interface ShardTotals {
  readonly snapshots: number;
  readonly planned: number;
  readonly started: number;
  readonly finished: number;
  readonly abandoned: number;
  readonly notStarted: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

/**
 * Protocol between a service and its workers: messages, and times in ms. `schemas/cluster-messages.schema.json` defines
 * the messages as JSON. All messages are sealed (`seal.ts`), so a reader of Redis sees only metadata such as sender,
 * recipient, size and time.
 *
 * A *worker* is a process that generates load for one run at a time. A *worker shard* is the part of a run for one
 * worker: at most one thread shard for each thread of the worker.
 */
import type { Snapshot } from '../core/load/snapshot.ts';
import type { ProgressHeader, WorkerHeader } from './generated/cluster-messages.ts';

export type {
  ClusterMessage,
  FinalMessage,
  Heartbeat,
  MailboxMessage,
  OfferReference,
  ReadyMessage,
  ServiceMessage,
  ShardOffer,
  ShardTotals,
  StopCommand,
  WorkerHeader,
} from './generated/cluster-messages.ts';

/** Increased with every incompatible change of the protocol. */
export const PROTOCOL_VERSION = 1;

export const HEARTBEAT_INTERVAL_MS = 2000;

/** Interval at which the service acknowledges merged messages and workers report their counts. */
export const SYNC_INTERVAL_MS = 250;

/**
 * Duration of a worker's lease, from the start of the load or from the first attempt to send the latest acknowledged
 * message.
 */
export const LEASE_MS = 5000;

/**
 * Time without messages, other than counts, after which the service treats a worker as lost. Must exceed `LEASE_MS`.
 */
export const MAX_SILENCE_MS = 8000;

export const READY_TIMEOUT_MS = 5000;

/** Time from sending the start command to the start of the load. */
export const START_LEAD_MS = 1200;

/** Maximum time for requests in flight to finish after a lease expires or a worker shuts down. */
export const LEASE_DRAIN_MS = 1000;

/** Measurements of the worker's threads since the previous progress message; sent every second, even if empty. */
export interface ProgressMessage extends ProgressHeader {
  /** The `threadIndex` of a snapshot is the index of the thread in the whole run. */
  readonly snapshots: readonly Snapshot[];
}

export type WorkerMessage = Exclude<WorkerHeader, ProgressHeader> | ProgressMessage;

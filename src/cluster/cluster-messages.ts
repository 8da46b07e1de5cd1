/**
 * Protocol between a service and its workers: messages and times. `schemas/cluster-messages.schema.json` defines the
 * messages as JSON. All messages are sealed (`seal.ts`), so a reader of Redis sees only metadata such as sender,
 * recipient, size and time.
 *
 * A *worker* is a process that generates load for one run at a time. Its part of the run is a *worker shard*, which
 * consists of at most one thread shard for each thread of the worker. Times are in ms.
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

/** Version of the protocol; increased with every incompatible change. */
export const PROTOCOL_VERSION = 1;

export const HEARTBEAT_INTERVAL_MS = 2000;

/** Interval at which the service acknowledges merged messages and workers report their counts. */
export const SYNC_INTERVAL_MS = 250;

/** Duration of a worker's lease, from the time at which the worker sent its latest acknowledged message. */
export const LEASE_MS = 5000;

/** Time without messages after which the service treats a worker as lost. It is longer than the worker's own lease. */
export const MAX_SILENCE_MS = 8000;

export const READY_TIMEOUT_MS = 5000;

/** Time between sending the start command and the start itself. */
export const START_LEAD_MS = 1200;

/** Maximum time for requests in flight to finish after a lease has expired. */
export const LEASE_DRAIN_MS = 1000;

/** Measurements of the worker's threads since the previous message; sent every second, even without measurements. */
export interface ProgressMessage extends ProgressHeader {
  /** Snapshots of the threads; `threadIndex` is the number of the thread in the whole run. */
  readonly snapshots: readonly Snapshot[];
}

/** Message from a worker to the service. It is sent as JSON, followed by the snapshots of a progress message. */
export type WorkerMessage = Exclude<WorkerHeader, ProgressHeader> | ProgressMessage;

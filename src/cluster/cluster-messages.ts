/**
 * What a service and its workers say to each other. All of it travels sealed (`seal.ts`): who reads Redis sees who sends
 * to whom and when, and nothing else.
 *
 * A *worker* here is a process; it makes one *part* of a run at a time: some shares, one for each of its threads. Times
 * are in ms; where they are Redis' time it is said.
 */
import type { GeneratorEnvironment } from '../core/load/generator-totals.ts';
import type { LoadJob } from '../core/load/load-job.ts';
import type { ThreadTime } from '../core/load/run-merger.ts';
import type { AbortReason, Exchange } from '../core/load/run-report.ts';
import type { Shard } from '../core/load/shard.ts';
import type { Snapshot, UnstartedReason } from '../core/load/snapshot.ts';
import type { VerifiedHost } from '../core/ports/runner.ts';
import type { ConnectionCapacity } from '../engine/machine-limits.ts';

/** Raised with every change after which the two sides would not understand each other. */
export const PROTOCOL_VERSION = 1;

/** How often a worker says that it is there. */
export const HEARTBEAT_INTERVAL_MS = 2000;

/** How often the service tells what it has merged, and workers how many requests have ended. */
export const SYNC_INTERVAL_MS = 250;

/** A lease ends so long after the worker sent the newest second that the service acknowledged. */
export const LEASE_MS = 5000;

/** The service gives up on a worker after so much silence: always later than the worker's own lease ends. */
export const MAX_SILENCE_MS = 8000;

/** So long workers have to get ready. */
export const READY_TIMEOUT_MS = 5000;

/** The start lies so far ahead when it is told. */
export const START_LEAD_MS = 1200;

/** What is in flight when a lease ends may take so long. */
export const LEASE_DRAIN_MS = 1000;

/** What a worker says of itself every 2 s. Sealed for `presence`, so that only who knows the secret is believed. */
export interface Heartbeat {
  readonly protocol: number;
  /** Random, of the process: 16 hex digits. */
  readonly id: string;
  /** As its operator calls it; the name of its machine where nothing was said. */
  readonly name: string;
  readonly version: string;
  /** Ms since 1970, by its own clock. */
  readonly since: number;
  readonly state: 'ready' | 'busy' | 'draining';
  /** What it works on; null: nothing. */
  readonly runId: string | null;
  /** Engine threads that it gives to a run. */
  readonly threads: number;
  /** Connections that it can have at once; null: nothing limits them. */
  readonly connections: number | null;
  /** Source ports to one address; null where unknown. */
  readonly ports: number | null;
  /** To which addresses a port that waits may be used again after a second. */
  readonly portReuse: ConnectionCapacity['portReuse'];
  /** Versions of the Internet Protocol that it has addresses of, beside loopback. */
  readonly families: readonly (4 | 6)[];
  /** Its wall clock less Redis' time, and by how much that may be wrong. */
  readonly clock: { readonly offsetMs: number; readonly uncertaintyMs: number };
  /** The share of its time in which its main thread has something to do, 0 to 1. */
  readonly load: number;
}

/** Offered into the mailbox of one worker. */
export interface ShardOffer {
  readonly protocol: number;
  readonly runId: string;
  /** Of the run: grows with each split. Messages of an older one are ignored. */
  readonly epoch: number;
  readonly workerId: string;
  /** Redis' time after which it is not taken any more. */
  readonly expires: number;
  /** With all rows; its addresses are the service's, and the worker replaces them by those that it finds itself. */
  readonly job: LoadJob;
  /** Whose consent the worker asks for from where it stands. */
  readonly hosts: readonly VerifiedHost[];
  /** Those of the worker; `stride` is the number of threads of the whole run. */
  readonly threadShards: readonly Shard[];
}

/** What is in the mailbox, as JSON: BullMQ's data. Nothing of it is secret. */
export interface Envelope {
  readonly runId: string;
  readonly epoch: number;
  readonly workerId: string;
  readonly expires: number;
  /** A `ShardOffer`, sealed, in base64; null: it is in pieces. */
  readonly sealed: string | null;
  /** Ids of pieces that together are what is sealed, in their order. */
  readonly chunks: readonly string[];
}

/** From the service to all workers of a run, in its stream `to`. */
export type ServiceMessage =
  | {
      readonly kind: 'start';
      /** Redis' time. At least a second ahead when it is told. Counts as the first acknowledgement. */
      readonly startAt: number;
    }
  | {
      readonly kind: 'acknowledged';
      /** By worker id: the newest sequence that was merged with all before it; of those of which it is new. */
      readonly merged: Readonly<Record<string, number>>;
      /** In every acknowledgement from then on, so that none can miss it. */
      readonly stop: StopCommand | null;
    }
  | { readonly kind: 'stop'; readonly stop: StopCommand }
  /** The epoch is over before its start: whatever was prepared for it is thrown away. */
  | { readonly kind: 'cancel' };

export interface StopCommand {
  readonly reason: AbortReason;
  readonly unstarted: UnstartedReason;
  /** How long requests in flight may take to finish. */
  readonly drainMs: number;
}

/** From the service to workers beside any run, in the stream `orders`. */
export interface WorkerCommand {
  readonly kind: 'drain';
  readonly workerId: string;
}

/**
 * From a worker to the service, in the run's stream `of`. Each has a sequence of its own, from 0, without gaps; only
 * `pulse` has none.
 */
export type WorkerMessage =
  | ReadyMessage
  | { readonly kind: 'refused'; readonly reason: string }
  | ProgressMessage
  | {
      /** Every 250 ms, for `error_threshold`: since the start. */
      readonly kind: 'counts';
      readonly finished: number;
      readonly failed: number;
    }
  | FinalMessage;

/** Sequence 0. */
export interface ReadyMessage {
  readonly kind: 'ready';
  readonly name: string;
  /** Its clock against Redis': by how much its start may be off at most. */
  readonly uncertaintyMs: number;
  readonly surroundings: GeneratorEnvironment;
}

/** One each second: what its threads have told since the one before; may be empty. */
export interface ProgressMessage {
  readonly kind: 'progress';
  /** Each is complete; `slice.worker` is the number of the share in the whole run. */
  readonly snapshots: readonly Snapshot[];
  readonly exchanges: readonly Exchange[];
  /** Threads that have come to their end, by share. */
  readonly done: readonly { readonly shard: number; readonly time: ThreadTime }[];
  /** Threads that died, by share. */
  readonly lost: readonly number[];
  /** There was no room for bodies. */
  readonly overloaded: boolean;
}

/** The last one: the closed ledger. It must equal the sum of what was told. */
export interface FinalMessage {
  readonly kind: 'final';
  readonly totals: ShardTotals;
  /** By how much it started after `startAt`, in ms, as its clock saw it afterwards; null: it never started. */
  readonly startLatenessMs: number | null;
  /** By how much that may be wrong, in ms. */
  readonly startUncertaintyMs: number | null;
  /** Why it ended by itself before its time; null where it did not. */
  readonly endedBy: 'lease' | 'signal' | null;
}

/** Integers of all its slices, warm-up and figures together: what the service adds up from what it merged. */
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

/** A process that makes load for a service, as it says of itself. */

export interface RegisteredWorker {
  readonly id: string;
  /** As its operator calls it. */
  readonly name: string;
  readonly version: string;
  /** Of the protocol that it speaks with the service. */
  readonly protocol: number;
  /** Whether the service speaks that; it gives nothing to others. */
  readonly compatible: boolean;
  /** Ms since 1970, by its own clock. */
  readonly connectedAt: number;
  readonly state: WorkerState;
  /** What it works on; null: nothing. */
  readonly runId: string | null;
  readonly threads: number;
  /** Connections that it can have at once; null: nothing limits them. */
  readonly connections: number | null;
  /** Versions of the Internet Protocol that it has addresses of. */
  readonly families: readonly (4 | 6)[];
  /** Its wall clock less that of Redis, and by how much that may be wrong. */
  readonly clock: { readonly offsetMs: number; readonly uncertaintyMs: number };
  /** The share of its time in which its main thread has something to do, 0 to 1. */
  readonly load: number;
}

export const WORKER_STATES = ['ready', 'busy', 'draining'] as const;

/** `draining`: it takes nothing new, and ends when it has nothing left. */
export type WorkerState = (typeof WORKER_STATES)[number];

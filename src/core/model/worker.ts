/** A worker: a process that generates load for a service, as described by its heartbeat. */

export interface RegisteredWorker {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Version of the protocol between the worker and the service. */
  readonly protocol: number;
  /** True if the service supports this version of the protocol; other workers receive no runs. */
  readonly compatible: boolean;
  /** Time at which the worker connected, in milliseconds since the epoch, by the clock of the worker. */
  readonly connectedAt: number;
  readonly state: WorkerState;
  /** Current run; null if the worker is idle. */
  readonly runId: string | null;
  readonly threads: number;
  /** Maximum concurrent connections; null if unlimited. */
  readonly connections: number | null;
  /** IP versions for which the worker has addresses. */
  readonly families: readonly (4 | 6)[];
  /** Offset of the worker's clock from the Redis clock, with its uncertainty. */
  readonly clock: { readonly offsetMs: number; readonly uncertaintyMs: number };
  /** Fraction of time during which the main thread of the worker is busy, 0 to 1. */
  readonly load: number;
  /** Time at which the worker was lost, in milliseconds since the epoch; null or absent if it is connected. */
  readonly lostAt?: number | null;
}

export const WORKER_STATES = ['ready', 'busy', 'draining', 'lost'] as const;

/** `draining`: the worker accepts no new runs, and exits after its current run. */
export type WorkerState = (typeof WORKER_STATES)[number];

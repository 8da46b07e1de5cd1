/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of GET /v2/workers (extension): workers of a service that was started with --redis, sorted by name, followed by the workers that were lost in the last hour. Empty if the service generates the load itself.
 */
export type WorkerList = WorkerRecord[];

export interface WorkerRecord {
  /**
   * ID of the worker process: 16 hex digits.
   */
  worker_id: string;
  /**
   * Name of the worker: the value of --name, or the name of its host.
   */
  name: string;
  /**
   * Version of loadtests that the worker runs.
   */
  version: string;
  /**
   * Version of the protocol between the worker and the service.
   */
  protocol: number;
  /**
   * True if the service supports the protocol version of the worker. The service assigns no load to other workers.
   */
  compatible: boolean;
  /**
   * Time when the worker started, by its own clock (RFC 3339).
   */
  since: string;
  /**
   * State of the worker: "ready", "busy", "draining" or "lost". A draining worker accepts no new load, and exits when its current load has ended.
   */
  state: string;
  /**
   * ID of the result of the run to which the worker is assigned; null if there is none.
   */
  result_id: string | null;
  /**
   * ID of the test of this run; null if the service does not know the run.
   */
  test_id?: string | null;
  /**
   * Time when the service found that the heartbeats of the worker had ended without notice (RFC 3339); null if the worker is connected.
   */
  lost_at?: string | null;
  /**
   * Number of engine threads that the worker uses for a run.
   */
  threads: number;
  /**
   * Maximum number of concurrent connections of the worker; null if unlimited.
   */
  connections: number | null;
  /**
   * IP versions (4 and 6) for which the worker has addresses other than loopback.
   */
  ip_versions: number[];
  /**
   * Difference between the wall clocks of the worker and of Redis, in ms; positive if the worker is ahead.
   */
  clock_offset_ms: number;
  /**
   * Uncertainty of `clock_offset_ms`, in ms.
   */
  clock_uncertainty_ms: number;
  /**
   * Fraction of time in which the main thread of the worker is busy, from 0 to 1.
   */
  load: number;
  [k: string]: unknown;
}

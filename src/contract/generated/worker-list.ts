/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Extension: the workers that make the load of a service with --redis, by name. Empty where the service makes it itself.
 */
export type WorkerList = WorkerRecord[];

export interface WorkerRecord {
  /**
   * Of the process: 16 hex digits.
   */
  worker_id: string;
  /**
   * --name, or the name of its machine.
   */
  name: string;
  /**
   * Of loadtests.
   */
  version: string;
  /**
   * Version of the protocol that it speaks with the service.
   */
  protocol: number;
  /**
   * True if the service supports that version. The service assigns no load to other workers.
   */
  compatible: boolean;
  /**
   * RFC 3339: when it began, by its own clock.
   */
  since: string;
  /**
   * "ready", "busy", or "draining": it takes nothing new, and ends when it has nothing left.
   */
  state: string;
  /**
   * The run that it works on; null: none.
   */
  result_id: string | null;
  /**
   * Threads that it gives to a run.
   */
  threads: number;
  /**
   * Connections that it can have at once; null: nothing limits them.
   */
  connections: number | null;
  /**
   * 4 and 6: what it has addresses of, beside loopback.
   */
  ip_versions: number[];
  /**
   * Its wall clock less that of Redis.
   */
  clock_offset_ms: number;
  /**
   * By how much that may be wrong.
   */
  clock_uncertainty_ms: number;
  /**
   * The share of its time in which its main thread has something to do, 0 to 1.
   */
  load: number;
  [k: string]: unknown;
}

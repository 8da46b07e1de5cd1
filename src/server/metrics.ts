/** Metrics of the service for monitoring. */
import type { AbortReason } from '../core/load/run-report.ts';
import type { RegisteredWorker } from '../core/model/worker.ts';

/** Increase in requests by outcome since the last call. */
export interface LoadCounts {
  readonly success: number;
  readonly error: number;
  readonly timeoutError: number;
  readonly networkError: number;
}

/** Counters that the components of the service increment. */
export interface Metrics {
  addLoad(counts: LoadCounts): void;
  /** @param reason - Reason for an early end; null if the run completed. */
  countRunEnd(reason: AbortReason | null): void;
  countResponse(request: { readonly method: string; readonly route: string; readonly status: number }): void;
}

/** Values that are read on each scrape. */
export interface Gauges {
  readonly running: () => number;
  readonly connections: () => number;
  readonly callbacks: () => ReadonlyMap<string, number>;
  /** Null if the service generates load itself. */
  readonly workers: (() => readonly RegisteredWorker[]) | null;
}

export interface MetricsReader {
  readonly contentType: string;
  text(): Promise<string>;
}

/** Metrics of a service that exposes none. */
export const NO_METRICS: Metrics = {
  addLoad: () => undefined,
  countRunEnd: () => undefined,
  countResponse: () => undefined,
};

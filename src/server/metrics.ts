/** What the service counts of itself, for monitoring. */
import type { AbortReason } from '../core/load/run-report.ts';
import type { RegisteredWorker } from '../core/model/worker.ts';

/** Requests of load by what came of them; each is an increase. */
export interface LoadCounts {
  readonly success: number;
  readonly error: number;
  readonly timeoutError: number;
  readonly networkError: number;
}

/** Told by the parts of the service as things happen. */
export interface Metrics {
  addLoad(counts: LoadCounts): void;
  /** `reason`: why it ended before its time; null: it did not. */
  countRunEnd(reason: AbortReason | null): void;
  countResponse(request: { readonly method: string; readonly route: string; readonly status: number }): void;
}

/** Asked when somebody reads. */
export interface Gauges {
  readonly running: () => number;
  readonly connections: () => number;
  readonly callbacks: () => ReadonlyMap<string, number>;
  /** Null: the service makes its load itself. */
  readonly workers: (() => readonly RegisteredWorker[]) | null;
}

export interface MetricsReader {
  readonly contentType: string;
  text(): Promise<string>;
}

/** For a service that nobody watches. */
export const NO_METRICS: Metrics = {
  addLoad: () => undefined,
  countRunEnd: () => undefined,
  countResponse: () => undefined,
};

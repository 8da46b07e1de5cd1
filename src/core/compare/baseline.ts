/** Past runs that are kept beside the file, to compare later ones with. */
import type { Histogram } from '../load/histogram.ts';
import type { ResultMetric } from '../model/threshold.ts';

/** What is kept of one run: a `Sample`, and where it comes from. */
export interface BaselineRun {
  readonly metrics: Readonly<Partial<Record<ResultMetric, number>>>;
  readonly bounds: Readonly<
    Partial<Record<ResultMetric, { readonly low: number; readonly high: number | null }>>
  > | null;
  readonly times: { readonly measured: Histogram; readonly minimum: Histogram | null } | null;
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number | null;
  readonly machine: BaselineMachine | null;
}

/** What figures depend on beside the target. */
export interface BaselineMachine {
  readonly cores: number;
  readonly threads: number;
  /** Version of Node.js. */
  readonly node: string;
  /** Figures with another number were measured in another way. */
  readonly measurementVersion: number;
  /** Of the program; null where the record does not tell. */
  readonly version: string | null;
}

/** Runs of one load, the earliest first. */
export interface Baseline {
  /** Digest of the load: see `loadDigest`. */
  readonly load: string;
  readonly runs: readonly BaselineRun[];
}

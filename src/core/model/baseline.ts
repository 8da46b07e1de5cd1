/** Baselines: runs that are stored next to the configuration file, for comparison with later runs. */
import type { Sample } from './sample.ts';

export interface BaselineRun extends Sample {
  readonly id: string;
  /** Start of the run, in milliseconds since the epoch; null if unknown. */
  readonly startedAt: number | null;
  readonly machine: BaselineMachine | null;
}

/** Properties of the load generator that influence metrics. */
export interface BaselineMachine {
  readonly cores: number;
  readonly threads: number;
  readonly node: string;
  /** Version of the measuring method; metrics of different versions are not comparable. */
  readonly measurementVersion: number;
  /** Version of loadtests; null if the baseline does not contain it. */
  readonly version: string | null;
}

/** Runs with the same load, earliest first. */
export interface Baseline {
  /** Digest of the load: see `loadDigest`. */
  readonly load: string;
  readonly runs: readonly BaselineRun[];
}

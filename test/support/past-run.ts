/** A completed run, as a service reports it, with the metrics that a test needs. */
import { Histogram } from '../../src/core/load/histogram.ts';
import type { GeneratorMachine } from '../../src/core/load/run-report.ts';
import { resultId } from '../../src/core/model/ids.ts';
import type { RunResult } from '../../src/core/model/run-result.ts';

export const STALL_FREE: GeneratorMachine = {
  cores: 2,
  quota: null,
  threadReason: 'load',
  node: 'v20.19.0',
  measurementVersion: 1,
  threadLoads: [{ mean: 0.2, max: 0.3 }],
  seconds: 8,
  longestStall: 1,
  stalledSeconds: [],
};

let generator = 0;

/**
 * Creates a completed run.
 * @param p95 - in ms; a tenth of it is delay of the load generator, as without stalls
 */
export function createPastRun(p95: number, changed: Partial<RunResult> = {}): RunResult {
  const times = Histogram.createTotal();
  times.recordMany(100, Math.round(1000 * p95));
  const minimum = Histogram.createTotal();
  minimum.recordMany(100, Math.round(900 * p95));
  generator++;
  return {
    id: resultId(`r${generator}`),
    startedAt: 1000 * generator,
    status: 'ready',
    metrics: { p95, requests: 100, requests_per_second: 1000 / p95 },
    abortReason: null,
    times: { measured: times, minimum },
    urls: null,
    stop: null,
    generatorOverloaded: false,
    generatorVersion: '0.1.0',
    generator: {
      bounds: { p95: { low: 0.9 * p95, high: p95 } },
      delivery: { model: 'closed', heldShare: 1 },
      machine: STALL_FREE,
      abortCertain: null,
    },
    verdict: null,
    endedInWarmup: false,
    dataSent: null,
    peakConnections: null,
    record: {},
    ...changed,
  };
}

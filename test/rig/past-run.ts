/** A finished run as a service tells it, with the figures that a test is about. */
import { Histogram } from '../../src/core/load/histogram.ts';
import type { Machine } from '../../src/core/load/report.ts';
import { resultId } from '../../src/core/model/ids.ts';
import type { RunResult } from '../../src/core/model/run.ts';

export const CALM: Machine = {
  cores: 2,
  quota: null,
  because: 'load',
  node: 'v20.19.0',
  measuring: 1,
  loops: [{ mean: 0.2, most: 0.3 }],
  seconds: 8,
  longestStandstill: 1,
  unquiet: [],
};

let made = 0;

/** @param p95 in ms; the machine's own share of it is a tenth, as it is in calm */
export function pastRun(p95: number, changed: Partial<RunResult> = {}): RunResult {
  const times = Histogram.createTotal();
  times.recordMany(100, Math.round(1000 * p95));
  const least = Histogram.createTotal();
  least.recordMany(100, Math.round(900 * p95));
  made++;
  return {
    id: resultId(`r${made}`),
    startedAt: 1000 * made,
    status: 'ready',
    figures: { p95, requests: 100, requests_per_second: 1000 / p95 },
    abortReason: null,
    times: { measured: times, least },
    urls: null,
    stopped: null,
    generatorOverloaded: false,
    generatorVersion: '0.1.0',
    measured: {
      bounds: { p95: { low: 0.9 * p95, high: p95 } },
      offered: { model: 'closed', held: 1 },
      machine: CALM,
      abortCertain: null,
    },
    judgement: null,
    endedInWarmup: false,
    dataSent: null,
    peakConnections: null,
    record: {},
    ...changed,
  };
}

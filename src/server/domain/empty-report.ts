/** Report of a run without data, for example because its load never started. */
import type { AbortReason, RunReport } from '../../core/load/run-report.ts';
import { metricsOf } from '../../core/load/run-summary.ts';
import { createTally } from '../../core/load/snapshot.ts';
import { milliseconds } from '../../core/units.ts';

export function createEmptyReport(abortReason: AbortReason, version: string): RunReport {
  return {
    timeout: null,
    loadStartedAt: null,
    elapsed: milliseconds(0),
    knownUntil: null,
    errorStop: null,
    thresholdStop: null,
    abortReason,
    total: metricsOf(createTally('total', false), 0),
    iterations: null,
    flows: null,
    seed: null,
    setup: null,
    teardown: null,
    targets: [],
    outage: { spans: 0, seconds: 0, periods: [] },
    requestsPerSecond: 0,
    peakConnections: 0,
    pool: null,
    addresses: [],
    connect: null,
    tls: null,
    generator: { lagP99: milliseconds(0), overloaded: false, threads: 0, version },
    bounds: {},
    minTimes: null,
    delivery: null,
    warmup: null,
    machine: null,
    workers: null,
    abortCertain: null,
    timeline: [],
    errorSamples: [],
    exchanges: [],
  };
}

/** Report of a run without data, because its process ended or its load could not be generated. */
import type { AbortReason, Metrics, Ledger, RunReport } from '../../core/load/run-report.ts';
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
    total: EMPTY_METRICS,
    iterations: null,
    missingIterations: null,
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

const EMPTY_LEDGER: Ledger = {
  planned: 0,
  started: 0,
  notStarted: { stopped: 0, aborted: 0, saturated: 0, noSocket: 0, undefinedVariable: 0, condition: 0 },
  success: 0,
  httpError: {},
  timeout: { connect: 0, tls: 0, response: 0 },
  network: {},
  protocol: {},
  unexpected: {},
  abandoned: 0,
  resent: 0,
  retryAfter: 0,
};

const EMPTY_METRICS: Metrics = {
  ledger: EMPTY_LEDGER,
  statusCodes: {},
  bytesSent: 0,
  bytesReceived: 0,
  latency: null,
  serviceTime: null,
  omitted: 0,
  latencyHistogram: null,
  serviceTimeHistogram: null,
};

import type {
  IterationReport,
  Ledger,
  PartReport,
  PhaseReport,
  RunReport,
  UrlReport,
  Warmup,
} from '../load/run-report.ts';
import { countFinished, type Outcomes } from '../load/snapshot.ts';
import { metricsOf } from './metrics.ts';
import type {
  LedgerRecord,
  MeasurementRecord,
  PhaseRecord,
  RunRecord,
  UrlRecord,
  WarmupRecord,
} from './run-record.ts';
import { sumOf } from '../sum.ts';

export function recordOfReport(report: RunReport, startedAt: number): RunRecord {
  const { total, outage, generator, delivery, machine, abortCertain, timeline, errorSamples, workers } =
    report;
  return {
    ...toMeasurements({ ...report, ...total }, report.iterations),
    startedAt,
    loadStartedAt: report.loadStartedAt,
    knownUntil: report.knownUntil,
    errorStop: report.errorStop,
    thresholdStop: report.thresholdStop,
    publicUrl: null,
    elapsed: Math.round(report.elapsed),
    timeout: report.timeout,
    outage,
    peakConnections: report.peakConnections,
    pool: report.pool,
    addresses: report.addresses,
    connect: report.connect,
    tls: report.tls,
    abortReason: report.abortReason,
    stop: null,
    generator,
    delivery,
    machine,
    abortCertain,
    warmup: report.warmup && toWarmupRecord(report.warmup),
    urls: report.targets.map(toUrlRecord),
    flows:
      report.flows?.map((flow) => ({ ...toMeasurements(flow, flow.iterations), name: flow.name })) ?? null,
    seed: report.seed,
    setup: report.setup && toPhaseRecord(report.setup),
    teardown: report.teardown && toPhaseRecord(report.teardown),
    timeline,
    errorSamples,
    workers,
  };
}

export function finishedRequestsOf(ledger: Ledger): Outcomes {
  const { timeout } = ledger;
  return {
    success: ledger.success,
    error: sumOf(Object.values(ledger.httpError)) + sumOf(Object.values(ledger.unexpected)),
    timeoutError: timeout.connect + timeout.tls + timeout.response,
    networkError: sumOf(Object.values(ledger.network)) + sumOf(Object.values(ledger.protocol)),
  };
}

function toMeasurements(measured: PartReport, iterations: IterationReport | null = null): MeasurementRecord {
  const { omitted, latency, latencyHistogram, bytesReceived, requestsPerSecond } = measured;
  return {
    metrics: metricsOf({
      ...finishedRequestsOf(measured.ledger),
      requests: null,
      errorRate: null,
      omitted,
      dataReceived: bytesReceived,
      requestsPerSecond,
      statusCodes: measured.statusCodes,
      mean: latency?.mean ?? null,
      latency,
      iterations: iterations === null || iterations.areRequests ? null : iterations,
    }),
    ...(iterations === null ? {} : { iterations }),
    bounds: measured.bounds,
    times: latencyHistogram && { measured: latencyHistogram, minimum: measured.minTimes },
    dataSent: measured.bytesSent,
    omitted,
    statusCodes: measured.statusCodes,
    latency,
    serviceTime: measured.serviceTime,
    serviceTimeHistogram: measured.serviceTimeHistogram,
    ledger: toLedgerRecord(measured.ledger),
  };
}

function toUrlRecord(target: UrlReport): UrlRecord {
  const { url, method, timeline } = target;
  return { ...toMeasurements(target), url, method, ...(timeline === undefined ? {} : { timeline }) };
}

function toLedgerRecord({ notStarted, ...ledger }: Ledger): LedgerRecord {
  const { stopped, aborted, saturated, noSocket, undefinedVariable, condition } = notStarted;
  return {
    ...ledger,
    notStarted: {
      stopped,
      aborted,
      saturated,
      no_socket: noSocket,
      undefined_variable: undefinedVariable,
      condition,
    },
  };
}

function toPhaseRecord({ requests, failed, elapsed, failure }: PhaseReport): PhaseRecord {
  return { requests, failed, seconds: Math.round(elapsed) / 1000, failure };
}

function toWarmupRecord({ seconds, complete, ledger }: Warmup): WarmupRecord {
  const requests = countFinished(finishedRequestsOf(ledger));
  return { seconds, complete, requests, ledger: toLedgerRecord(ledger) };
}

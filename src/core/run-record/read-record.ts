/** Reader of run records. Missing and invalid members are read as null or as a default, such as 0 or an empty list. */
import { parseInstant } from '../instant.ts';
import { readCount, readNumber, readString } from '../lenient-values.ts';
import type {
  AddressReport,
  ErrorStop,
  LoadDelivery,
  OutagePeriod,
  ThresholdStop,
} from '../load/run-report.ts';
import { THREAD_REASONS } from '../load/thread-count.ts';
import type { RunStop } from '../model/run-stop.ts';
import type { Bounds, Interval } from '../model/sample.ts';
import { PERCENTILES, RESULT_METRICS } from '../model/threshold.ts';
import { readHistogram } from './histogram-record.ts';
import { isObject, objectOf } from '../unknown-value.ts';
import { metricsOf } from './metrics.ts';
import type {
  Counts,
  ErrorSample,
  GeneratorRecord,
  IterationRecord,
  LedgerRecord,
  MachineRecord,
  MeasurementRecord,
  PhaseRecord,
  PoolRecord,
  RunRecord,
  SecondRecord,
  SetupRecord,
  Times,
  FlowRecord,
  UrlRecord,
  WarmupRecord,
  WorkerRecord,
} from './run-record.ts';

type Members = Readonly<Record<string, unknown>>;

/** @param json - a JSON object; any other value is read as an empty object */
export function readRunRecord(json: unknown): RunRecord {
  const record = objectOf(json);
  const outage = membersOf(record['outage']);
  const abortReason = record['abort_reason'];
  return {
    ...readMeasurements(record, outage?.['omitted']),
    startedAt: readInstant(record['started_at']),
    loadStartedAt: readInstant(record['load_started_at']),
    knownUntil: readCount(record['known_until_ms']),
    errorStop: readErrorStop(objectOf(record['error_stop'])),
    thresholdStop: readThresholdStop(objectOf(record['threshold_stop'])),
    publicUrl: readString(record['public_results_url']),
    elapsed: readCount(record['elapsed_ms']),
    timeout: readCount(record['timeout_ms']),
    outage: outage && {
      spans: readCount(outage['spans']),
      seconds: readCount(outage['seconds']),
      periods: readList(outage['periods'], readPeriod)?.filter((period) => period !== null) ?? [],
    },
    peakConnections: readCount(record['peak_connections']),
    pool: readPool(membersOf(record['pool'])),
    addresses: readList(record['addresses'], readAddress) ?? [],
    connect: readSetup(record['connect'], record['connect_histogram']),
    tls: readSetup(record['tls'], record['tls_histogram']),
    abortReason: typeof abortReason === 'string' || abortReason === null ? abortReason : undefined,
    stop: readStop(objectOf(record['stopped'])),
    generator: readGenerator(membersOf(record['generator'])),
    delivery: readDelivery(membersOf(record['delivery'])),
    machine: readMachine(membersOf(record['machine'])),
    abortCertain: readFlag(record['abort_certain']),
    warmup: readWarmup(membersOf(record['warmup'])),
    urls: readList(record['urls'], readUrl),
    flows: readList(record['flows'], readFlow),
    seed: readCount(record['seed']),
    setup: readPhase(membersOf(record['setup'])),
    teardown: readPhase(membersOf(record['teardown'])),
    timeline: readTimeline(record['timeline']),
    errorSamples: readErrorSamples(record['error_samples']),
    workers: readList(record['workers'], readWorker),
  };
}

function readPhase(phase: Members | null): PhaseRecord | null {
  if (phase === null) return null;
  const failure = membersOf(phase['failure']);
  return {
    requests: readCount(phase['requests']),
    failed: readCount(phase['failed']),
    seconds: readCount(phase['seconds']),
    failure: failure && {
      url: readString(failure['url']),
      method: readString(failure['request_type']),
      status: readCount(failure['status']),
      error: readString(failure['error']),
    },
  };
}

export function readTimeline(json: unknown): readonly SecondRecord[] | null {
  return readList(json, readSecond);
}

/** Reads the bounds of metrics without invalid intervals. Returns null if `json` is not an object. */
export function readBounds(json: unknown): Bounds | null {
  const members = membersOf(json);
  if (members === null) return null;
  const bounds: Record<string, Interval> = {};
  for (const metric of Object.keys(RESULT_METRICS)) {
    const interval = objectOf(members[metric]);
    const [low, high] = [readNumber(interval['low']), readNumber(interval['high'])];
    if (low !== null && (high !== null || interval['high'] === null)) bounds[metric] = { low, high };
  }
  return bounds;
}

function readMeasurements(record: Members, omittedRequests: unknown): MeasurementRecord {
  const latency = readTimes(record['latency']);
  const omitted = readCount(omittedRequests);
  const measured = readHistogram(record['latency_histogram']);
  const minimum = readHistogram(record['latency_low_histogram']);
  const iterations = readIterations(record);
  const statusCodes = membersOf(record['status_codes']) && readCounts(record['status_codes']);
  return {
    metrics: metricsOf({
      success: readCount(record['success']),
      error: readCount(record['error']),
      timeoutError: readCount(record['timeout_error']),
      networkError: readCount(record['network_error']),
      requests: readCount(record['requests']),
      errorRate: readPercentage(record['avg_error_rate']),
      omitted,
      dataReceived: readCount(record['data_received']),
      requestsPerSecond: readCount(record['requests_per_second']),
      statusCodes,
      mean: readCount(record['avg_response_time']) ?? latency?.mean ?? null,
      latency,
      iterations: iterations === null || iterations.areRequests ? null : iterations,
    }),
    ...(iterations === null ? {} : { iterations }),
    bounds: readBounds(record['bounds']),
    times: measured && { measured, minimum },
    dataSent: readCount(record['data_sent']),
    omitted,
    statusCodes,
    latency,
    serviceTime: readTimes(record['service_time']),
    serviceTimeHistogram: readHistogram(record['service_time_histogram']),
    ledger: readLedger(membersOf(record['ledger'])),
  };
}

function readIterations(record: Members): IterationRecord | null {
  const members = membersOf(record['iterations']);
  const measured = readHistogram(record['iteration_histogram']);
  const minimum = readHistogram(record['iteration_low_histogram']);
  if (members === null) return null;
  return {
    started: readCount(members['started']),
    completed: readCount(members['completed']),
    failed: readCount(members['failed']),
    withErrors: readCount(members['with_errors']),
    missing: readCount(members['missing']),
    areRequests: members['duration'] === undefined,
    durations: readTimes(members['duration']),
    times: measured && { measured, minimum },
  };
}

function readErrorStop(members: Members): ErrorStop | null {
  const [threshold, finished, failed] = ['threshold', 'finished', 'failed'].map((name) =>
    readCount(members[name]),
  );
  return threshold == null || finished == null || failed == null ? null : { threshold, finished, failed };
}

function readThresholdStop(members: Members): ThresholdStop | null {
  const [metric, limit] = [readString(members['metric']), readString(members['limit'])];
  const [value, second] = [readNumber(members['value']), readCount(members['second'])];
  if (metric === null || limit === null || value === null || second === null) return null;
  const labels = (['url', 'flow', 'group'] as const).flatMap((name) => {
    const label = readString(members[name]);
    return label === null ? [] : [[name, label] as const];
  });
  return { metric, limit, value, second, ...Object.fromEntries(labels) };
}

function readPeriod(members: Members): OutagePeriod | null {
  const [from, to] = [readCount(members['from']), readCount(members['to'])];
  return from === null || to === null || to < from ? null : { from, to };
}

function readUrl(record: Members): UrlRecord {
  return {
    ...readMeasurements(record, record['omitted']),
    url: readString(record['url']),
    method: readString(record['request_type']),
    ...readUrlTimeline(membersOf(record['timeline'])),
  };
}

function readUrlTimeline(members: Members | null): Pick<UrlRecord, 'timeline'> {
  if (members === null) return {};
  const values = (name: string) => {
    const list = members[name];
    return Array.isArray(list) ? list.map(readCount) : [];
  };
  const counts = (name: string) => values(name).map((count) => count ?? 0);
  return {
    timeline: {
      success: counts('success'),
      error: counts('error'),
      timeoutError: counts('timeout_error'),
      networkError: counts('network_error'),
      p50: values('p50'),
      p95: values('p95'),
      p99: values('p99'),
    },
  };
}

function readFlow(record: Members): FlowRecord {
  return { ...readMeasurements(record, record['omitted']), name: readString(record['name']) };
}

const TIME_NAMES = ['min', 'mean', ...PERCENTILES, 'max'] as const;

function readTimes(json: unknown): Times | null {
  const members = membersOf(json);
  if (members === null) return null;
  const times: Partial<Record<keyof Times, number>> = {};
  for (const name of TIME_NAMES) {
    const time = readCount(members[name]);
    if (time !== null) times[name] = time;
  }
  return times;
}

/** Omits invalid counts. */
function readCounts(json: unknown): Counts {
  return Object.fromEntries(
    Object.entries(objectOf(json)).flatMap(([name, value]) => {
      const count = readCount(value);
      return count === null ? [] : [[name, count]];
    }),
  );
}

function readLedger(members: Members | null): LedgerRecord | null {
  return (
    members && {
      planned: readCount(members['planned']),
      started: readCount(members['started']),
      notStarted: readCounts(members['not_started']),
      success: readCount(members['success']),
      httpError: readCounts(members['http_error']),
      unexpected: readCounts(members['unexpected']),
      timeout: readCounts(members['timeout']),
      network: readCounts(members['network']),
      protocol: readCounts(members['protocol']),
      abandoned: readCount(members['abandoned']),
      resent: readCount(members['resent']),
      retryAfter: readCount(members['retry_after']),
    }
  );
}

function readSetup(json: unknown, histogram: unknown): SetupRecord | null {
  const members = membersOf(json);
  return (
    members && {
      count: readCount(members['count']),
      times: readTimes(members) ?? {},
      histogram: readHistogram(histogram),
    }
  );
}

const STOP_CAUSES = ['request', 'app_deleted', 'closed'] as const;

/** Returns null if the cause or the time is invalid. */
function readStop(members: Members): RunStop | null {
  const { cause: name, client } = members;
  const at = readInstant(members['at']);
  const cause = STOP_CAUSES.find((known) => known === name);
  if (at === null || cause === undefined) return null;
  return { at, cause, client: typeof client === 'string' ? client : null };
}

function readGenerator(members: Members | null): GeneratorRecord | null {
  return (
    members && {
      lagP99: readCount(members['lag_p99_ms']),
      overloaded: members['overloaded'] === true,
      threads: readCount(members['threads']),
      version: readString(members['version']),
    }
  );
}

function readDelivery(members: Members | null): LoadDelivery | null {
  if (members === null) return null;
  const heldShare = readNumber(members['held_share']);
  if (heldShare !== null) return { model: 'closed', heldShare };
  const [due, neverStarted] = [readNumber(members['due']), readNumber(members['never_started'])];
  if (due === null || neverStarted === null) return null;
  return {
    model: 'open',
    due,
    neverStarted,
    late: readNumber(members['late']) ?? 0,
    lagP99: readNumber(members['lag_p99_ms']) ?? 0,
    lagMax: readNumber(members['lag_max_ms']) ?? 0,
    worstWindow: readWindow(membersOf(members['worst_window'])),
  };
}

function readWindow(members: Members | null): Extract<LoadDelivery, { model: 'open' }>['worstWindow'] {
  const [second, due, neverStarted] = ['second', 'due', 'never_started'].map((name) =>
    readNumber(members?.[name]),
  );
  return typeof second === 'number' && typeof due === 'number' && typeof neverStarted === 'number'
    ? { second, due, neverStarted }
    : null;
}

function readMachine(members: Members | null): MachineRecord | null {
  return (
    members && {
      cores: readNumber(members['cores']),
      quota: readNumber(members['quota']),
      threadReason: THREAD_REASONS.find((reason) => reason === members['thread_reason']) ?? null,
      node: readString(members['node']),
      measurementVersion: readNumber(members['measurement_version']),
      threadLoads:
        readList(members['thread_loads'], (thread) => ({
          mean: readNumber(thread['mean']) ?? 0,
          max: readNumber(thread['max']) ?? 0,
        })) ?? [],
      seconds: readNumber(members['seconds']),
      longestStall: readNumber(members['longest_stall_ms']),
      stalledSeconds:
        readList(members['stalled_seconds'], (stalled) => ({
          tolerance: readNumber(stalled['tolerance_ms']) ?? 0,
          seconds: readNumber(stalled['seconds']) ?? 0,
        })) ?? [],
    }
  );
}

function readAddress(use: Members): AddressReport {
  const count = (name: string): number => readCount(use[name]) ?? 0;
  return {
    address: readString(use['address']) ?? '',
    connections: count('connections'),
    requests: count('requests'),
    failed: count('failed'),
    tls: readCounts(use['tls']),
  };
}

function readPool(members: Members | null): PoolRecord | null {
  return (
    members && {
      opened: readCount(members['opened']),
      peak: readCount(members['peak']),
      waited: readCount(members['waited']),
      waitP99: readNumber(members['wait_p99_ms']),
    }
  );
}

function readWarmup(members: Members | null): WarmupRecord | null {
  return (
    members && {
      seconds: readCount(members['seconds']),
      complete: readFlag(members['complete']),
      requests: readCount(members['requests']),
      ledger: readLedger(membersOf(members['ledger'])),
    }
  );
}

function readSecond(members: Members, index: number): SecondRecord {
  const count = (name: string): number => readCount(members[name]) ?? 0;
  return {
    second: readCount(members['second']) ?? index,
    span: Math.max(1, count('span')),
    warmup: members['warmup'] === true,
    started: count('started'),
    success: count('success'),
    error: count('error'),
    timeoutError: count('timeout_error'),
    networkError: count('network_error'),
    connections: readCount(members['connections']),
    bytesSent: count('data_sent'),
    bytesReceived: count('data_received'),
    p50: readCount(members['p50']),
    p95: readCount(members['p95']),
    p99: readCount(members['p99']),
  };
}

function readErrorSamples(json: unknown): readonly ErrorSample[] | null {
  return readList(json, (sample) => ({
    url: readString(sample['url']),
    error: readString(sample['error']),
    count: readCount(sample['count']),
  }));
}

function readWorker(members: Members): WorkerRecord {
  return {
    name: readString(members['name']),
    threads: readCount(members['threads']),
    started: readCount(members['started']),
    finished: readCount(members['finished']),
    lagP99: readNumber(members['lag_p99_ms']),
    startSkew: readNumber(members['start_skew_ms']),
    clockUncertainty: readNumber(members['clock_uncertainty_ms']),
    lossReason: readString(members['lost']),
  };
}

/**
 * Reads a list of objects; returns null for other values. An element that is not an object is read as an empty object.
 */
function readList<T>(json: unknown, read: (members: Members, index: number) => T): readonly T[] | null {
  return Array.isArray(json) ? json.map((member: unknown, index) => read(objectOf(member), index)) : null;
}

function readInstant(json: unknown): number | null {
  return typeof json === 'string' ? parseInstant(json) : null;
}

function readFlag(json: unknown): boolean | null {
  return typeof json === 'boolean' ? json : null;
}

function readPercentage(json: unknown): number | null {
  const percentage = readCount(json);
  return percentage !== null && percentage <= 100 ? percentage : null;
}

function membersOf(json: unknown): Members | null {
  return isObject(json) ? json : null;
}

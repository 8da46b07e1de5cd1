/** A runner without load: its runs end on command, and tests can inspect its input. */
import type { LoadJob } from '../../src/core/load/load-job.ts';
import type { AbortReason, LoadProgress, RunReport } from '../../src/core/load/run-report.ts';
import type { ActiveLoad, OnProgress, ResumedRun, Runner } from '../../src/core/ports/runner.ts';
import { milliseconds } from '../../src/core/units.ts';

export interface FakeRun {
  readonly job: LoadJob;
  /** Reasons of all stops so far. */
  readonly stops: readonly AbortReason[];
  reportProgress(progress: LoadProgress): void;
  /** Sets the partial report of the run. */
  count(report: RunReport): void;
  /** Ends the run, successfully or with a reason for an early end. */
  end(abortReason?: AbortReason): void;
  fail(error: Error): void;
}

export interface FakeRunner extends Runner {
  /** In order of their start. */
  readonly runs: readonly FakeRun[];
  /**
   * Returns the latest run.
   * @throws Error if no run was started.
   */
  latest(): FakeRun;
}

export interface UnfinishedRun extends Pick<ResumedRun, 'job' | 'lastProgress'> {
  /** Partial report of the run when it is resumed. */
  readonly report?: RunReport;
}

export interface FakeRunnerOptions {
  /** True if a stop ends the run immediately, as without requests in flight. */
  readonly endsOnStop?: boolean;
  /** True if a single iteration ends immediately. */
  readonly endsIterations?: boolean;
  /** Changes the report of a run at its end. */
  readonly report?: (report: RunReport) => RunReport;
  /** Error that `start` throws instead of starting. */
  readonly startError?: Error;
  /** Result of `check`; null by default: no shortage. */
  readonly check?: (job: LoadJob) => string | null | Promise<string | null>;
  /** Runs of an earlier process that are still active. They are added to `runs` when they are resumed. */
  readonly unfinishedRuns?: readonly UnfinishedRun[];
  /** Error with which `resume` rejects. */
  readonly resumeError?: Error;
}

export function createFakeRunner(options: FakeRunnerOptions = {}): FakeRunner {
  const runs: FakeRun[] = [];
  const endsOnStop = options.endsOnStop ?? true;
  const add = (job: LoadJob, onProgress: OnProgress, report: RunReport | null = null): ActiveLoad => {
    const stops: AbortReason[] = [];
    let resolve: (report: RunReport) => void;
    let reject: (error: Error) => void;
    const ended = new Promise<RunReport>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    let counted = report;
    const run: FakeRun = {
      job,
      stops,
      reportProgress: onProgress,
      count: (report) => {
        counted = report;
      },
      end: (abortReason) => {
        const report = createFakeReport(job, abortReason ?? null);
        resolve(options.report?.(report) ?? report);
      },
      fail: (error) => reject(error),
    };
    runs.push(run);
    return {
      ended,
      partialReport: () => counted,
      stop(reason) {
        stops.push(reason);
        if (endsOnStop) run.end(reason);
      },
      replaceRows: () => undefined,
      keep: () => undefined,
    };
  };
  const latest = (): FakeRun => {
    const run = runs.at(-1);
    if (run === undefined) throw new Error('no run was started');
    return run;
  };
  return {
    runs,
    latest,
    check: async (job) => {
      const reason = (await options.check?.(job)) ?? null;
      return reason === null ? null : { reason, retryAfter: null };
    },
    start(job, onProgress) {
      if (options.startError !== undefined) throw options.startError;
      const active = add(job, onProgress);
      if (job.trace && options.endsIterations !== false) latest().end();
      return active;
    },
    resume(runId, onProgress) {
      if (options.resumeError !== undefined) return Promise.reject(options.resumeError);
      const left = options.unfinishedRuns?.find(({ job }) => job.runId === runId);
      return Promise.resolve(
        left === undefined ? null : { ...left, kept: null, ...add(left.job, onProgress, left.report) },
      );
    },
    close: () => Promise.resolve(),
  };
}

/** Creates a small report with a balanced ledger: two successful responses and one 404 per target. */
export function createFakeReport(job: LoadJob, abortReason: AbortReason | null): RunReport {
  const count = job.targets.length;
  const metrics = (times: number) => ({
    ledger: {
      planned: 3 * times,
      started: 3 * times,
      notStarted: { stopped: 0, aborted: 0, saturated: 0, noSocket: 0, undefinedVariable: 0, condition: 0 },
      success: 2 * times,
      httpError: { '404': times },
      timeout: { connect: 0, tls: 0, response: 0 },
      network: {},
      protocol: {},
      unexpected: {},
      abandoned: 0,
      resent: 0,
      retryAfter: 0,
    },
    statusCodes: { '200': 2 * times, '404': times },
    bytesSent: 300 * times,
    bytesReceived: 600 * times,
    latency: LATENCY,
    serviceTime: LATENCY,
    omitted: 0,
    latencyHistogram: HISTOGRAM,
    serviceTimeHistogram: HISTOGRAM,
  });
  return {
    timeout: job.timeout,
    loadStartedAt: null,
    elapsed: job.duration,
    knownUntil: null,
    errorStop: null,
    thresholdStop: null,
    abortReason,
    total: metrics(count),
    iterations: null,
    flows: null,
    seed: null,
    setup: null,
    teardown: null,
    targets: job.targets.map(({ url, method }) => ({
      url,
      method,
      requestsPerSecond: 1,
      bounds: {},
      minTimes: null,
      ...metrics(1),
    })),
    outage: { spans: 0, seconds: 0, periods: [] },
    requestsPerSecond: (3 * count * 1000) / job.duration,
    pool: null,
    addresses: [],
    peakConnections: job.total,
    connect: { count: job.total, times: LATENCY, histogram: HISTOGRAM },
    tls: null,
    generator: { lagP99: milliseconds(1), overloaded: false, threads: 1, version: 'fake' },
    bounds: {},
    minTimes: null,
    delivery: null,
    warmup: null,
    machine: null,
    workers: null,
    abortCertain: abortReason === 'error_threshold' ? true : null,
    timeline: [
      {
        second: 0,
        span: 1,
        warmup: false,
        started: 3 * count,
        success: 2 * count,
        error: count,
        timeoutError: 0,
        networkError: 0,
        connections: 1,
        bytesSent: 300,
        bytesReceived: 600,
        p50: 2,
        p95: 4,
        p99: 5,
      },
    ],
    errorSamples: [{ url: job.targets[0]?.url ?? '', error: '404', count }],
    exchanges: [],
  };
}

const HISTOGRAM = {
  min: 1000,
  max: 5000,
  sum: 8000,
  counts: [
    [506, 2],
    [665, 1],
  ],
} as const;

const LATENCY = { min: 1, mean: 2.5, p50: 2, p75: 3, p90: 4, p95: 4, p99: 5, 'p99.9': 5, max: 5 };

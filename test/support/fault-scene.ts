/**
 * A service with workers, a target that records each request, and a reader of the messages in Redis. Tests
 * may break any part of it, and then check the invariants of the run. Several runs can be active at the same
 * time, each with its own workers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { LEASE_DRAIN_MS, LEASE_MS } from '../../src/cluster/cluster-messages.ts';
import { Seal } from '../../src/cluster/seal.ts';
import { Secret } from '../../src/core/model/secret.ts';
import { followStreams } from './acknowledged-snapshots.ts';
import {
  startTestCluster,
  WORKER_SECRET,
  type TestCluster,
  type ResultView,
  type StartedProcess,
} from './cluster-processes.ts';
import { startFaultTarget, type FaultTarget, type TimedRequest } from './fault-target.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export interface LoadPlan {
  readonly testType: 'cycling' | 'non-cycling' | 'per-second';
  readonly total: number;
  readonly seconds: number;
}

/** A run, as the target observed it. */
export interface ObservedRun {
  readonly runId: string;
  readonly result: ResultView;
  readonly plan: LoadPlan;
  /** Requests of its load. */
  readonly requests: readonly TimedRequest[];
  /** Arrival time in Redis of the latest acknowledged second, or the start time if that is later. */
  readonly acknowledged: number;
  /** Returns the requests after an instant, in ms since the epoch, including those that arrive later. */
  requestsSince(at: number): readonly TimedRequest[];
}

export interface FaultWorker {
  readonly name: string;
  readonly process: StartedProcess;
  /** Proxy between the worker and Redis. */
  readonly wire: TcpProxy;
}

/** A run that has sent its first request. */
export interface StartedRun {
  readonly runId: string;
  /** Workers that take part in it. */
  readonly workers: readonly FaultWorker[];
}

export interface FaultScene {
  readonly cluster: TestCluster;
  /** Workers that were not killed. */
  workers(): readonly FaultWorker[];
  /**
   * Starts a run on a number of workers, performs an action on it, and waits for its end. Starts workers if
   * there are not enough free ones.
   * @throws RunNotStartedError if the machine is too busy to get the workers ready.
   */
  runLoad(plan: LoadPlan, workers: number, action: (run: StartedRun) => Promise<void>): Promise<ObservedRun>;
  close(): Promise<void>;
}

/** Thrown if no load was generated, so that the action was not performed. */
export class RunNotStartedError extends Error {}

export interface FaultSceneSettings {
  /** Maximum number of concurrent workers. */
  readonly maxWorkers: number;
  /** True if Redis writes acknowledged data to disk. */
  readonly durable?: boolean;
  /** Number of workers of a run, with one thread each; null for all free workers. */
  readonly perRun?: number | null;
}

/** Maximum time of a run beyond its load: drain, silence, and delays of a busy machine. */
const RUN_TIMEOUT_MS = 60_000;

/** Time within which a worker that still sends load would be observed. */
const OBSERVATION_MS = 1000;

export async function openFaultScene(settings: FaultSceneSettings): Promise<FaultScene> {
  const { maxWorkers, durable = false, perRun = null } = settings;
  const target = await startFaultTarget();
  const flags = perRun === null ? [] : ['--threads', String(perRun)];
  const cluster = await startTestCluster({ durable, flags });
  await verifyTarget(cluster, target);
  const team = openWorkerTeam(cluster, maxWorkers);
  const seal = new Seal(new Secret('LOADTESTS_WORKER_SECRET', WORKER_SECRET));
  /** Runs start one after another, so that each gets its workers. */
  let previous: Promise<unknown> = Promise.resolve();
  const sequentially = async <T>(action: () => Promise<T>): Promise<T> => {
    const result = previous.then(action);
    previous = result.catch(() => undefined);
    return await result;
  };
  const recentOutput = (): string =>
    [cluster.service(), ...team.alive().map(({ process }) => process)]
      .map((process) => process.output().slice(-2000))
      .join('\n');

  const firstRequest = async (plan: LoadPlan, workers: number): Promise<PendingRun> => {
    const run = await sequentially(async () => {
      await team.gather(workers);
      const started = await beginRun(cluster, target, plan);
      // Before that, the workers of the run still appear to be free.
      const deadline = performance.now() + RUN_TIMEOUT_MS;
      const isTaken = () =>
        team.workersOf(started.runId).length >= workers || hasEnded(cluster, started.runId);
      while (!isTaken() && performance.now() < deadline) await sleep(20);
      return { ...started, streams: followStreams(cluster.redis.port, started.runId, seal) };
    });
    const deadline = performance.now() + RUN_TIMEOUT_MS;
    while (run.requests.length === 0 && !hasEnded(cluster, run.runId) && performance.now() < deadline) {
      await sleep(20);
    }
    if (run.requests.length > 0) return run;
    await run.streams.stop();
    const reasons = refusalReasonsOf(cluster.service(), run.runId);
    const isLate =
      reasons.length > 0 && reasons.every((reason) => reason.startsWith('did not become ready within'));
    if (isLate) throw new RunNotStartedError(reasons.join('; '));
    throw new Error(`no request was sent; recent output:\n${recentOutput()}`);
  };

  return {
    cluster,
    workers: () => team.alive(),
    async runLoad(plan, workers, action) {
      const { testId, runId, requests, streams } = await firstRequest(plan, workers);
      try {
        await action({ runId, workers: team.workersOf(runId) });
        const result = await waitForResult(cluster, { testId, runId }, 1000 * plan.seconds + RUN_TIMEOUT_MS);
        await sleep(OBSERVATION_MS);
        const acknowledged = await streams.stop();
        const requestsSince = (since: number) => requests.filter(({ at }) => at > since);
        return { runId, result, plan, requests: [...requests], acknowledged, requestsSince };
      } catch (cause) {
        throw new Error(`run ${runId} failed; recent output:\n${recentOutput()}`, { cause });
      } finally {
        await streams.stop();
      }
    },
    async close() {
      for (const { wire } of team.alive()) wire.reconnect();
      await cluster.close();
      await team.close();
      target.close();
    },
  };
}

/** Returns the violated invariants of a run, which must hold after any fault. */
export function findFaults({ result, plan, requests, acknowledged }: ObservedRun): readonly string[] {
  const faults: string[] = [];
  const { testType, total, seconds } = plan;
  const { ledger } = result;
  const planned =
    testType === 'cycling' ? ledger.planned : testType === 'per-second' ? total * seconds : total;
  const rows = new Map<string, number>();
  for (const { path } of requests) rows.set(path, (rows.get(path) ?? 0) + 1);
  const repeated = [...rows].filter(([, times]) => times > 1);
  if (testType !== 'cycling' && repeated.length > ledger.resent) {
    faults.push(`${repeated.length} of ${planned} requests were sent twice: ${repeated[0]?.[0] ?? ''}`);
  }
  const responses = result.success + result.error;
  if (responses > requests.length)
    faults.push(`${responses} responses were counted, but the target received ${requests.length} requests`);
  if (result.abort_reason === null) {
    // Requests that timed out or were abandoned may or may not have arrived. If all requests got a response,
    // as on an idle machine, both bounds are equal and the check is exact.
    const max = ledger.started + ledger.resent;
    if (requests.length > max)
      faults.push(`the complete result has ${max} requests, but the target received ${requests.length}`);
    if (ledger.started !== result.requests + ledger.abandoned) {
      faults.push(
        `${ledger.started} requests were started, ${result.requests} ended, and ${ledger.abandoned} were abandoned`,
      );
    }
    const unstarted = Object.values(ledger.not_started).reduce((sum, count) => sum + count, 0);
    if (ledger.planned !== planned || ledger.started + unstarted !== planned) {
      faults.push(
        `${planned} requests were planned, but the ledger has ${ledger.planned}: ${ledger.started} started, ${unstarted} not started`,
      );
    }
  }
  const last = Math.max(0, ...requests.map(({ arrivedAfter }) => arrivedAfter));
  const latest = acknowledged + LEASE_MS + LEASE_DRAIN_MS;
  if (last > latest)
    faults.push(`a request arrived ${Math.round(last - latest)} ms after the end of the lease`);
  return faults.length === 0 ? [] : [...faults, `the ledger: ${JSON.stringify(ledger)}`];
}

// --- Workers

interface WorkerTeam {
  alive(): readonly FaultWorker[];
  workersOf(runId: string): readonly FaultWorker[];
  /** Waits until this number of workers is free and known to the service. */
  gather(count: number): Promise<void>;
  close(): Promise<void>;
}

function openWorkerTeam(cluster: TestCluster, maxWorkers: number): WorkerTeam {
  const all: { readonly worker: FaultWorker; dead: boolean }[] = [];
  const startWorker = async (): Promise<void> => {
    const name = `worker-${all.length + 1}`;
    const proxy = await startTcpProxy(cluster.redis.port);
    const process = await cluster.startWorker(name, [], `redis://127.0.0.1:${proxy.port}`);
    const member = { worker: { name, process, wire: proxy }, dead: false };
    all.push(member);
    void process.ended.finally(() => {
      member.dead = true;
    });
  };
  const alive = () => all.filter(({ dead }) => !dead).map(({ worker }) => worker);
  const free = () => alive().filter(({ process }) => !isBusy(process));
  return {
    alive,
    workersOf: (runId) => alive().filter(({ process }) => hasAcceptedRun(process, runId)),
    async gather(count) {
      const deadline = performance.now() + RUN_TIMEOUT_MS;
      for (;;) {
        while (free().length < count && alive().length < maxWorkers) await startWorker();
        const ready = await readyNames(cluster).catch(() => new Set<string>());
        if (free().filter(({ name }) => ready.has(name)).length >= count) return;
        if (performance.now() > deadline)
          throw new RunNotStartedError(`fewer than ${count} workers are free`);
        await sleep(100);
      }
    },
    async close() {
      await Promise.all(all.map(({ worker }) => worker.wire.close()));
    },
  };
}

/** Reports whether a worker is busy, according to its log, which is written first. */
function isBusy(worker: StartedProcess): boolean {
  const count = (event: string) => worker.output().split(`"event":"${event}"`).length;
  return count('shard-accepted') > count('shard-ended');
}

function hasAcceptedRun(worker: StartedProcess, runId: string): boolean {
  return worker.output().includes(`"event":"shard-accepted","run":"${runId}"`);
}

async function readyNames(cluster: TestCluster): Promise<ReadonlySet<string>> {
  const { text } = await cluster.call('GET', '/v2/workers');
  const workers = JSON.parse(text) as readonly { readonly name: string; readonly state: string }[]; // a list of workers
  return new Set(workers.filter(({ state }) => state === 'ready').map(({ name }) => name));
}

// --- Runs

interface PendingRun {
  readonly testId: string;
  readonly runId: string;
  /** Grows with the requests. */
  readonly requests: readonly TimedRequest[];
  readonly streams: ReturnType<typeof followStreams>;
}

/** Reads the log of the service, because requests to it would cost more than the run. */
function hasEnded(cluster: TestCluster, runId: string): boolean {
  return logLinesOf(cluster.service(), 'run-ended', runId).length > 0;
}

/** Returns the reasons for which workers refused the run, as logged by the service. */
function refusalReasonsOf(service: StartedProcess, runId: string): readonly string[] {
  const lines = logLinesOf(service, 'shard-refused', runId);
  return lines.map((line) => String((JSON.parse(line) as { readonly reason: unknown }).reason)); // a line of its log
}

function logLinesOf(process: StartedProcess, event: string, runId: string): readonly string[] {
  const lines = process.output().split('\n');
  return lines.filter((line) => line.includes(`"event":"${event}"`) && line.includes(runId));
}

async function beginRun(
  cluster: TestCluster,
  target: FaultTarget,
  { testType, total, seconds }: LoadPlan,
): Promise<Omit<PendingRun, 'streams'>> {
  const count = testType === 'per-second' ? total * seconds : total;
  const { directory, requests } = target.newLoad();
  const values = Array.from({ length: count }, (_, row) => [`row-${row}`]);
  const file = `${directory}/rows.json`;
  target.pages.set(file, JSON.stringify({ version: 1, variables: [{ names: ['row'], values }] }));
  const url = { url: `${target.url}${directory}/load/{{row}}`, payload_file_url: target.url + file };
  // Late responses of a busy target do not end the run.
  const conditions = { timeout: 2000, error_threshold: 100 };
  const test = { test_type: testType, total, duration: seconds, ...conditions, urls: [url] };
  const deadline = performance.now() + RUN_TIMEOUT_MS;
  for (;;) {
    const { status, json, text } = await cluster.call('POST', '/v2/tests', test);
    if (status === 200)
      return { testId: String(json['test_id']), runId: String(json['result_id']), requests };
    if (performance.now() > deadline) throw new Error(`the test was not started: ${text}`);
    // Workers that have just started or completed a shard become available shortly. A verification that
    // failed because the machine was busy must be repeated.
    if (text.includes('verif')) await verifyTarget(cluster, target);
    else await sleep(250);
  }
}

/** Repeats the verification, because a busy machine may need several attempts. */
async function verifyTarget(cluster: TestCluster, target: FaultTarget): Promise<void> {
  const deadline = performance.now() + RUN_TIMEOUT_MS;
  for (;;) {
    try {
      await cluster.verify(target.host, (path, token) => {
        target.pages.set(path, token);
      });
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(1000);
    }
  }
}

/**
 * Waits for the result, even if the service is unavailable. A service that is killed at the end of a run may
 * not have logged it.
 */
async function waitForResult(
  cluster: TestCluster,
  { testId, runId }: Pick<PendingRun, 'testId' | 'runId'>,
  timeoutMs: number,
): Promise<ResultView> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const askedAt = performance.now();
    const response = await cluster.call('GET', `/v2/tests/${testId}`).catch(() => null);
    if (response?.json['status'] === 'complete') return await cluster.result(testId);
    if (askedAt > deadline)
      throw new Error(`the run did not end: ${response?.text ?? 'the service does not respond'}`);
    while (performance.now() < askedAt + 3000 && !hasEnded(cluster, runId)) await sleep(50);
  }
}

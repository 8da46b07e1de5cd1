/**
 * A service with its workers, a target that notes each request, and somebody who reads along in Redis: what is played in
 * it may break anything, and afterwards what must be true is looked for. Several runs may be played at once, each by
 * workers of its own.
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

/** One run as the target saw it. */
export interface ObservedRun {
  readonly runId: string;
  readonly result: ResultView;
  readonly plan: LoadPlan;
  /** Requests of its load. */
  readonly requests: readonly TimedRequest[];
  /** When the newest second that was acknowledged had arrived in Redis, or the start, if that came later. */
  readonly acknowledged: number;
  /** What has come since a moment, in ms since 1970: also what comes later. */
  requestsSince(at: number): readonly TimedRequest[];
}

export interface FaultWorker {
  readonly name: string;
  readonly process: StartedProcess;
  /** Between it and Redis. */
  readonly wire: TcpProxy;
}

/** A run that has sent its first request. */
export interface StartedRun {
  readonly runId: string;
  /** Those that took a part in it. */
  readonly workers: readonly FaultWorker[];
}

export interface FaultScene {
  readonly cluster: TestCluster;
  /** Those that were not killed. */
  workers(): readonly FaultWorker[];
  /**
   * Starts a run by so many workers, does something to it, and waits for its end. Workers are started where there are not
   * enough that are free.
   *
   * Errors: RunNotStartedError on a machine too busy to get its workers ready.
   */
  runLoad(
    plan: LoadPlan,
    workers: number,
    meanwhile: (run: StartedRun) => Promise<void>,
  ): Promise<ObservedRun>;
  close(): Promise<void>;
}

/** No load was made, and nothing was done to it. */
export class RunNotStartedError extends Error {}

export interface FaultSceneSettings {
  /** Workers that it has at once, at most. */
  readonly maxWorkers: number;
  /** Everything that Redis acknowledged is on its disk. */
  readonly durable?: boolean;
  /** A run takes so many workers, of one thread each; null: all that are free. */
  readonly perRun?: number | null;
}

/** So long a run may take beyond its load: drain, silence, and a machine that is busy with other tests. */
const RUN_TIMEOUT_MS = 60_000;

/** Whoever goes on sending shows it within so long. */
const OBSERVATION_MS = 1000;

export async function openFaultScene(settings: FaultSceneSettings): Promise<FaultScene> {
  const { maxWorkers, durable = false, perRun = null } = settings;
  const target = await startFaultTarget();
  const flags = perRun === null ? [] : ['--threads', String(perRun)];
  const cluster = await startTestCluster({ durable, flags });
  await verifyTarget(cluster, target);
  const team = openWorkerTeam(cluster, maxWorkers);
  const seal = new Seal(new Secret('LOADTESTS_WORKER_SECRET', WORKER_SECRET));
  /** One after another, so that each gets the workers that it wants. */
  let before: Promise<unknown> = Promise.resolve();
  const inTurn = async <T>(act: () => Promise<T>): Promise<T> => {
    const turn = before.then(act);
    before = turn.catch(() => undefined);
    return await turn;
  };
  const sayings = (): string =>
    [cluster.service(), ...team.alive().map(({ process }) => process)]
      .map((process) => process.output().slice(-2000))
      .join('\n');

  const firstRequest = async (plan: LoadPlan, workers: number): Promise<PendingRun> => {
    const begun = await inTurn(async () => {
      await team.gather(workers);
      const run = await beginRun(cluster, target, plan);
      // Until then, they look as if they were free.
      const deadline = performance.now() + RUN_TIMEOUT_MS;
      const isTaken = () => team.workersOf(run.runId).length >= workers || hasEnded(cluster, run.runId);
      while (!isTaken() && performance.now() < deadline) await sleep(20);
      return { ...run, streams: followStreams(cluster.redis.port, run.runId, seal) };
    });
    const deadline = performance.now() + RUN_TIMEOUT_MS;
    while (begun.requests.length === 0 && !hasEnded(cluster, begun.runId) && performance.now() < deadline) {
      await sleep(20);
    }
    if (begun.requests.length > 0) return begun;
    await begun.streams.stop();
    const reasons = refusalReasonsOf(cluster.service(), begun.runId);
    const isLate = reasons.length > 0 && reasons.every((reason) => reason.startsWith('not ready within'));
    if (isLate) throw new RunNotStartedError(reasons.join('; '));
    throw new Error(`nothing was sent; they said:\n${sayings()}`);
  };

  return {
    cluster,
    workers: () => team.alive(),
    async runLoad(plan, workers, meanwhile) {
      const { testId, runId, requests, streams } = await firstRequest(plan, workers);
      try {
        await meanwhile({ runId, workers: team.workersOf(runId) });
        const result = await waitForResult(cluster, { testId, runId }, 1000 * plan.seconds + RUN_TIMEOUT_MS);
        await sleep(OBSERVATION_MS);
        const acknowledged = await streams.stop();
        const requestsSince = (since: number) => requests.filter(({ at }) => at > since);
        return { runId, result, plan, requests: [...requests], acknowledged, requestsSince };
      } catch (cause) {
        throw new Error(`run ${runId} was lost; they said:\n${sayings()}`, { cause });
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

/** What is not as it must be, whatever was done to a run; empty: all is well. */
export function findFaults({ result, plan, requests, acknowledged }: ObservedRun): readonly string[] {
  const faults: string[] = [];
  const { testType, total, seconds } = plan;
  const { ledger } = result;
  const planned =
    testType === 'cycling' ? ledger.planned : testType === 'per-second' ? total * seconds : total;
  const rows = new Map<string, number>();
  for (const { path } of requests) rows.set(path, (rows.get(path) ?? 0) + 1);
  const twice = [...rows].filter(([, times]) => times > 1);
  if (testType !== 'cycling' && twice.length > ledger.resent) {
    faults.push(`${twice.length} of ${planned} requests were made twice: ${twice[0]?.[0] ?? ''}`);
  }
  const answered = result.success + result.error;
  if (answered > requests.length)
    faults.push(`${answered} were answered, and the target saw ${requests.length}`);
  if (result.abort_reason === null) {
    // What got no answer in time, or was given up at the end, may or may not have come. Where all was answered, as on a
    // machine that is not too busy, both ends are the same, and the law is exact.
    const most = ledger.started + ledger.resent;
    if (requests.length > most)
      faults.push(`a complete result of ${most} requests, and the target saw ${requests.length}`);
    if (ledger.started !== result.requests + ledger.abandoned) {
      faults.push(
        `of ${ledger.started} requests ${result.requests} ended, and ${ledger.abandoned} were given up`,
      );
    }
    const unstarted = Object.values(ledger.not_started).reduce((sum, count) => sum + count, 0);
    if (ledger.planned !== planned || ledger.started + unstarted !== planned) {
      faults.push(
        `${planned} were planned: ${ledger.planned}, of them ${ledger.started} and ${unstarted} not`,
      );
    }
  }
  const last = Math.max(0, ...requests.map(({ cameAfter }) => cameAfter));
  const latest = acknowledged + LEASE_MS + LEASE_DRAIN_MS;
  if (last > latest) faults.push(`a request came ${Math.round(last - latest)} ms after the lease had to end`);
  return faults.length === 0 ? [] : [...faults, `its ledger: ${JSON.stringify(ledger)}`];
}

// --- the workers

interface WorkerTeam {
  alive(): readonly FaultWorker[];
  workersOf(runId: string): readonly FaultWorker[];
  /** Until so many are free, and the service knows of them. */
  gather(count: number): Promise<void>;
  close(): Promise<void>;
}

function openWorkerTeam(rig: TestCluster, most: number): WorkerTeam {
  const all: { readonly worker: FaultWorker; dead: boolean }[] = [];
  const recruit = async (): Promise<void> => {
    const name = `worker-${all.length + 1}`;
    const wire = await startTcpProxy(rig.redis.port);
    const process = await rig.startWorker(name, [], `redis://127.0.0.1:${wire.port}`);
    const member = { worker: { name, process, wire }, dead: false };
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
        while (free().length < count && alive().length < most) await recruit();
        const ready = await readyNames(rig).catch(() => new Set<string>());
        if (free().filter(({ name }) => ready.has(name)).length >= count) return;
        if (performance.now() > deadline)
          throw new RunNotStartedError(`there are no ${count} workers that are free`);
        await sleep(100);
      }
    },
    async close() {
      await Promise.all(all.map(({ worker }) => worker.wire.close()));
    },
  };
}

/** By the log of a worker, which is there as soon as anything else of it. */
function isBusy(worker: StartedProcess): boolean {
  const count = (event: string) => worker.output().split(`"event":"${event}"`).length;
  return count('part-taken') > count('part-ended');
}

function hasAcceptedRun(worker: StartedProcess, runId: string): boolean {
  return worker.output().includes(`"event":"part-taken","run":"${runId}"`);
}

async function readyNames(rig: TestCluster): Promise<ReadonlySet<string>> {
  const { text } = await rig.call('GET', '/v2/workers');
  const workers = JSON.parse(text) as readonly { readonly name: string; readonly state: string }[]; // a list of workers
  return new Set(workers.filter(({ state }) => state === 'ready').map(({ name }) => name));
}

// --- a run

interface PendingRun {
  readonly testId: string;
  readonly runId: string;
  /** Grows as its requests come. */
  readonly requests: readonly TimedRequest[];
  readonly streams: ReturnType<typeof followStreams>;
}

/** By the log of the service: asking it would cost more than the run itself. */
function hasEnded(rig: TestCluster, runId: string): boolean {
  return logLinesOf(rig.service(), 'run-ended', runId).length > 0;
}

/** Why workers did not take part in it, in the words of the service. */
function refusalReasonsOf(service: StartedProcess, runId: string): readonly string[] {
  const lines = logLinesOf(service, 'part-refused', runId);
  return lines.map((line) => String((JSON.parse(line) as { readonly reason: unknown }).reason)); // a line of its log
}

function logLinesOf(process: StartedProcess, event: string, runId: string): readonly string[] {
  const lines = process.output().split('\n');
  return lines.filter((line) => line.includes(`"event":"${event}"`) && line.includes(runId));
}

async function beginRun(
  rig: TestCluster,
  target: FaultTarget,
  { testType, total, seconds }: LoadPlan,
): Promise<Omit<PendingRun, 'streams'>> {
  const count = testType === 'per-second' ? total * seconds : total;
  const { directory, seen: requests } = target.newLoad();
  const values = Array.from({ length: count }, (_, row) => [`row-${row}`]);
  const file = `${directory}/rows.json`;
  target.pages.set(file, JSON.stringify({ version: 1, variables: [{ names: ['row'], values }] }));
  const url = { url: `${target.url}${directory}/load/{{row}}`, payload_file_url: target.url + file };
  // A target on a busy machine answers late; that ends no run.
  const judged = { timeout: 2000, error_threshold: 100 };
  const test = { test_type: testType, total, duration: seconds, ...judged, urls: [url] };
  const deadline = performance.now() + RUN_TIMEOUT_MS;
  for (;;) {
    const { status, json, text } = await rig.call('POST', '/v2/tests', test);
    if (status === 200)
      return { testId: String(json['test_id']), runId: String(json['result_id']), requests };
    if (performance.now() > deadline) throw new Error(`the test was not started: ${text}`);
    // Workers that were just started, or are just done with a part, are there in a moment. A target that is asked for its
    // consent while the machine is too busy is none that consents, until it is verified again.
    if (text.includes('verif')) await verifyTarget(rig, target);
    else await sleep(250);
  }
}

/** A busy machine needs several tries: a target has a few seconds to answer. */
async function verifyTarget(rig: TestCluster, target: FaultTarget): Promise<void> {
  const deadline = performance.now() + RUN_TIMEOUT_MS;
  for (;;) {
    try {
      await rig.verify(target.host, (path, token) => {
        target.pages.set(path, token);
      });
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(1000);
    }
  }
}

/** Also while nobody answers. A service that is killed as a run ends has not always told of it in its log. */
async function waitForResult(
  rig: TestCluster,
  { testId, runId }: Pick<PendingRun, 'testId' | 'runId'>,
  withinMs: number,
): Promise<ResultView> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const asked = performance.now();
    const seen = await rig.call('GET', `/v2/tests/${testId}`).catch(() => null);
    if (seen?.json['status'] === 'complete') return await rig.result(testId);
    if (asked > deadline) throw new Error(`the run is stuck: ${seen?.text ?? 'nobody answers'}`);
    while (performance.now() < asked + 3000 && !hasEnded(rig, runId)) await sleep(50);
  }
}

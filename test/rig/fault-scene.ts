/**
 * A service with its workers, a target that notes each request, and somebody who reads along in Redis: what is played in
 * it may break anything, and afterwards what must be true is looked for.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { ofWorkersKey, toWorkersKey } from '../../src/cluster/keys.ts';
import { BEGINNING, receive } from '../../src/cluster/letters.ts';
import { LEASE_DRAIN_MS, LEASE_MS, type ToWorkers } from '../../src/cluster/messages.ts';
import { Seal } from '../../src/cluster/seal.ts';
import { Secret } from '../../src/core/model/secret.ts';
import { startCluster, WORKER_SECRET, type ClusterRig, type ResultSeen, type Started } from './cluster.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

interface SeenRequest {
  readonly path: string;
  /** Ms since 1970, as Redis' time on the same machine is. */
  readonly at: number;
}

export interface LoadPlan {
  readonly testType: 'cycling' | 'non-cycling' | 'per-second';
  readonly total: number;
  readonly seconds: number;
}

/** One run as the target saw it. */
export interface PlayedRun {
  readonly runId: string;
  readonly result: ResultSeen;
  readonly plan: LoadPlan;
  /** Requests of the load, not those for rows and tokens. */
  readonly seen: readonly SeenRequest[];
  /** When the newest second that was acknowledged had arrived in Redis, or the start, if that came later. */
  readonly acknowledged: number;
  /** For so long, in ms, the target did not look at what had come: so late it may have noted a request. */
  readonly blind: number;
}

export interface FaultScene {
  readonly rig: ClusterRig;
  readonly proxy: TcpProxy;
  readonly host: string;
  readonly url: string;
  workers(): readonly Started[];
  /** One in the place of one that was killed. */
  replace(worker: Started): Promise<void>;
  /** Starts a run, does something to it, and waits for its end. `meanwhile`: told when the first request has come. */
  play(plan: LoadPlan, meanwhile: (runId: string) => Promise<void>): Promise<PlayedRun>;
  close(): Promise<void>;
}

/** So long a run may take beyond its load: drain, silence, and a machine that is busy with other tests. */
const STUCK_AFTER_MS = 45_000;

export async function openFaultScene(
  workers: number,
  settings: { readonly durable?: boolean } = {},
): Promise<FaultScene> {
  const target = await startTarget();
  const wires: TcpProxy[] = [];
  const rig = await startCluster({
    ...settings,
    workersThrough: async ({ port }) => {
      const proxy = await startTcpProxy(port);
      wires.push(proxy);
      return `redis://127.0.0.1:${proxy.port}`;
    },
  });
  const [wire] = wires;
  if (wire === undefined) throw new Error('workers have a wire of their own');
  let born = 0;
  const team: Started[] = [];
  const recruit = async (): Promise<void> => {
    team.push(await rig.startWorker(`worker-${++born}`));
  };
  await Promise.all(Array.from({ length: workers }, recruit));
  await rig.verify(target.host, (path, token) => {
    target.pages.set(path, token);
  });
  return {
    ...{ rig, proxy: wire, host: target.host, url: target.url },
    workers: () => team,
    async replace(worker) {
      team.splice(team.indexOf(worker), 1);
      await recruit();
    },
    async play(plan, meanwhile) {
      const from = target.seen.length;
      const deadline = performance.now() + STUCK_AFTER_MS;
      let { testId, runId } = await begin(rig, target, plan);
      let reading = readAlong(rig.redis.port, runId);
      while (target.seen.length === from) {
        await sleep(20);
        const { json } = await rig.call('GET', `/v2/tests/${testId}`);
        if (json['status'] !== 'complete' || target.seen.length > from) continue;
        // On a machine that is busy with other tests its workers were not ready in time, and it was refused.
        const said = [rig.service(), ...team].map((process) => process.output().slice(-1000)).join('\n');
        if (performance.now() > deadline) throw new Error(`nothing was sent; they said:\n${said}`);
        await reading.stop();
        ({ testId, runId } = await begin(rig, target, plan));
        reading = readAlong(rig.redis.port, runId);
      }
      await meanwhile(runId);
      const result = await resultOf(rig, testId, 1000 * plan.seconds + STUCK_AFTER_MS);
      // Whoever goes on sending shows it within a second.
      await sleep(1000);
      const acknowledged = await reading.stop();
      return { runId, result, plan, seen: target.seen.slice(from), acknowledged, blind: target.blind() };
    },
    async close() {
      wire.heal();
      await rig.close();
      await wire.close();
      target.close();
    },
  };
}

/** What is not as it must be, whatever was done to a run; empty: all is well. `whole`: nothing should have hurt it. */
export function findFaults(
  { result, plan, seen, acknowledged, blind }: PlayedRun,
  whole: boolean,
): readonly string[] {
  const faults: string[] = [];
  const { testType, total, seconds } = plan;
  const planned = testType === 'cycling' ? Infinity : testType === 'per-second' ? total * seconds : total;
  const rows = new Map<string, number>();
  for (const { path } of seen) rows.set(path, (rows.get(path) ?? 0) + 1);
  const twice = [...rows].filter(([, times]) => times > 1);
  if (testType !== 'cycling' && twice.length > 0) {
    faults.push(`${twice.length} of ${planned} requests were made twice: ${twice[0]?.[0] ?? ''}`);
  }
  if (result.abort_reason === null) {
    const { ledger } = result;
    // What was cut off by the end of the run came to the target, and has no outcome.
    if (result.requests > seen.length || ledger.started < seen.length) {
      faults.push(
        `a complete result has ${result.requests} of ${ledger.started} requests, and the target saw ${seen.length}`,
      );
    }
    if (testType !== 'cycling' && ledger.planned !== planned) {
      faults.push(`a complete result of ${ledger.planned} requests, and ${planned} were planned`);
    }
  }
  if (result.success > seen.length) {
    faults.push(`${result.success} were told as answered, and the target saw ${seen.length}`);
  }
  if (whole && result.abort_reason !== null) faults.push(`it ended as "${result.abort_reason}"`);
  const last = Math.max(0, ...seen.map(({ at }) => at));
  const latest = acknowledged + LEASE_MS + LEASE_DRAIN_MS + blind;
  if (last > latest) faults.push(`a request came ${Math.round(last - latest)} ms after the lease had to end`);
  return faults;
}

// --- the target

async function startTarget() {
  const pages = new Map<string, string>();
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const page = pages.get(path);
    if (page !== undefined || !path.startsWith('/load/')) {
      response.statusCode = page === undefined ? 404 : 200;
      response.end(page ?? 'not found');
      return;
    }
    seen.push({ path, at: Date.now() });
    response.end('hello');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let blind = 0;
  let looked = performance.now();
  const watch = setInterval(() => {
    blind = Math.max(blind, performance.now() - looked);
    looked = performance.now();
  }, 20);
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const host = `127.0.0.1:${port}`;
  return {
    ...{ pages, seen, host, url: `http://${host}` },
    blind: () => blind,
    close: () => {
      clearInterval(watch);
      server.closeAllConnections();
      server.close();
    },
  };
}

// --- a run

let rowFiles = 0;

async function begin(
  rig: ClusterRig,
  target: { readonly url: string; readonly pages: Map<string, string> },
  { testType, total, seconds }: LoadPlan,
): Promise<{ readonly testId: string; readonly runId: string }> {
  const count = testType === 'per-second' ? total * seconds : total;
  const values = Array.from({ length: count }, (_, row) => [`row-${row}`]);
  const file = `/rows-${++rowFiles}.json`;
  target.pages.set(file, JSON.stringify({ version: 1, variables: [{ names: ['row'], values }] }));
  const url = { url: `${target.url}/load/${rowFiles}/{{row}}`, payload_file_url: target.url + file };
  const test = { test_type: testType, total, duration: seconds, timeout: 2000, urls: [url] };
  const deadline = performance.now() + STUCK_AFTER_MS;
  for (;;) {
    const { status, json, text } = await rig.call('POST', '/v2/tests', test);
    if (status === 200) return { testId: String(json['test_id']), runId: String(json['result_id']) };
    // Workers that were just started, or are just done with a part, are there in a moment.
    if (performance.now() > deadline) throw new Error(`the test was not started: ${text}`);
    await sleep(250);
  }
}

/** Asks until there is one, also while nobody answers. */
async function resultOf(rig: ClusterRig, testId: string, withinMs: number): Promise<ResultSeen> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const seen = await rig.call('GET', `/v2/tests/${testId}`).catch(() => null);
    if (seen?.json['status'] === 'complete') return await rig.result(testId);
    if (performance.now() > deadline) throw new Error(`the run is stuck: ${seen?.text ?? 'nobody answers'}`);
    await sleep(200);
  }
}

// --- who reads along

/** Follows both streams of a run, as far as Redis lets it. `stop`: when the newest acknowledged second had arrived. */
function readAlong(port: number, runId: string): { readonly stop: () => Promise<number> } {
  const redis = new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: 0, retryStrategy: () => 100 });
  redis.on('error', () => undefined);
  const seal = new Seal(new Secret('LOADTESTS_WORKER_SECRET', WORKER_SECRET));
  const arrived = new Map<string, number>();
  const after = { to: BEGINNING, of: BEGINNING };
  let acknowledged = 0;
  const stopping = new AbortController();
  const look = async (): Promise<void> => {
    const of = { seal, box: { key: ofWorkersKey(runId), purpose: 'of', runId } as const };
    const told = await receive(redis, of, after.of, 1);
    for (const { id, workerId, mark } of told.letters) arrived.set(`${workerId} ${mark}`, timeOf(id));
    after.of = told.last;
    const to = { seal, box: { key: toWorkersKey(runId), purpose: 'to', runId } as const };
    const said = await receive(redis, to, after.to, 1);
    after.to = said.last;
    for (const { body } of said.letters) {
      // Sealed by the service.
      const message = JSON.parse(body.toString('utf8')) as ToWorkers;
      if (message.kind === 'go') acknowledged = Math.max(acknowledged, message.startAt);
      if (message.kind !== 'acknowledged') continue;
      for (const [workerId, mark] of Object.entries(message.merged)) {
        acknowledged = Math.max(acknowledged, arrived.get(`${workerId} ${mark}`) ?? 0);
      }
    }
  };
  const following = (async () => {
    while (!stopping.signal.aborted) {
      await look().catch(() => undefined);
      await sleep(30);
    }
    await look().catch(() => undefined);
    redis.disconnect();
  })();
  return {
    stop: async () => {
      stopping.abort();
      await following;
      return acknowledged;
    },
  };
}

/** Of an entry of a stream: its id begins with it. */
function timeOf(id: string): number {
  return Number(id.split('-')[0]);
}

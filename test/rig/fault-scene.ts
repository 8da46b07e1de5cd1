/**
 * A service with its workers, a target that notes each request, and somebody who reads along in Redis: what is played in
 * it may break anything, and afterwards what must be true is looked for.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LEASE_DRAIN_MS, LEASE_MS } from '../../src/cluster/messages.ts';
import { Seal } from '../../src/cluster/seal.ts';
import { Secret } from '../../src/core/model/secret.ts';
import { readAlong } from './acknowledged.ts';
import { startCluster, WORKER_SECRET, type ClusterRig, type ResultSeen, type Started } from './cluster.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

interface SeenRequest {
  readonly path: string;
  /** When the target read it, in ms since 1970, as Redis' time on the same machine is. */
  readonly at: number;
  /** It had not come by then: a target on a busy machine reads late. */
  readonly cameAfter: number;
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
  const seal = new Seal(new Secret('LOADTESTS_WORKER_SECRET', WORKER_SECRET));
  let born = 0;
  const team: Started[] = [];
  const recruit = async (): Promise<void> => {
    team.push(await rig.startWorker(`worker-${++born}`));
  };
  await Promise.all(Array.from({ length: workers }, recruit));
  await rig.verify(target.host, (path, token) => {
    target.pages.set(path, token);
  });
  /** A run that has sent something; refused ones, as on a machine too busy to get its workers ready, are told. */
  const firstRequest = async (plan: LoadPlan, tries = 3): Promise<BegunRun> => {
    const from = target.seen.length;
    const deadline = performance.now() + STUCK_AFTER_MS;
    const run = await begin(rig, target, plan);
    const reading = readAlong(rig.redis.port, run.runId, seal);
    for (;;) {
      const { json } = await rig.call('GET', `/v2/tests/${run.testId}`);
      if (target.seen.length > from) return { ...run, reading };
      if (json['status'] === 'complete' || performance.now() > deadline) break;
      await sleep(20);
    }
    await reading.stop();
    const reasons = refusalsOf(rig.service(), run.runId);
    if (
      tries > 1 &&
      reasons.length > 0 &&
      reasons.every((reason) => reason.includes('was not ready within'))
    ) {
      process.stdout.write(`a run was refused, and is begun again: ${reasons.join('; ')}\n`);
      return await firstRequest(plan, tries - 1);
    }
    const said = [rig.service(), ...team].map((process) => process.output().slice(-2000)).join('\n');
    throw new Error(`nothing was sent; they said:\n${said}`);
  };
  return {
    ...{ rig, proxy: wire, host: target.host, url: target.url },
    workers: () => team,
    async replace(worker) {
      team.splice(team.indexOf(worker), 1);
      await recruit();
    },
    async play(plan, meanwhile) {
      const from = target.seen.length;
      const { testId, runId, reading } = await firstRequest(plan);
      await meanwhile(runId);
      const result = await resultOf(rig, testId, 1000 * plan.seconds + STUCK_AFTER_MS);
      // Whoever goes on sending shows it within a second.
      await sleep(1000);
      const acknowledged = await reading.stop();
      return { runId, result, plan, seen: target.seen.slice(from), acknowledged };
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
  { result, plan, seen, acknowledged }: PlayedRun,
  whole: boolean,
): readonly string[] {
  const faults: string[] = [];
  const { testType, total, seconds } = plan;
  const { ledger } = result;
  const planned =
    testType === 'cycling' ? ledger.planned : testType === 'per-second' ? total * seconds : total;
  const rows = new Map<string, number>();
  for (const { path } of seen) rows.set(path, (rows.get(path) ?? 0) + 1);
  const twice = [...rows].filter(([, times]) => times > 1);
  if (testType !== 'cycling' && twice.length > ledger.resent) {
    faults.push(`${twice.length} of ${planned} requests were made twice: ${twice[0]?.[0] ?? ''}`);
  }
  const answered = result.success + result.error;
  if (answered > seen.length) faults.push(`${answered} were answered, and the target saw ${seen.length}`);
  if (result.abort_reason === null) {
    // What got no answer in time, or was given up at the end, may or may not have come. Where all was answered, as on a
    // machine that is not too busy, both ends are the same, and the law is exact.
    const most = ledger.started + ledger.resent;
    if (seen.length > most)
      faults.push(`a complete result of ${most} requests, and the target saw ${seen.length}`);
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
  if (whole && result.abort_reason !== null) faults.push(`it ended as "${result.abort_reason}"`);
  const last = Math.max(0, ...seen.map(({ cameAfter }) => cameAfter));
  const latest = acknowledged + LEASE_MS + LEASE_DRAIN_MS;
  if (last > latest) faults.push(`a request came ${Math.round(last - latest)} ms after the lease had to end`);
  return faults.length === 0 ? [] : [...faults, `its ledger: ${JSON.stringify(ledger)}`];
}

// --- the target

async function startTarget() {
  const pages = new Map<string, string>();
  const seen: SeenRequest[] = [];
  // Timers come between two looks at sockets, of which one takes a connection and the next reads its request.
  let looks: readonly [number, number, number] = [0, 0, 0];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const page = pages.get(path);
    if (page !== undefined || !path.startsWith('/load/')) {
      response.statusCode = page === undefined ? 404 : 200;
      response.end(page ?? 'not found');
      return;
    }
    seen.push({ path, at: Date.now(), cameAfter: looks[0] });
    response.end('hello');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const watch = setInterval(() => {
    looks = [looks[1], looks[2], Date.now()];
  }, 20);
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const host = `127.0.0.1:${port}`;
  return {
    ...{ pages, seen, host, url: `http://${host}` },
    close: () => {
      clearInterval(watch);
      server.closeAllConnections();
      server.close();
    },
  };
}

// --- a run

interface BegunRun {
  readonly testId: string;
  readonly runId: string;
  readonly reading: ReturnType<typeof readAlong>;
}

/** Why workers did not take part in it, in the words of the service. */
function refusalsOf(service: Started, runId: string): readonly string[] {
  const lines = service
    .output()
    .split('\n')
    .filter((line) => line.includes('"part-refused"') && line.includes(runId));
  return lines.map((line) => String((JSON.parse(line) as { readonly reason: unknown }).reason)); // a line of its log
}

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

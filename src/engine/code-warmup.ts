/**
 * Warm-up of the code of a thread. Before V8 has compiled this code, connections take several milliseconds longer. Each
 * thread therefore sends requests to a local listener before its run starts.
 */
import type { LoadJob } from '../core/load/load-job.ts';
import { milliseconds } from '../core/units.ts';
import { openLoopbackListener } from '../egress/loopback-listener.ts';
import { createClock, processTime } from './clock.ts';
import { LoadLoop, type ThreadContext } from './load-loop.ts';
import { compileJob } from './request-compiler.ts';

/** Time over which the requests are distributed, in ms. */
const DURATION_MS = 10;
const TIMEOUT_MS = 200;
const CLIENTS = 8;
const RESPONSE = Buffer.from('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok');

/**
 * Sends requests to a local listener, over TLS if a target of the job uses TLS. Does nothing if no listener can be
 * opened.
 */
export async function warmUpCode(
  job: LoadJob,
  context: Pick<ThreadContext, 'bodyBudget' | 'measureBusy'>,
): Promise<void> {
  const secure = job.targets.some((target) => target.secure);
  const listener = await openLoopbackListener(secure, RESPONSE).catch(() => null);
  if (listener === null) return;
  const { destination } = listener;
  const warmupJob = createJob(job, { secure, port: destination.port });
  const compiled = { ...compileJob(warmupJob), destinations: [destination] };
  const shard = { threadIndex: 0, first: 0, stride: 1, clients: CLIENTS };
  await new Promise<void>((resolve) => {
    const loop = new LoadLoop(warmupJob, compiled, shard, {
      ...context,
      now: createClock(processTime()),
      postSnapshot: () => undefined,
      updateLiveCounts: () => undefined,
      onExchange: () => undefined,
      onOverload: () => undefined,
      isLeaseExpired: null,
      onLeaseExpired: () => undefined,
      onEnd: () => resolve(),
    });
    loop.start();
  });
  listener.close();
}

function createJob(
  { runId, userAgent }: LoadJob,
  { secure, port }: { readonly secure: boolean; readonly port: number },
): LoadJob {
  const authority = `127.0.0.1:${port}`;
  return {
    runId,
    userAgent,
    testType: 'non-cycling',
    initial: 0,
    total: CLIENTS,
    duration: milliseconds(DURATION_MS),
    ramps: null,
    warmup: milliseconds(0),
    timeout: milliseconds(TIMEOUT_MS),
    errorThreshold: 100,
    targets: [
      {
        url: `http://${authority}/`,
        secure,
        hostname: '127.0.0.1',
        port,
        authority,
        addresses: ['127.0.0.1'],
        connection: null,
        method: 'GET',
        path: '/',
        resolveUrl: false,
        headers: [],
        credentials: null,
        awsSigv4: null,
        body: null,
        variables: [],
        expect: null,
        rows: null,
        delay: null,
        endsOnFailure: false,
      },
    ],
    flows: null,
    groups: null,
    onStart: null,
    clientRows: 0,
    iterationRows: [],
    values: [],
    bodyFiles: [],
    connections: null,
    keepAlive: true,
    tlsVerify: false,
    seed: 1,
    threads: 1,
    trace: null,
    arrivals: null,
    iterations: null,
    iterationsPerClient: null,
    pace: null,
  };
}

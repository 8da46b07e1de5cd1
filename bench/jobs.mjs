/**
 * Jobs for the engine.
 *
 * @see src/core/load/load-job.ts
 */

/** Creates a job for one thread, because each client program has one core. */
export function jobOf(targets, changes) {
  return {
    runId: 'bench',
    testType: 'cycling',
    initial: 64,
    total: 64,
    duration: 1000,
    ramps: null,
    warmup: 0,
    timeout: 10_000,
    errorThreshold: 100,
    targets,
    flows: null,
    groups: null,
    iterationRows: [],
    values: [],
    bodyFiles: [],
    arrivals: null,
    iterations: null,
    iterationsPerClient: null,
    onStart: null,
    clientRows: 0,
    pace: null,
    connections: null,
    keepAlive: true,
    tlsVerify: false,
    userAgent: 'loadtests/bench',
    seed: 1,
    threads: 1,
    trace: null,
    ...changes,
  };
}

/** Creates a closed-model job with a constant number of connections. */
export function closedJob(targets, { connections, seconds = 1 }) {
  return jobOf(targets, { initial: connections, total: connections, duration: seconds * 1000 });
}

/** Creates an open-model job: this number of clients starts each second, each with its own connection. */
export function openJob(targets, { perSecond, seconds }) {
  return jobOf(targets, { testType: 'per-second', initial: 0, total: perSecond, duration: seconds * 1000 });
}

export function targetOf(port, path = '/', changes = {}) {
  const { secure = false } = changes;
  return {
    url: `${secure ? 'https' : 'http'}://target.test:${port}${path}`,
    secure,
    hostname: 'target.test',
    port,
    authority: `target.test:${port}`,
    addresses: ['127.0.0.1'],
    connection: null,
    method: 'GET',
    path,
    headers: [],
    credentials: null,
    awsSigv4: null,
    body: null,
    variables: [],
    rows: null,
    delay: null,
    endsOnFailure: false,
    resolveUrl: false,
    expect: null,
    ...changes,
  };
}

/** Returns the number of responses in the ledger. */
export function countResponses({ ledger }) {
  return Object.values(ledger.httpError).reduce((sum, count) => sum + count, ledger.success);
}

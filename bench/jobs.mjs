/** Jobs for our engine. Source: src/core/load/load-job.ts. */

/** One thread, since every client gets one core. */
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
    passRows: [],
    tlsVerify: false,
    userAgent: 'loadtests/bench',
    seed: 1,
    threads: 1,
    trace: false,
    ...changes,
  };
}

/** So many connections from the beginning to the end, each sending its next request when the answer came. */
export function closedJob(targets, { connections, seconds = 1 }) {
  return jobOf(targets, { initial: connections, total: connections, duration: seconds * 1000 });
}

/** So many clients each second, whatever the target does; each with a connection of its own. */
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
    method: 'GET',
    path,
    params: [],
    headers: [],
    credentials: null,
    body: null,
    variables: [],
    rows: null,
    delay: null,
    expect: null,
    ...changes,
  };
}

/** Requests that were answered, by the engine's own books. */
export function answered({ ledger }) {
  return Object.values(ledger.httpError).reduce((sum, count) => sum + count, ledger.success);
}

/** Finds a port without a listener, for programs that cannot choose one and for connections that are refused. */
import { createServer } from 'node:net';

/**
 * Below the range of ephemeral ports, so that concurrent load does not take the port, and above the ports that the
 * product and `fetch` refuse, such as 10080 and 11211.
 */
const [FIRST, LAST] = [12_000, 32_000];

/**
 * Each worker of the test runner has its own ports, so that no other worker takes a port before its use. This is enough
 * for the workers of a machine with 26 cores.
 */
const WORKERS = 80;
const PORTS_PER_WORKER = (LAST - FIRST) / WORKERS;
const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS;
let latest = Math.floor(Math.random() * PORTS_PER_WORKER);

/** Returns the ports of the worker one after another, so that it does not return a port again before its use. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    latest = (latest + 1) % PORTS_PER_WORKER;
    const port = FIRST + worker * PORTS_PER_WORKER + latest;
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => {
      server.close(() => resolve(true));
    });
  });
}

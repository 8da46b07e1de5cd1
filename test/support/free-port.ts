/** Finds a free port, for programs that cannot choose one. */
import { createServer } from 'node:net';

/** Below the range of ephemeral ports, so that concurrent load does not take the port. */
const [FIRST, LAST] = [10_000, 30_000];

export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
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

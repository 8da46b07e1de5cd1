/** A target that notes when each request of each load came, as surely as a busy machine lets it know. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface TimedRequest {
  readonly path: string;
  /** When the target read it, in ms since 1970, as Redis' time on the same machine is. */
  readonly at: number;
  /** Its connection had not come by then: a target on a busy machine takes and reads late. */
  readonly cameAfter: number;
}

export interface FaultTarget {
  readonly host: string;
  readonly url: string;
  /** What else it shows, by path. */
  readonly pages: Map<string, string>;
  /** A directory of its own, `/1`, below which `/1/load/` takes requests, and what came there. */
  newLoad(): { readonly directory: string; readonly seen: readonly TimedRequest[] };
  close(): void;
}

export async function startFaultTarget(): Promise<FaultTarget> {
  const pages = new Map<string, string>();
  const loads = new Map<string, TimedRequest[]>();
  // Of those that wait, the system hands over one connection a turn: on a busy machine the last one comes late. A turn
  // without any shows that nobody waited at its beginning, and whoever comes later has asked for nothing before.
  let turn = { began: 0, connections: 0 };
  let nobodyWaited = 0;
  const cameAfter = new WeakMap<Socket, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const [, directory = ''] = /^(\/\d+)\/load\//.exec(path) ?? [];
    const seen = loads.get(directory);
    if (seen !== undefined) {
      seen.push({ path, at: Date.now(), cameAfter: cameAfter.get(request.socket) ?? 0 });
      response.end('hello');
      return;
    }
    const page = pages.get(path);
    response.statusCode = page === undefined ? 404 : 200;
    response.end(page ?? 'not found');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.on('connection', (socket) => {
    turn.connections++;
    cameAfter.set(socket, nobodyWaited);
  });
  // In a turn, new connections come before what is looked at here; timers may come more than once between two of them.
  let looks = false;
  const watch = setInterval(() => {
    if (looks) return;
    looks = true;
    setImmediate(() => {
      looks = false;
      if (turn.connections === 0) nobodyWaited = turn.began;
      turn = { began: Date.now(), connections: 0 };
    });
  }, 5);
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const host = `127.0.0.1:${port}`;
  return {
    ...{ host, url: `http://${host}`, pages },
    newLoad: () => {
      const directory = `/${loads.size + 1}`;
      const seen: TimedRequest[] = [];
      loads.set(directory, seen);
      return { directory, seen };
    },
    close: () => {
      clearInterval(watch);
      server.closeAllConnections();
      server.close();
    },
  };
}

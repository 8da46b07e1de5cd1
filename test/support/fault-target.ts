/** A target that records the arrival of each request, with bounds for the delays of a busy machine. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface TimedRequest {
  readonly path: string;
  /**
   * Time at which the target read the request, in ms since the epoch, like the time of Redis on the same
   * machine.
   */
  readonly at: number;
  /** Time at which its connection had not arrived yet. A target on a busy machine accepts and reads late. */
  readonly arrivedAfter: number;
}

export interface FaultTarget {
  readonly host: string;
  readonly url: string;
  /** Additional pages by path. */
  readonly pages: Map<string, string>;
  /** Creates a directory such as `/1`, which accepts requests below `/1/load/` and records them. */
  newLoad(): { readonly directory: string; readonly requests: readonly TimedRequest[] };
  close(): void;
}

/** Interval of the checks that no connection is waiting, which cost CPU time in each scene. */
const IDLE_CHECK_MS = 25;

export async function startFaultTarget(): Promise<FaultTarget> {
  const pages = new Map<string, string>();
  const loads = new Map<string, TimedRequest[]>();
  // The system delivers one waiting connection per turn of the event loop, so on a busy machine the last one
  // is delivered late. A turn without connections proves that none was waiting at its start; later
  // connections had not been requested before.
  let turn = { startedAt: 0, connections: 0 };
  let idleAt = 0;
  const arrivedAfter = new WeakMap<Socket, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const [, directory = ''] = /^(\/\d+)\/load\//.exec(path) ?? [];
    const requests = loads.get(directory);
    if (requests !== undefined) {
      requests.push({ path, at: Date.now(), arrivedAfter: arrivedAfter.get(request.socket) ?? 0 });
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
    arrivedAfter.set(socket, idleAt);
  });
  // New connections precede this check within a turn; timers may fire several times between two checks.
  let isCheckPending = false;
  const timer = setInterval(() => {
    if (isCheckPending) return;
    isCheckPending = true;
    setImmediate(() => {
      isCheckPending = false;
      if (turn.connections === 0) idleAt = turn.startedAt;
      turn = { startedAt: Date.now(), connections: 0 };
    });
  }, IDLE_CHECK_MS);
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  const host = `127.0.0.1:${port}`;
  return {
    host,
    url: `http://${host}`,
    pages,
    newLoad: () => {
      const directory = `/${loads.size + 1}`;
      const requests: TimedRequest[] = [];
      loads.set(directory, requests);
      return { directory, requests };
    },
    close: () => {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
    },
  };
}

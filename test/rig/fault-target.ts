/** A target that notes when each request of each load came, as surely as a busy machine lets it know. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly path: string;
  /** When the target read it, in ms since 1970, as Redis' time on the same machine is. */
  readonly at: number;
  /** It had not come by then: a target on a busy machine reads late. */
  readonly cameAfter: number;
}

export interface FaultTarget {
  readonly host: string;
  readonly url: string;
  /** What else it shows, by path. */
  readonly pages: Map<string, string>;
  /** A folder of its own, `/1`, below which `/1/load/` takes requests, and what came there. */
  newLoad(): { readonly folder: string; readonly seen: readonly SeenRequest[] };
  close(): void;
}

export async function startFaultTarget(): Promise<FaultTarget> {
  const pages = new Map<string, string>();
  const loads = new Map<string, SeenRequest[]>();
  // Timers come between two looks at sockets, of which one takes a connection and the next reads its request.
  let looks: readonly [number, number, number] = [0, 0, 0];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const [, folder = ''] = /^(\/\d+)\/load\//.exec(path) ?? [];
    const seen = loads.get(folder);
    if (seen !== undefined) {
      seen.push({ path, at: Date.now(), cameAfter: looks[0] });
      response.end('hello');
      return;
    }
    const page = pages.get(path);
    response.statusCode = page === undefined ? 404 : 200;
    response.end(page ?? 'not found');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const watch = setInterval(() => {
    looks = [looks[1], looks[2], Date.now()];
  }, 20);
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const host = `127.0.0.1:${port}`;
  return {
    ...{ host, url: `http://${host}`, pages },
    newLoad: () => {
      const folder = `/${loads.size + 1}`;
      const seen: SeenRequest[] = [];
      loads.set(folder, seen);
      return { folder, seen };
    },
    close: () => {
      clearInterval(watch);
      server.closeAllConnections();
      server.close();
    },
  };
}

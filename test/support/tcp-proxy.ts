/**
 * A proxy between a client and a server on 127.0.0.1 that can delay, hold or cut connections, in either
 * direction.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** `up`: to the server. */
export type Direction = 'up' | 'down';

export interface TcpProxy {
  readonly port: number;
  /** Delays new data in a direction by this number of ms. */
  delay(direction: Direction, ms: number): void;
  /** Holds all data in a direction until `reconnect`. */
  hold(direction: Direction): void;
  /** Closes all connections; new ones are accepted. */
  disconnect(): void;
  /** Delivers held data, and removes all delays. */
  reconnect(): void;
  close(): Promise<void>;
}

interface ProxyDirection {
  delayMs: number;
  held: boolean;
  /** Writes that wait for `reconnect`. */
  readonly waiting: (() => void)[];
}

export async function startTcpProxy(serverPort: number): Promise<TcpProxy> {
  const lanes: Record<Direction, ProxyDirection> = {
    up: { delayMs: 0, held: false, waiting: [] },
    down: { delayMs: 0, held: false, waiting: [] },
  };
  const sockets = new Set<Socket>();
  const carry = (from: Socket, to: Socket, lane: ProxyDirection): void => {
    // Sequential, so that the order of bytes does not change.
    let before = Promise.resolve();
    from.on('data', (bytes: Buffer) => {
      const due = performance.now() + lane.delayMs;
      before = before.then(async () => {
        const rest = due - performance.now();
        if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
        if (lane.held) await new Promise<void>((resolve) => lane.waiting.push(resolve));
        if (!to.destroyed) to.write(bytes);
      });
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: serverPort });
    for (const socket of [client, upstream]) sockets.add(socket.setNoDelay(true));
    carry(client, upstream, lanes.up);
    carry(upstream, client, lanes.down);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const disconnect = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const reconnect = (): void => {
    for (const lane of Object.values(lanes)) {
      lane.delayMs = 0;
      lane.held = false;
      for (const go of lane.waiting.splice(0)) go();
    }
  };
  return {
    // The server listens on TCP.
    port: (server.address() as AddressInfo).port,
    delay: (direction, ms) => {
      lanes[direction].delayMs = ms;
    },
    hold: (direction) => {
      lanes[direction].held = true;
    },
    disconnect,
    reconnect,
    close: async () => {
      reconnect();
      const closed = once(server, 'close');
      server.close();
      disconnect();
      await closed;
    },
  };
}

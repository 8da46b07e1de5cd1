/** A wire between a client and a server on 127.0.0.1 that can be slow, silent or cut, in either direction. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** `up`: towards the server. */
export type Direction = 'up' | 'down';

export interface TcpProxy {
  readonly port: number;
  /** What is sent that way from now on arrives so many ms later. */
  delay(direction: Direction, ms: number): void;
  /** Nothing more arrives that way, until `heal`. */
  hold(direction: Direction): void;
  /** Ends all connections at once; new ones are made. */
  disconnect(): void;
  /** What was held is let go; nothing is delayed. */
  reconnect(): void;
  close(): Promise<void>;
}

interface ProxyDirection {
  delayMs: number;
  held: boolean;
  /** Writes that wait for `heal`. */
  readonly waiting: (() => void)[];
}

export async function startTcpProxy(serverPort: number): Promise<TcpProxy> {
  const lanes: Record<Direction, ProxyDirection> = {
    up: { delayMs: 0, held: false, waiting: [] },
    down: { delayMs: 0, held: false, waiting: [] },
  };
  const sockets = new Set<Socket>();
  const carry = (from: Socket, to: Socket, lane: ProxyDirection): void => {
    // One after another, so that bytes never overtake each other.
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
    // It listens on TCP.
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

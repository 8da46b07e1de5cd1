import type { IncomingMessage, Server } from 'node:http';

type Socket = IncomingMessage['socket'];

export interface ConnectionLimiter {
  readonly exempt: (socket: Socket) => void;
}

/**
 * Creates a limiter that closes the oldest unauthenticated connection if a new connection exceeds the limit. Clients
 * with a key authenticate with their first request, so the limit usually affects other clients.
 */
export function createConnectionLimiter(server: Server, max: number): ConnectionLimiter {
  const unauthenticated = new Set<Socket>();
  server.on('connection', (socket) => {
    unauthenticated.add(socket);
    socket.once('close', () => unauthenticated.delete(socket));
    const [oldest] = unauthenticated;
    if (unauthenticated.size <= max || oldest === undefined) return;
    // The `close` event of this socket might not fire before the next connection is opened.
    unauthenticated.delete(oldest);
    oldest.destroy();
  });
  return { exempt: (socket) => void unauthenticated.delete(socket) };
}

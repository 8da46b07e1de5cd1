/** Limits connections that have not sent an authenticated request yet. */
import type { IncomingMessage, Server } from 'node:http';

type Socket = IncomingMessage['socket'];

export interface ConnectionLimiter {
  /** Exempts a connection from the limit after an authenticated request. */
  readonly exempt: (socket: Socket) => void;
}

/**
 * Limits unauthenticated connections. If a new connection exceeds the limit, the oldest one is closed.
 *
 * @remarks An authenticated client sends its key with the first request, so its connection counts as
 * unauthenticated only briefly. If a client without a key opens many connections, mainly the connections of
 * this client are closed.
 */
export function createConnectionLimiter(server: Server, max: number): ConnectionLimiter {
  /** Unauthenticated connections in order of arrival. */
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

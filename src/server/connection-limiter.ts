/** Limit on connections without an authenticated request. */
import type { IncomingMessage, Server } from 'node:http';

type Socket = IncomingMessage['socket'];

export interface ConnectionLimiter {
  /** Exempts a connection from the limit after an authenticated request. */
  readonly exempt: (socket: Socket) => void;
}

/**
 * Limits unauthenticated connections: a connection over the limit closes the oldest one.
 *
 * @remarks An authenticated client sends its key with the first request, so its connection counts
 * as unauthenticated only briefly. A client without a key that opens many connections closes mainly its own.
 */
export function createConnectionLimiter(server: Server, max: number): ConnectionLimiter {
  /** In order of arrival. */
  const unauthenticated = new Set<Socket>();
  server.on('connection', (socket) => {
    unauthenticated.add(socket);
    socket.once('close', () => unauthenticated.delete(socket));
    const [oldest] = unauthenticated;
    if (unauthenticated.size <= max || oldest === undefined) return;
    // Its `close` event may fire after the next connection.
    unauthenticated.delete(oldest);
    oldest.destroy();
  });
  return { exempt: (socket) => void unauthenticated.delete(socket) };
}

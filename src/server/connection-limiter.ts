/** Which connections are kept when many come: those that have brought the key before all others. */
import type { IncomingMessage, Server } from 'node:http';

type Socket = IncomingMessage['socket'];

export interface ConnectionLimiter {
  /** A request on this connection brought the key: it is kept, however many others come. */
  readonly exempt: (socket: Socket) => void;
}

/**
 * Bounds the connections on which nobody has brought the key yet: the newest is taken, and the oldest goes.
 *
 * Shape: whoever has the key brings it with the first request, and so is the oldest for no longer than it takes to
 *        send that. Whoever has none may open as many as he likes, and only pushes out his own.
 */
export function createConnectionLimiter(server: Server, most: number): ConnectionLimiter {
  /** In the order in which they came. */
  const strangers = new Set<Socket>();
  server.on('connection', (socket) => {
    strangers.add(socket);
    socket.once('close', () => strangers.delete(socket));
    const [oldest] = strangers;
    if (strangers.size <= most || oldest === undefined) return;
    // Its `close` is told later than the next connection may come.
    strangers.delete(oldest);
    oldest.destroy();
  });
  return { exempt: (socket) => void strangers.delete(socket) };
}

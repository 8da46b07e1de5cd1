import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer } from 'node:tls';
import type { Destination } from './dial.ts';

export interface LoopbackListener {
  readonly destination: Destination;
  close(): void;
}

const ANONYMOUS_TLS = { ciphers: 'aNULL:@SECLEVEL=0', maxVersion: 'TLSv1.2' } as const;

/**
 * Opens a listener that responds once on each connection and then closes the connection.
 * @param respond - Bytes to send when the first data of a connection arrives.
 */
export async function openLoopbackListener(secure: boolean, respond: Buffer): Promise<LoopbackListener> {
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.once('data', () => socket.end(respond));
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server: Server = secure ? createTlsServer(ANONYMOUS_TLS, accept) : createTcpServer(accept);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // The server listens on TCP.
  const tls = secure ? { context: createSecureContext(ANONYMOUS_TLS), serverName: '', verify: false } : null;
  return {
    destination: { addresses: ['127.0.0.1'], port, tls },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** An HTTP proxy that tunnels connections (CONNECT) and forwards requests, on a free port of this computer. */
import { createServer, request as sendRequest } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ForwardProxy {
  readonly url: string;
  /** Host and port of each connection or request, in order. */
  readonly hosts: string[];
}

export async function openForwardProxy(): Promise<ForwardProxy> {
  const hosts: string[] = [];
  const server = createServer((request, response) => {
    const target = new URL(request.url ?? '');
    hosts.push(target.host);
    const forwarded = sendRequest(target, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  server.on('connect', (request, socket, head) => {
    hosts.push(request.url ?? '');
    const { hostname, port } = new URL(`http://${request.url ?? ''}`);
    const upstream = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket);
      socket.pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // the server listens on a port
  return { url: `http://127.0.0.1:${port}`, hosts };
}

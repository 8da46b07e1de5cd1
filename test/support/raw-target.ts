/** Servers on raw TCP without an HTTP library, so that client and server cannot share a bug. */
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTls, type TlsOptions } from 'node:tls';
import { once } from 'node:events';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** One request, byte for byte. */
export interface RawRequest {
  readonly connection: number;
  readonly method: string;
  readonly path: string;
  /** In order, with names as written. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Bytes as latin1 characters. */
  readonly body: string;
  /** Monotonic time in ms. */
  readonly at: number;
}

export interface RawTarget {
  readonly port: number;
  readonly isTls: boolean;
  readonly requests: readonly RawRequest[];
  readonly connections: () => number;
  readonly open: () => number;
  readonly bytesIn: () => number;
  readonly bytesOut: () => number;
  close(): Promise<void>;
}

/**
 * Handles a request; it may respond now, later, in parts, or never. For HEAD, only the header section is
 * sent.
 */
export type RawReply = (request: RawRequest, write: (text: string) => void, socket: Socket) => void;

/** Returns a response with its length; each latin1 character represents a byte. */
export function responseText(status: number, body: string, headers: readonly string[] = []): string {
  const bytes = Buffer.from(body).toString('latin1');
  const lines = [`HTTP/1.1 ${status} X`, `Content-Length: ${bytes.length}`, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${bytes}`;
}

export const replyOk: RawReply = (_request, write) => write(responseText(200, 'ok'));

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Creates a self-signed certificate for `localhost`. */
export function createSelfSigned(): Certificate {
  const directory = mkdtempSync(join(tmpdir(), 'certificate-'));
  try {
    const key = join(directory, 'key.pem');
    const cert = join(directory, 'cert.pem');
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Like `startRawTarget`, but closed after the test. */
export async function openRawTarget(...options: Parameters<typeof startRawTarget>): Promise<RawTarget> {
  const target = await startRawTarget(...options);
  onTestFinished(() => target.close());
  return target;
}

export async function startRawTarget(
  reply: RawReply = replyOk,
  options: { readonly host?: string; readonly tls?: Certificate & TlsOptions; readonly port?: number } = {},
): Promise<RawTarget> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  let bytesIn = 0;
  let bytesOut = 0;

  const accept = (socket: Socket): void => {
    const connection = accepted++;
    sockets.add(socket);
    let text = '';
    const write = (bytes: string): void => {
      if (socket.destroyed) return;
      bytesOut += Buffer.byteLength(bytes, 'latin1');
      socket.write(bytes, 'latin1');
    };
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      bytesIn += chunk.length;
      text += chunk.toString('latin1');
      for (;;) {
        const head = text.indexOf('\r\n\r\n');
        if (head < 0) return;
        const [first = '', ...lines] = text.slice(0, head).split('\r\n');
        const headers = lines.map((line) => {
          const colon = line.indexOf(': ');
          return [line.slice(0, colon), line.slice(colon + 2)] as const;
        });
        const length = Number(headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1] ?? 0);
        if (text.length < head + 4 + length) return;
        const [method = '', path = '', version] = first.split(' ');
        if (version !== 'HTTP/1.1') throw new Error(`not a request line: ${first}`);
        const request = {
          connection,
          method,
          path,
          headers,
          body: text.slice(head + 4, head + 4 + length),
          at: performance.now(),
        };
        text = text.slice(head + 4 + length);
        requests.push(request);
        const writeHead = (answered: string): void => {
          write(answered.slice(0, answered.indexOf('\r\n\r\n') + 4));
        };
        reply(request, method === 'HEAD' ? writeHead : write, socket);
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };

  const { tls } = options;
  const server: Server = tls === undefined ? createTcp(accept) : createTls({ ...tls }, accept);
  server.on('tlsClientError', () => undefined);
  server.listen({ port: options.port ?? 0, host: options.host ?? '127.0.0.1', backlog: 4096 });
  await once(server, 'listening');
  return {
    // The address of a listening TCP server is never a path.
    port: (server.address() as AddressInfo).port,
    isTls: tls !== undefined,
    requests,
    connections: () => accepted,
    open: () => sockets.size,
    bytesIn: () => bytesIn,
    bytesOut: () => bytesOut,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns a reply that writes the start of a response, and then a chunk after each interval in ms. */
export function writeSlowly(start: string, chunk: string, interval: number): RawReply {
  return (_request, write, socket) => {
    write(start);
    const continueWriting = (): void => {
      if (socket.destroyed) return;
      write(chunk);
      setTimeout(continueWriting, interval);
    };
    setTimeout(continueWriting, interval);
  };
}

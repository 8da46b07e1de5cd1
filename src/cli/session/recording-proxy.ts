/** A reverse proxy on 127.0.0.1 that forwards requests to targets and records them with their responses. */
import { createHash } from 'node:crypto';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';

/** A request that was forwarded, and its response. */
export interface RecordedExchange {
  /** Times in ms since 1970. */
  readonly started: number;
  readonly ended: number;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: readonly RecordedHeader[];
  /** Null if the body is not kept. */
  readonly requestBody: Uint8Array | null;
  readonly status: number;
  readonly responseHeaders: readonly RecordedHeader[];
  readonly responseBody: Uint8Array | null;
}

export interface RecordedHeader {
  readonly name: string;
  readonly value: string;
}

/** A target, and the port on which the proxy listens for its requests. */
export interface RecordedTarget {
  readonly target: URL;
  /** 0 for a free port. */
  readonly port: number;
}

export interface Recording {
  /** Exchanges in the order of their requests. */
  readonly exchanges: readonly RecordedExchange[];
  /** Parts of the traffic that are not in the exchanges. */
  readonly omitted: readonly string[];
}

export interface RecordingProxy {
  /** Address of the proxy of the first target. */
  readonly origin: string;
  /** Returns what was recorded since the last call, and forgets it. */
  readonly take: () => Recording;
  readonly close: () => void;
}

/** Maximum number of recorded requests. Further requests are forwarded only. */
export const MAX_RECORDED = 10_000;

/** Maximum size of all bodies that are kept, in bytes. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Headers that apply to one connection only. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Starts a proxy for each target. */
export async function startRecordingProxy(targets: readonly RecordedTarget[]): Promise<RecordingProxy> {
  const recorder = new Recorder();
  const servers: Server[] = [];
  const close = () => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  };
  try {
    for (const { target, port } of targets) {
      const server = createServer((request, response) => {
        recorder.forward(target, request, response);
      });
      servers.push(server);
      recorder.addRoute(target, await listen(server, port));
    }
  } catch (error) {
    close();
    throw error;
  }
  return { origin: recorder.origin, take: () => recorder.take(), close };
}

/** Returns the address at which the server listens. */
async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Bug: the proxy has no port');
  return `http://127.0.0.1:${address.port}`;
}

class Recorder {
  /** Addresses of the proxy, by the origins of their targets. */
  readonly #origins = new Map<string, string>();
  #exchanges: RecordedExchange[] = [];
  #omitted: string[] = [];
  #extra = 0;
  #kept = 0;

  get origin(): string {
    return this.#origins.values().next().value ?? '';
  }

  addRoute(target: URL, origin: string): void {
    this.#origins.set(target.origin, origin);
  }

  take(): Recording {
    const exchanges = this.#exchanges.sort((a, b) => a.started - b.started);
    const omitted = [
      ...this.#omitted,
      ...(this.#extra === 0
        ? []
        : [`${this.#extra} requests after the first ${MAX_RECORDED} were forwarded, but are not recorded`]),
    ];
    [this.#exchanges, this.#omitted, this.#extra] = [[], [], 0];
    return { exchanges, omitted };
  }

  forward(target: URL, request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(target, request.url ?? '/');
    if (path === null) {
      response.writeHead(502, { 'content-type': 'text/plain' });
      response.end(`This proxy forwards requests only to ${target.origin}.\n`);
      return;
    }
    const started = Date.now();
    const name = `${request.method ?? 'GET'} ${path}`;
    const requestBody = this.#captured(request, `the body of ${name}`);
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const forwarded = send(
      new URL(path, target.origin),
      { method: request.method ?? 'GET', headers: forwardedHeaders(target, request.headers) },
      (received) => {
        const responseBody = this.#captured(received, `the body of the response to ${name}`);
        response.writeHead(received.statusCode ?? 502, this.#returnedHeaders(received.headers));
        received.pipe(response);
        received.once('close', () => {
          if (!received.complete) response.destroy();
        });
        received.once('end', () => {
          if (this.#exchanges.length >= MAX_RECORDED) {
            this.#extra += 1;
            return;
          }
          this.#exchanges.push({
            started,
            ended: Date.now(),
            method: request.method ?? 'GET',
            url: `${target.origin}${path}`,
            requestHeaders: headersOf(request.rawHeaders),
            requestBody: requestBody(),
            status: received.statusCode ?? 0,
            responseHeaders: headersOf(received.rawHeaders),
            responseBody: responseBody(),
          });
        });
      },
    );
    forwarded.once('error', (error) => {
      if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain' });
      response.end(`The target does not respond: ${error.message}\n`);
    });
    response.once('close', () => {
      if (!response.writableEnded) forwarded.destroy();
    });
    request.pipe(forwarded);
  }

  /** Keeps a body while it is forwarded. Returns a function that returns it; null if it exceeds the limit. */
  #captured(body: Readable, what: string): () => Uint8Array | null {
    let chunks: Buffer[] | null = [];
    let bytes = 0;
    const hash = createHash('sha256');
    body.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      bytes += chunk.length;
      this.#kept += chunk.length;
      if (this.#kept > MAX_KEPT_BYTES) chunks = null;
      chunks?.push(chunk);
    });
    return () => {
      if (chunks !== null) return Buffer.concat(chunks);
      this.#omitted.push(`${what} is not kept (${bytes} bytes, SHA-256 ${hash.digest('hex')})`);
      return null;
    };
  }

  /** Makes redirects and cookies of the target valid for the address of the proxy. */
  #returnedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
    const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
    const { location, 'set-cookie': cookies } = headers;
    const returned: IncomingHttpHeaders = { ...kept };
    for (const [target, origin] of this.#origins) {
      if (location === target || location?.startsWith(`${target}/`) === true)
        returned.location = origin + location.slice(target.length);
    }
    if (cookies !== undefined)
      returned['set-cookie'] = cookies.map((cookie) =>
        cookie.replaceAll(/;\s*(?:domain=[^;]*|secure)(?=;|$)/gi, ''),
      );
    return returned;
  }
}

/** Returns the path of a request target, which a client of a forward proxy sends as a URL; null for another host. */
function pathOf(target: URL, requestTarget: string): string | null {
  if (requestTarget.startsWith('/')) return requestTarget;
  if (!URL.canParse(requestTarget)) return null;
  const { origin, pathname, search } = new URL(requestTarget);
  return origin === target.origin ? pathname + search : null;
}

/** Replaces the host, and requests a body without a content coding, which can be read. */
function forwardedHeaders(target: URL, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(
    ([name]) => ![...HOP_BY_HOP, 'host', 'accept-encoding'].includes(name),
  );
  return { ...Object.fromEntries(kept), host: target.host };
}

function headersOf(raw: readonly string[]): readonly RecordedHeader[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [{ name, value: raw[index + 1] ?? '' }] : []));
}

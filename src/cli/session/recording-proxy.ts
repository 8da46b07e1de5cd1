/** A reverse proxy on 127.0.0.1 that forwards requests to one target and records them with their responses. */
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
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

export interface RecordingProxy {
  /** Address of the proxy. */
  readonly origin: string;
  /** Returns the exchanges since the last call, in the order of their requests, and forgets them. */
  readonly take: () => readonly RecordedExchange[];
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

/** Starts a proxy for a target. */
export async function startRecordingProxy(target: URL, port: number): Promise<RecordingProxy> {
  const recorder = new Recorder(target);
  const server = createServer((request, response) => {
    recorder.forward(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Bug: the proxy has no port');
  recorder.origin = `http://127.0.0.1:${address.port}`;
  return {
    origin: recorder.origin,
    take: () => recorder.take(),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

class Recorder {
  origin = '';
  readonly #target: URL;
  #exchanges: RecordedExchange[] = [];
  #kept = 0;

  constructor(target: URL) {
    this.#target = target;
  }

  take(): readonly RecordedExchange[] {
    const taken = this.#exchanges.sort((a, b) => a.started - b.started);
    this.#exchanges = [];
    return taken;
  }

  forward(request: IncomingMessage, response: ServerResponse): void {
    const path = this.#pathOf(request.url ?? '/');
    if (path === null) {
      response.writeHead(502, { 'content-type': 'text/plain' });
      response.end(`This proxy forwards requests only to ${this.#target.origin}.\n`);
      return;
    }
    const started = Date.now();
    const requestBody = this.#captured(request);
    const send = this.#target.protocol === 'https:' ? httpsRequest : httpRequest;
    const forwarded = send(
      new URL(path, this.#target.origin),
      { method: request.method ?? 'GET', headers: this.#forwardedHeaders(request.headers) },
      (received) => {
        const responseBody = this.#captured(received);
        response.writeHead(received.statusCode ?? 502, this.#returnedHeaders(received.headers));
        received.pipe(response);
        received.once('close', () => {
          if (!received.complete) response.destroy();
        });
        received.once('end', () => {
          if (this.#exchanges.length >= MAX_RECORDED) return;
          this.#exchanges.push({
            started,
            ended: Date.now(),
            method: request.method ?? 'GET',
            url: `${this.#target.origin}${path}`,
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

  /** Returns the path of a request target, which a client of a forward proxy sends as a URL; null for another host. */
  #pathOf(requestTarget: string): string | null {
    if (requestTarget.startsWith('/')) return requestTarget;
    if (!URL.canParse(requestTarget)) return null;
    const { origin, pathname, search } = new URL(requestTarget);
    return origin === this.#target.origin ? pathname + search : null;
  }

  /** Keeps a body while it is forwarded. Returns a function that returns it; null if it exceeds the limit. */
  #captured(body: Readable): () => Uint8Array | null {
    let chunks: Buffer[] | null = [];
    body.on('data', (chunk: Buffer) => {
      this.#kept += chunk.length;
      if (this.#kept > MAX_KEPT_BYTES) chunks = null;
      chunks?.push(chunk);
    });
    return () => (chunks === null ? null : Buffer.concat(chunks));
  }

  /** Replaces the host, and requests a body without a content coding, which can be read. */
  #forwardedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
    const kept = Object.entries(headers).filter(
      ([name]) => ![...HOP_BY_HOP, 'host', 'accept-encoding'].includes(name),
    );
    return { ...Object.fromEntries(kept), host: this.#target.host };
  }

  /** Makes redirects and cookies of the target valid for the address of the proxy. */
  #returnedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
    const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
    const { location, 'set-cookie': cookies } = headers;
    const returned: IncomingHttpHeaders = { ...kept };
    if (location?.startsWith(this.#target.origin) === true)
      returned.location = this.origin + location.slice(this.#target.origin.length);
    if (cookies !== undefined)
      returned['set-cookie'] = cookies.map((cookie) =>
        cookie.replaceAll(/;\s*(?:domain=[^;]*|secure)(?=;|$)/gi, ''),
      );
    return returned;
  }
}

function headersOf(raw: readonly string[]): readonly RecordedHeader[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [{ name, value: raw[index + 1] ?? '' }] : []));
}

/**
 * A reverse and forward proxy on 127.0.0.1 that records requests to targets, and their responses. Requests to other
 * hosts are refused.
 */
import { createHash } from 'node:crypto';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, request as httpsRequest } from 'node:https';
import type { Duplex, Readable } from 'node:stream';
import {
  createRecordingCertificate,
  type RecordingCertificate,
} from '../../certificate/recording-certificate.ts';
import { counted, withCommas } from '../../core/counted.ts';
import { redactTexts } from '../../core/intake/intake-secrets.ts';
import { portOf } from '../../core/model/url.ts';
import { createInProcessPolicy, excludeOwnEndpoints } from '../../egress/address-policies.ts';
import { resolveAllowed } from '../../egress/allowed-addresses.ts';

export interface RecordedExchange {
  /** In ms since the epoch. */
  readonly started: number;
  readonly ended: number;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: readonly RecordedHeader[];
  /** Null if the body exceeded the size limit. */
  readonly requestBody: Uint8Array | null;
  readonly status: number;
  readonly responseHeaders: readonly RecordedHeader[];
  readonly responseBody: Uint8Array | null;
  /** Number of the client's connection, starting at 1. */
  readonly connection: number;
}

export interface RecordedHeader {
  readonly name: string;
  readonly value: string;
}

export interface RecordedTarget {
  readonly target: URL;
  /** Port of the reverse proxy; 0 for any free port; null for no reverse proxy. */
  readonly port: number | null;
}

export interface Recording {
  /** Exchanges, in the order in which their requests arrived. */
  readonly exchanges: readonly RecordedExchange[];
  /** Descriptions of traffic that was not recorded. */
  readonly omitted: readonly string[];
}

export interface RecordingProxy {
  /** Address of the first reverse proxy, which is also the address of the forward proxy. */
  readonly origin: string;
  /** Certificate for the targets with TLS; null if no target uses TLS. */
  readonly certificate: RecordingCertificate | null;
  /** Ends the current recording, returns it and starts a new one. */
  readonly take: () => Recording;
  readonly close: () => void;
}

/** Maximum number of recorded requests. Additional requests are forwarded but not recorded. */
export const MAX_RECORDED = 10_000;

/** Maximum total size of the bodies of a recording, in bytes. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Headers that apply to a single connection and are not forwarded. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * @throws EgressError if a target cannot be resolved or must not receive load; or a network error if a port cannot be
 * used.
 */
export async function startRecordingProxy(targets: readonly RecordedTarget[]): Promise<RecordingProxy> {
  const secure = targets.filter(({ target }) => target.protocol === 'https:');
  const certificate =
    secure.length === 0
      ? null
      : createRecordingCertificate([...new Set(secure.map(({ target }) => target.hostname))], new Date());
  const recorder = new Recorder(certificate);
  const ports: number[] = [];
  const policy = excludeOwnEndpoints(createInProcessPolicy(), { ports: () => ports, endpoints: () => [] });
  try {
    for (const { target, port } of targets) {
      const served = port === null ? null : await recorder.listen(target, port);
      if (served !== null) ports.push(served);
    }
    for (const { target } of targets)
      recorder.addTarget(target, await resolveAllowed(target.hostname, portOf(target), policy));
  } catch (error) {
    recorder.close();
    throw error;
  }
  return {
    origin: recorder.origin,
    certificate,
    take: () => recorder.take(),
    close: () => recorder.close(),
  };
}

type LookupFunction = NonNullable<RequestOptions['lookup']>;
type Socket = IncomingMessage['socket'];

interface Route {
  readonly target: URL;
  /** Returns the addresses that were checked before the recording. */
  readonly lookup: LookupFunction;
  /** Server for connections that clients tunnel to the target. This server listens on no port. */
  readonly tunnel: Server;
}

interface Destination {
  readonly target: URL;
  readonly path: string;
  /** True if the client uses the URL of the target; false if it uses the URL of the reverse proxy. */
  readonly isDirect: boolean;
}

const MAX_REFUSED = 20;

interface RecordedTraffic {
  readonly exchanges: RecordedExchange[];
  readonly omitted: string[];
  readonly refused: Set<string>;
  /**
   * Client ports of the tunnels to targets with TLS in which no request arrived. Clients that do not trust the
   * certificate send no request.
   */
  readonly unused: Set<number | undefined>;
  /** Number of requests that exceed the maximum. */
  extra: number;
  bodyBytes: number;
}

function createRecordedTraffic(): RecordedTraffic {
  return { exchanges: [], omitted: [], refused: new Set(), unused: new Set(), extra: 0, bodyBytes: 0 };
}

class Recorder {
  /** Origins of the reverse proxies, by the origins of their targets. */
  readonly #origins = new Map<string, string>();
  readonly #routes = new Map<string, Route>();
  /** Reverse proxies by host and port. Some clients also use a tunnel for requests to a reverse proxy. */
  readonly #reverse = new Map<string, Server>();
  readonly #servers: Server[] = [];
  readonly #tunneled = new Set<Duplex>();
  readonly #connections = new WeakMap<Socket, number>();
  readonly #certificate: RecordingCertificate | null;
  #connectionCount = 0;
  #recorded = createRecordedTraffic();

  constructor(certificate: RecordingCertificate | null) {
    this.#certificate = certificate;
  }

  get origin(): string {
    return this.#origins.values().next().value ?? '';
  }

  /** Returns the port. */
  async listen(target: URL, port: number): Promise<number> {
    const server = createServer((request, response) =>
      this.#accept({ target, isDirect: false }, request, response),
    );
    server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#openTunnel(request, socket, head),
    );
    this.#servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('Bug: the proxy has no port');
    this.#origins.set(target.origin, `http://127.0.0.1:${address.port}`);
    for (const host of ['127.0.0.1', 'localhost']) this.#reverse.set(`${host}:${address.port}`, server);
    return address.port;
  }

  addTarget(target: URL, addresses: readonly string[]): void {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const lookup: LookupFunction = (_, { all }, callback) => {
      if (all === true) callback(null, found);
      else callback(null, found[0]?.address ?? '', found[0]?.family);
    };
    const accept = (request: IncomingMessage, response: ServerResponse) =>
      this.#accept({ target, isDirect: true }, request, response);
    const { key, chain: cert } = this.#certificate ?? { key: '', chain: '' };
    const tunnel =
      target.protocol === 'https:' ? createHttpsServer({ key, cert }, accept) : createServer(accept);
    this.#servers.push(tunnel);
    this.#routes.set(target.origin, { target, lookup, tunnel });
  }

  close(): void {
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
    for (const socket of this.#tunneled) socket.destroy();
  }

  take(): Recording {
    const { exchanges, omitted, refused, unused, extra } = this.#recorded;
    this.#recorded = createRecordedTraffic();
    const all = [
      ...omitted,
      ...(extra === 0
        ? []
        : [
            `only the first ${withCommas(MAX_RECORDED)} requests are recorded; not recorded: ${withCommas(extra)}`,
          ]),
      ...Array.from(
        refused,
        (origin) => `the proxy refused requests to ${origin}; to record them, add "--target ${origin}"`,
      ),
      ...(unused.size > 0
        ? [
            'a client opened a connection through the proxy, but sent no request; if HTTPS requests are missing, make the client trust the certificate file ({ca} in the command is its path)',
          ]
        : []),
    ];
    return { exchanges: exchanges.toSorted((a, b) => a.started - b.started), omitted: all };
  }

  /** Connects a client to the server for the authority in its request; refuses other authorities. */
  #openTunnel(
    { url: authority = '', socket: { remotePort } }: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): void {
    this.#tunneled.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#tunneled.delete(socket));
    const route = [...this.#routes.values()].find(
      ({ target }) => `${target.hostname}:${portOf(target)}` === authority.toLowerCase(),
    );
    const server = route?.tunnel ?? this.#reverse.get(authority.toLowerCase());
    if (server === undefined) {
      const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(authority) ?? [];
      this.#refuse(port === '80' ? `http://${host}` : `https://${port === '443' ? host : authority}`);
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      return;
    }
    if (route?.target.protocol === 'https:') this.#recorded.unused.add(remotePort);
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) socket.unshift(head);
    server.emit('connection', socket);
  }

  #refuse(origin: string): void {
    const { refused } = this.#recorded;
    if (refused.size < MAX_REFUSED) refused.add(origin);
  }

  /**
   * Returns the destination of a request; null for a host that is not a target.
   * @param own - Target of the server that received the request.
   */
  #destinationOf(own: Pick<Destination, 'target' | 'isDirect'>, requestTarget: string): Destination | null {
    if (requestTarget.startsWith('/')) return { ...own, path: requestTarget };
    const url = URL.canParse(requestTarget) ? new URL(requestTarget) : null;
    if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
    const path = url.pathname + url.search;
    const direct = this.#routes.get(url.origin);
    if (direct !== undefined) return { target: direct.target, path, isDirect: true };
    const address = url.origin.replace('//localhost', '//127.0.0.1');
    for (const [origin, reverse] of this.#origins)
      if (reverse === address) return { target: new URL(origin), path, isDirect: false };
    this.#refuse(url.origin);
    return null;
  }

  /**
   * Returns the number of a connection. Connections are numbered from 1, in the order of their first
   * requests.
   */
  #connectionOf(socket: Socket): number {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    this.#connectionCount += 1;
    this.#recorded.unused.delete(socket.remotePort);
    this.#connections.set(socket, this.#connectionCount);
    return this.#connectionCount;
  }

  #accept(
    own: Pick<Destination, 'target' | 'isDirect'>,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const connection = this.#connectionOf(request.socket);
    const destination = this.#destinationOf(own, request.url ?? '/');
    if (destination === null) {
      response.writeHead(403, { 'content-type': 'text/plain' });
      response.end(`This proxy forwards requests only to ${[...this.#routes.keys()].join(', ')}.\n`);
      return;
    }
    this.#forward({ ...destination, connection }, request, response);
  }

  #forward(
    { target, path, isDirect, connection }: Destination & { readonly connection: number },
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const started = Date.now();
    const recorded = this.#recorded;
    const [shown = ''] = redactTexts([{ kind: 'url', name: '', text: path }]);
    const name = `${request.method ?? 'GET'} ${shown}`;
    const requestBody = captureBody(recorded, request, `the body of ${name}`);
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const forwarded = send(
      new URL(path, target.origin),
      {
        method: request.method ?? 'GET',
        headers: forwardedHeaders(target, request.headers),
        lookup: this.#routes.get(target.origin)?.lookup,
      },
      (received) => {
        const responseBody = captureBody(recorded, received, `the body of the response to ${name}`);
        const headers = withoutHopByHop(received.headers);
        response.writeHead(received.statusCode ?? 502, isDirect ? headers : this.#returnedHeaders(headers));
        received.pipe(response);
        received.once('close', () => {
          if (!received.complete) response.destroy();
        });
        received.once('end', () => {
          if (recorded.exchanges.length >= MAX_RECORDED) {
            recorded.extra += 1;
            return;
          }
          recorded.exchanges.push({
            started,
            ended: Date.now(),
            method: request.method ?? 'GET',
            url: `${target.origin}${path}`,
            requestHeaders: headersOf(request.rawHeaders),
            requestBody: requestBody(),
            status: received.statusCode ?? 0,
            responseHeaders: headersOf(received.rawHeaders),
            responseBody: responseBody(),
            connection,
          });
        });
      },
    );
    forwarded.once('error', (error) => {
      if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain' });
      response.end(`The request to the target failed: ${error.message}\n`);
    });
    response.once('close', () => {
      if (!response.writableEnded) forwarded.destroy();
    });
    request.pipe(forwarded);
  }

  /** Rewrites redirects and cookies of the target, so that they apply to the address of the proxy. */
  #returnedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
    const { location, 'set-cookie': cookies } = headers;
    const returned: IncomingHttpHeaders = { ...headers };
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

/**
 * Stores a body as it arrives. The returned function returns the body, or null if all bodies together exceeded
 * their size limit.
 */
function captureBody(recorded: RecordedTraffic, body: Readable, what: string): () => Uint8Array | null {
  let chunks: Buffer[] | null = [];
  let bytes = 0;
  const hash = createHash('sha256');
  body.on('data', (chunk: Buffer) => {
    hash.update(chunk);
    bytes += chunk.length;
    recorded.bodyBytes += chunk.length;
    if (recorded.bodyBytes > MAX_KEPT_BYTES) chunks = null;
    chunks?.push(chunk);
  });
  return () => {
    if (chunks !== null) return Buffer.concat(chunks);
    recorded.omitted.push(
      `${what} is not stored, because all bodies together exceed ${MAX_KEPT_BYTES / 1024 ** 2} MiB (${counted(bytes, 'byte')}, SHA-256 ${hash.digest('hex')})`,
    );
    return null;
  };
}

function withoutHopByHop(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}

/** Omits `accept-encoding`, so that servers usually send uncompressed bodies. */
function forwardedHeaders(target: URL, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'accept-encoding': _, ...kept } = withoutHopByHop(headers);
  return { ...kept, host: target.host };
}

function headersOf(raw: readonly string[]): readonly RecordedHeader[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [{ name, value: raw[index + 1] ?? '' }] : []));
}

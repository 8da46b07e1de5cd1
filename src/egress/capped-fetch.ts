/** Single HTTP requests with a size limit and pinned addresses, for verification files, callbacks and payload files. */
import { isUtf8 } from 'node:buffer';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { JobConnection } from '../core/load/load-job.ts';
import { portOf } from '../core/model/url.ts';
import { codeOf } from '../core/unknown-value.ts';
import { resolveAllowed, type AddressPolicy } from './allowed-addresses.ts';
import { dial, prepareDestination, type Destination } from './dial.ts';
import { EgressError } from './egress-error.ts';
import type { NameResolver } from './name-resolver.ts';

export interface CappedRequest {
  /**
   * An http or https URL without user info. The host name is used for the Host header, SNI and the certificate check,
   * but is not resolved.
   */
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Addresses to dial in order until a connection is established. */
  readonly addresses: readonly string[];
  readonly maxBodyBytes: number;
  /** Time limit for the whole request in ms, including connecting. */
  readonly deadlineMs: number;
  readonly tlsVerify: boolean;
  /** Settings of the connection; null or absent for the defaults. */
  readonly connection?: JobConnection | null;
}

export interface CappedResponse {
  readonly status: number;
  /** Headers by name in lower case. The values of a repeated header are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most the first `maxBodyBytes` bytes of the body, decoded as UTF-8 but not decompressed. */
  readonly body: string;
  readonly isTruncated: boolean;
  /** True if the bytes that were read are valid UTF-8. */
  readonly isWellFormed: boolean;
}

const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Sends one request and reads the response up to a limit. Redirects are not followed.
 * @throws EgressError `refused`, `connect`, `tls`, `timeout` or `protocol`.
 */
export async function fetchCapped(request: CappedRequest): Promise<CappedResponse> {
  const url = URL.canParse(request.url) ? new URL(request.url) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new EgressError('refused', 'only http: and https: URLs are supported');
  }
  if (url.username !== '' || url.password !== '') {
    throw new EgressError(
      'refused',
      `the URL for ${url.host} contains a user name or password, which is not supported`,
    );
  }
  const secure = url.protocol === 'https:';
  const destination = prepareDestination({
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: portOf(url),
    secure,
    addresses: request.addresses,
    tlsVerify: request.tlsVerify,
    connection: request.connection ?? null,
  });
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), request.deadlineMs);
  try {
    let failure: EgressError | null = null;
    for (let addressIndex = 0; addressIndex < destination.addresses.length; addressIndex++) {
      try {
        return await exchangeCapped(request, url, destination, {
          addressIndex,
          signal: deadline.signal,
        });
      } catch (error) {
        if (!(error instanceof EgressError)) throw error;
        failure = error;
        // Once a connection was established, the target may have received the request.
        if (error.kind !== 'connect' || deadline.signal.aborted) break;
      }
    }
    throw failure ?? new Error('Bug: the destination has no addresses');
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Like `fetchCapped`, but resolves the host name of the URL, and verifies the certificate. `deadlineMs` includes the
 * name resolution. The policy must allow all addresses of the host.
 * @throws EgressError as `resolveAllowed` and `fetchCapped`.
 */
export async function fetchResolved(
  request: Omit<CappedRequest, 'addresses' | 'tlsVerify' | 'connection'>,
  { policy, names }: { readonly policy: AddressPolicy; readonly names: NameResolver },
): Promise<CappedResponse> {
  const started = performance.now();
  const url = new URL(request.url);
  const addresses = await resolveAllowed(url.hostname, portOf(url), policy, { names });
  const deadlineMs = Math.max(1, request.deadlineMs - (performance.now() - started));
  return await fetchCapped({ ...request, addresses, deadlineMs, tlsVerify: true });
}

async function exchangeCapped(
  request: CappedRequest,
  url: URL,
  destination: Destination,
  options: { readonly addressIndex: number; readonly signal: AbortSignal },
): Promise<CappedResponse> {
  const socket = await openConnection(url, destination, options);
  const stop = (): void => {
    socket.destroy(new EgressError('timeout', `${url.host} did not respond within ${request.deadlineMs} ms`));
  };
  options.signal.addEventListener('abort', stop);
  try {
    return await new Promise<CappedResponse>((resolve, reject) => {
      const outgoing = httpRequest({
        // The socket is already connected, and its peer address was checked. Without an agent, the socket is closed
        // after the response.
        createConnection: () => socket,
        method: request.method,
        path: url.pathname + url.search,
        headers: headersOf(request, url),
        setHost: false,
        maxHeaderSize: MAX_HEADER_BYTES,
      });
      outgoing.once('error', (error) => reject(toEgressError(error, 'protocol', url)));
      outgoing.once('upgrade', () => {
        reject(new EgressError('protocol', `${url.host} responded with a protocol upgrade`));
      });
      outgoing.once('response', (incoming) => {
        readCapped(incoming, request.maxBodyBytes).then(resolve, (error: unknown) => {
          reject(toEgressError(error, 'protocol', url));
        });
      });
      outgoing.end(request.body ?? undefined);
    });
  } finally {
    options.signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}

/** Opens a connection and waits until it is established, including any TLS handshake. */
function openConnection(
  url: URL,
  destination: Destination,
  options: { readonly addressIndex: number; readonly signal: AbortSignal },
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (options.signal.aborted) {
      reject(new EgressError('timeout', `${url.host} did not accept a connection in time`));
      return;
    }
    let stage: 'connect' | 'tls' = 'connect';
    const socket = dial(destination, options.addressIndex, { onread: null, session: null });
    const succeed = (): void => {
      options.signal.removeEventListener('abort', stop);
      socket.off('error', fail);
      socket.off('close', onClose);
      resolve(socket);
    };
    const fail = (error: Error): void => {
      options.signal.removeEventListener('abort', stop);
      reject(toEgressError(error, stage, url));
    };
    const onClose = (): void => fail(new Error('closed'));
    const stop = (): void => {
      socket.destroy(new EgressError('timeout', `${url.host} did not accept a connection in time`));
    };
    options.signal.addEventListener('abort', stop);
    socket.on('error', fail);
    socket.on('close', onClose);
    socket.once('connect', () => {
      stage = 'tls';
      if (destination.tls === null && !socket.destroyed) succeed();
    });
    socket.once('secureConnect', succeed);
  });
}

function headersOf(request: CappedRequest, url: URL): Record<string, string> {
  const headers: Record<string, string> = { Host: url.host, 'Accept-Encoding': 'identity' };
  if (request.body !== null) headers['Content-Length'] = String(Buffer.byteLength(request.body));
  return { ...headers, ...request.headers };
}

function readCapped(incoming: IncomingMessage, capBytes: number): Promise<CappedResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let receivedBytes = 0;
    const finish = (isTruncated: boolean): void => {
      const bytes = Buffer.concat(chunks);
      resolve({
        status: incoming.statusCode ?? 0,
        headers: joinHeaders(incoming),
        body: bytes.toString('utf8'),
        isTruncated,
        isWellFormed: isUtf8(bytes),
      });
    };
    incoming.on('data', (chunk: Buffer) => {
      const room = capBytes - receivedBytes;
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      receivedBytes += Math.min(chunk.length, room);
      if (chunk.length <= room) return;
      finish(true);
      incoming.destroy();
    });
    incoming.once('end', () => finish(false));
    incoming.once('error', reject);
  });
}

function joinHeaders(incoming: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(incoming.headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')]),
  );
}

function toEgressError(error: unknown, stage: 'connect' | 'tls' | 'protocol', url: URL): EgressError {
  if (error instanceof EgressError) return error;
  const code = codeOf(error) ?? 'closed';
  const description = {
    connect: 'is unreachable',
    tls: 'failed the TLS handshake',
    protocol: 'sent an invalid response',
  }[stage];
  return new EgressError(stage, `${url.host} ${description} (${code})`, { cause: error });
}

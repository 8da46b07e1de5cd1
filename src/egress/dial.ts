/**
 * Opens the connections of the service to targets, callback receivers and sources of payload files. Only literal
 * addresses are dialed. Callers must check the addresses first.
 */
import { isIP, Socket, type OnReadOpts, type SocketConstructorOpts } from 'node:net';
import { connect, createSecureContext, TLSSocket, type SecureContext } from 'node:tls';
import type { JobConnection } from '../core/load/load-job.ts';
import { canonicalizeAddress } from './address-kind.ts';
import { EgressError } from './egress-error.ts';

export interface Destination {
  readonly addresses: readonly string[];
  readonly port: number;
  /** TLS options; null for a connection without TLS. */
  readonly tls: {
    readonly context: SecureContext;
    readonly serverName: string;
    readonly verify: boolean;
  } | null;
}

/**
 * Returns a destination for `dial`. Host names must already be resolved, so that their addresses cannot change after a
 * check.
 * @throws EgressError if an address is not a literal address.
 */
export function prepareDestination(host: {
  /** Name or literal address without brackets, for SNI and the certificate check. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
  readonly addresses: readonly string[];
  readonly tlsVerify: boolean;
  /** Settings of the connections; null for the defaults. */
  readonly connection: JobConnection | null;
}): Destination {
  const addresses = host.addresses.map((literal) => {
    const address = canonicalizeAddress(literal);
    if (address === null) throw new EgressError('refused', `"${literal}" is not an IP address`);
    return address;
  });
  if (addresses.length === 0) throw new EgressError('refused', `"${host.hostname}" has no allowed address`);
  return { addresses, port: host.port, tls: host.secure ? prepareTls(host) : null };
}

function prepareTls({
  hostname,
  tlsVerify: verify,
  connection,
}: Pick<Parameters<typeof prepareDestination>[0], 'hostname' | 'tlsVerify' | 'connection'>): NonNullable<
  Destination['tls']
> {
  const { serverName: name = hostname, tlsMin, cert, key, passphrase, ca } = connection ?? {};
  const certificates = { cert, key, passphrase, ca };
  // SNI must not contain an IP address (RFC 6066, section 3).
  const serverName = isIP(name) === 0 ? name : '';
  const context = createSecureContext({
    ...certificates,
    ...(tlsMin === undefined ? {} : { minVersion: `TLSv${tlsMin}` as const }),
  });
  return { context, serverName, verify };
}

/** Socket whose peer address is checked when the socket connects. */
export type DialedSocket = Socket;

export interface DialOptions {
  /** Buffer and callback for reading without streams; null to read with streams. */
  readonly onread: OnReadOpts | null;
  /** TLS session of an earlier connection to the same destination, to resume it; null for a new session. */
  readonly session: Buffer | null;
}

/**
 * Opens a connection to one of a destination's addresses and returns immediately. The socket later emits `connect` and,
 * with TLS, `secureConnect`.
 *
 * Errors are emitted as `error` events. If the address of the peer differs from the dialed address, the error is an
 * EgressError.
 */
export function dial(destination: Destination, addressIndex: number, options: DialOptions): DialedSocket {
  const { tls, port } = destination;
  if (tls === null) {
    const plain = new PlainSocket(options.onread);
    redial(plain, destination, addressIndex);
    return plain;
  }
  const address = addressOf(destination, addressIndex);
  const socket = connect({
    host: address,
    port,
    ...(options.onread === null ? {} : { onread: options.onread }),
    ALPNProtocols: ['http/1.1'],
    secureContext: tls.context,
    rejectUnauthorized: tls.verify,
    ...(tls.serverName === '' ? {} : { servername: tls.serverName }),
    ...(options.session === null ? {} : { session: options.session }),
  });
  // TLS sockets ignore the option `noDelay`.
  socket.setNoDelay(true);
  readBeforeDestroy(socket);
  socket.once('connect', () => refuseOtherAddress(socket, address));
  return socket;
}

/**
 * Opens a new connection on a closed socket. The listeners of the socket remain registered.
 *
 * @param socket - A socket from `dial` for a destination without TLS that has emitted `close`.
 */
export function redial(socket: DialedSocket, destination: Destination, addressIndex: number): void {
  if (!(socket instanceof PlainSocket)) throw new Error('Bug: a TLS socket cannot be reused');
  socket.redial(addressOf(destination, addressIndex), destination.port);
}

class PlainSocket extends Socket {
  #dialedAddress = '';

  constructor(onread: OnReadOpts | null) {
    // `net.connect` passes its `onread` to this constructor, but the types declare it only for `connect`.
    const options: SocketConstructorOpts & { onread?: OnReadOpts } = onread === null ? {} : { onread };
    super(options);
    // The setting applies to all connections of this socket. `connect` would ignore the option `noDelay`.
    this.setNoDelay(true);
    readBeforeDestroy(this);
    // The check must be the first listener, so that nothing is sent before it.
    this.on('connect', () => refuseOtherAddress(this, this.#dialedAddress));
  }

  redial(address: string, port: number): void {
    this.#dialedAddress = address;
    this.connect({ host: address, port });
  }
}

/**
 * After a write error, delays the destruction of a socket until the received bytes are read. A server may respond
 * before it has read the whole request, and then reset the connection. Without the delay, the write error would be
 * reported instead of the response.
 * @see RFC 9112, section 9.6
 */
function readBeforeDestroy(socket: Socket): void {
  const destroy = socket.destroy.bind(socket);
  let failed: Error | null = null;
  const finish = (error: Error | undefined): Socket => {
    const reason = error ?? failed ?? undefined;
    failed = null;
    return destroy(reason);
  };
  socket.destroy = (error) => {
    if (socket.destroyed || failed !== null || !isWriteError(error)) return finish(error);
    failed = error;
    // Waits for two turns of the event loop, because this socket may already have been polled in the current turn.
    setImmediate(() => {
      setImmediate(() => {
        if (failed === error) finish(error);
      });
    });
    return socket;
  };
}

function isWriteError(error: Error | undefined): error is Error {
  return error !== undefined && 'syscall' in error && error.syscall === 'write';
}

/**
 * Returns the number of bytes received below TLS; null if Node.js does not expose it. The public counter counts
 * decrypted bytes, so it does not include `close_notify`.
 */
export function countEncryptedBytes(socket: DialedSocket): number | null {
  const { _handle: handle } = socket as {
    readonly _handle?: { readonly _parent?: { readonly bytesRead?: unknown } };
  };
  const bytes = handle?._parent?.bytesRead;
  return typeof bytes === 'number' ? bytes : null;
}

/**
 * Returns the TLS version of a socket, and the protocol that ALPN selected. A value is null if the connection has none.
 */
export function negotiatedProtocols(socket: DialedSocket): {
  readonly version: string | null;
  readonly alpn: string | null;
} {
  if (!(socket instanceof TLSSocket)) return { version: null, alpn: null };
  const { alpnProtocol } = socket;
  return { version: socket.getProtocol(), alpn: typeof alpnProtocol === 'string' ? alpnProtocol : null };
}

function addressOf({ addresses }: Destination, addressIndex: number): string {
  const address = addresses[addressIndex % addresses.length];
  if (address === undefined) throw new Error('Bug: the destination has no addresses');
  return address;
}

function refuseOtherAddress(socket: Socket, address: string): void {
  const actual = socket.remoteAddress;
  if (actual === address || (actual !== undefined && canonicalizeAddress(actual) === address)) return;
  socket.destroy(
    actual === undefined
      ? // The connection is already closed: the peer reset it immediately.
        Object.assign(new Error(`${address} reset the connection`), { code: 'ECONNRESET' })
      : new EgressError('refused', `${actual} responded instead of ${address}`),
  );
}

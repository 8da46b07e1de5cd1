/**
 * The only module that opens connections to targets, callbacks and payload files. It dials only literal,
 * allowed addresses.
 */
import { isIP, Socket, type OnReadOpts, type SocketConstructorOpts } from 'node:net';
import { connect, createSecureContext, type SecureContext } from 'node:tls';
import { canonicalizeAddress } from './address-kind.ts';
import { EgressError } from './egress-error.ts';

/** A host that is prepared once and dialed many times. */
export interface Destination {
  /** Canonical addresses; only these can be dialed. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Null for plain TCP. */
  readonly tls: {
    readonly context: SecureContext;
    readonly serverName: string;
    readonly verify: boolean;
  } | null;
}

/**
 * Prepares a host for dialing.
 * @throws EgressError if an address is not literal. Names are resolved earlier, and only once.
 */
export function prepareDestination(host: {
  /** Name or literal address without brackets, for SNI and certificates. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
  readonly addresses: readonly string[];
  readonly tlsVerify: boolean;
}): Destination {
  const addresses = host.addresses.map((literal) => {
    const address = canonicalizeAddress(literal);
    if (address === null) throw new EgressError('refused', `"${literal}" is not an IP address`);
    return address;
  });
  if (addresses.length === 0) throw new EgressError('refused', `"${host.hostname}" has no allowed address`);
  return { addresses, port: host.port, tls: host.secure ? prepareTls(host.hostname, host.tlsVerify) : null };
}

function prepareTls(hostname: string, verify: boolean): NonNullable<Destination['tls']> {
  // SNI does not allow addresses (RFC 6066, section 3).
  const serverName = isIP(hostname) === 0 ? hostname : '';
  return { context: createSecureContext(), serverName, verify };
}

/** Socket whose peer address is checked when it connects. */
export type DialedSocket = Socket;

export interface DialOptions {
  /** Buffer of the caller and callback for reading without streams. */
  readonly onread: OnReadOpts | null;
  /** Session of an earlier connection to the same destination, to resume. */
  readonly session: Buffer | null;
}

/**
 * Opens a connection to one of a destination's addresses. Returns immediately; `connect`, and for TLS
 * `secureConnect`, follow. Nagle's algorithm is disabled.
 *
 * Errors are emitted as `error` events: an EgressError if the peer has another address than the dialed one.
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
  // TLS sockets ignore the option.
  socket.setNoDelay(true);
  readBeforeDestroy(socket);
  socket.once('connect', () => {
    refuseOtherAddress(socket, address);
  });
  return socket;
}

/**
 * Dials again with a plain socket, which keeps its listeners. Creating a socket costs as much as two system
 * calls.
 *
 * Errors are emitted as for `dial`.
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
    // Set for all later connections; `connect` would not read the option.
    this.setNoDelay(true);
    readBeforeDestroy(this);
    // The first listener, so that nothing is sent before the check.
    this.on('connect', () => {
      refuseOtherAddress(this, this.#dialedAddress);
    });
  }

  redial(address: string, port: number): void {
    this.#dialedAddress = address;
    this.connect({ host: address, port });
  }
}

/**
 * Delays the destruction of a socket after a write error until received bytes are read. A server that stops
 * reading a request may still have sent a response and reset the connection; the write error arrives first
 * and the response is unread.
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
    // This socket may have been read already in the first round of the event loop.
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
 * Returns the number of bytes received below TLS; null if Node.js does not expose it. The public counter
 * counts decrypted bytes, and does not show whether TLS was closed with `close_notify`.
 */
export function countEncryptedBytes(socket: DialedSocket): number | null {
  // No public property exposes this.
  const { _handle: handle } = socket as {
    readonly _handle?: { readonly _parent?: { readonly bytesRead?: unknown } };
  };
  const bytes = handle?._parent?.bytesRead;
  return typeof bytes === 'number' ? bytes : null;
}

function addressOf({ addresses }: Destination, addressIndex: number): string {
  const address = addresses[addressIndex % addresses.length];
  if (address === undefined) throw new Error('Bug: a destination without addresses');
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

/** The only place that opens connections to targets, callbacks and payload files: to literal, allowed addresses. */
import { isIP, Socket, type OnReadOpts, type SocketConstructorOpts } from 'node:net';
import { connect, createSecureContext, type SecureContext } from 'node:tls';
import { canonicalizeAddress } from './address-kind.ts';
import { EgressError } from './egress-error.ts';

/** A host as prepared once and dialled many times. */
export interface Destination {
  /** In their one spelling; nothing else can be dialled. */
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
 * Prepares a host for dialling.
 *
 * Errors: throws an EgressError when an address is not a literal one: names are resolved before, and only once.
 */
export function prepareDestination(host: {
  /** Name or literal address without brackets: for SNI and certificates. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
  readonly addresses: readonly string[];
  readonly tlsVerify: boolean;
}): Destination {
  const addresses = host.addresses.map((text) => {
    const address = canonicalizeAddress(text);
    if (address === null) throw new EgressError('refused', `"${text}" is not an IP address`);
    return address;
  });
  if (addresses.length === 0) throw new EgressError('refused', `"${host.hostname}" has no allowed address`);
  return { addresses, port: host.port, tls: host.secure ? prepareTls(host.hostname, host.tlsVerify) : null };
}

function prepareTls(hostname: string, verify: boolean): NonNullable<Destination['tls']> {
  // An address is no name for SNI (RFC 6066, section 3).
  const serverName = isIP(hostname) === 0 ? hostname : '';
  return { context: createSecureContext(), serverName, verify };
}

/** What a dial gives: a socket whose address has been checked once it is connected. */
export type DialedSocket = Socket;

/** What a caller may want of one connection. */
export interface DialOptions {
  /** Reads into a buffer of the caller's, without streams. */
  readonly onread: OnReadOpts | null;
  /** A session of an earlier connection to the same destination, to resume. */
  readonly session: Buffer | null;
}

/**
 * Opens a connection to one of a destination's addresses.
 *
 * Shape:  returns at once; `connect`, and for TLS `secureConnect`, follow. Nagle's algorithm is off.
 * Errors: as the socket's `error` event. An EgressError when somebody else answers than who was dialled.
 */
export function dial(destination: Destination, which: number, options: DialOptions): DialedSocket {
  const { tls, port } = destination;
  if (tls === null) {
    const plain = new PlainSocket(options.onread);
    redial(plain, destination, which);
    return plain;
  }
  const address = addressOf(destination, which);
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
 * Dials with a plain socket again: it keeps its listeners, and making one costs as much as two system calls.
 *
 * Shape:  a socket that `dial` gave for a destination without TLS, and that has told its `close` since.
 * Errors: as `dial`.
 */
export function redial(socket: DialedSocket, destination: Destination, which: number): void {
  if (!(socket instanceof PlainSocket)) throw new Error('Bug: a TLS socket is used once');
  socket.redial(addressOf(destination, which), destination.port);
}

class PlainSocket extends Socket {
  #dialedAddress = '';

  constructor(onread: OnReadOpts | null) {
    // `net.connect` passes its `onread` on to this constructor; the types know it only there.
    const options: SocketConstructorOpts & { onread?: OnReadOpts } = onread === null ? {} : { onread };
    super(options);
    // Kept for every connection to come; as an option of `connect` it would not be read.
    this.setNoDelay(true);
    readBeforeDestroy(this);
    // First listener of all: nobody may send before it has looked.
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
 * Whoever does not read a request to its end may have answered it all the same, and reset the connection then. The write
 * that fails comes first here, and the answer is there, unread. So whatever is there is read before the socket goes.
 *
 * Source: RFC 9112, section 9.6.
 */
function readBeforeDestroy(socket: Socket): void {
  const destroy = socket.destroy.bind(socket);
  let failed: Error | null = null;
  const leave = (error: Error | undefined): Socket => {
    const why = error ?? failed ?? undefined;
    failed = null;
    return destroy(why);
  };
  socket.destroy = (error) => {
    if (socket.destroyed || failed !== null || !isWriteError(error)) return leave(error);
    failed = error;
    // The first round may be one in which this socket was read already.
    setImmediate(() => {
      setImmediate(() => {
        if (failed === error) leave(error);
      });
    });
    return socket;
  };
}

function isWriteError(error: Error | undefined): error is Error {
  return error !== undefined && 'syscall' in error && error.syscall === 'write';
}

/**
 * Bytes that have come on the connection below TLS; null where Node does not tell. What is public counts them as they are
 * decrypted, and does not tell an end that TLS was told of from one that it was not.
 */
export function countEncryptedBytes(socket: DialedSocket): number | null {
  // No public name leads there.
  const { _handle: handle } = socket as {
    readonly _handle?: { readonly _parent?: { readonly bytesRead?: unknown } };
  };
  const bytes = handle?._parent?.bytesRead;
  return typeof bytes === 'number' ? bytes : null;
}

function addressOf({ addresses }: Destination, which: number): string {
  const address = addresses[which % addresses.length];
  if (address === undefined) throw new Error('Bug: a destination without addresses');
  return address;
}

function refuseOtherAddress(socket: Socket, address: string): void {
  const answered = socket.remoteAddress;
  if (answered === address || (answered !== undefined && canonicalizeAddress(answered) === address)) return;
  socket.destroy(
    answered === undefined
      ? // The connection is gone already: whoever answered has reset it at once.
        Object.assign(new Error(`${address} reset the connection`), { code: 'ECONNRESET' })
      : new EgressError('refused', `${answered} responded instead of ${address}`),
  );
}

/**
 * A target on raw TCP in its own process, which records its observations by the monotonic clock of the
 * machine. Started by `reference-target.ts`.
 *
 * ```
 * GET /plain/17 responds with 200
 * GET /flaky/17 responds with 503 if the number ends with 7
 * GET /plain/17?wait=50&size=9 responds after 50 ms with a body of 9 bytes
 * GET /plain/17?wait=log-normal responds after a time that depends on the number; also: bimodal
 * ```
 */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { hrtime } from 'node:process';
import { watchLateness, type TimerLateness } from './timer-lateness.ts';

/** One observed request. Times in ms of the monotonic clock, which all processes of a machine share. */
export interface ReferenceRequest {
  readonly connection: number;
  /** First segment of the path. */
  readonly kind: string;
  readonly number: number;
  readonly firstByteAt: number;
  readonly lastByteAt: number;
  /** Time just before the response was passed to the system; 0 without a response. */
  answeredAt: number;
  /** 0 without a response. */
  status: number;
  /** Including headers. */
  readonly bytesIn: number;
  bytesOut: number;
}

export interface ReferenceConnection {
  readonly acceptedAt: number;
  /** 0 while it is open. */
  closedAt: number;
}

export interface ReferenceLog {
  /** Delays of this process. */
  readonly lateness: TimerLateness;
  readonly requests: readonly ReferenceRequest[];
  /** Connections since the previous report, by number from 0. */
  readonly connections: readonly ReferenceConnection[];
}

const lateness = watchLateness();
let requests: ReferenceRequest[] = [];
let connections: ReferenceConnection[] = [];

function now(): number {
  return Number(hrtime.bigint()) / 1e6;
}

/** A request that is not complete yet. */
interface IncomingBytes {
  firstByteAt: number;
  /** Bytes of the header section; null once it is complete. */
  header: Buffer | null;
  path: string;
  bytesIn: number;
  /** Missing bytes of the body. */
  missing: number;
}

function acceptConnection(socket: Socket): void {
  const connection = connections.length;
  const log: ReferenceConnection = { acceptedAt: now(), closedAt: 0 };
  connections.push(log);
  let arriving: IncomingBytes | null = null;
  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => {
    const at = now();
    let rest = chunk;
    while (rest.length > 0) {
      arriving ??= { firstByteAt: at, header: Buffer.alloc(0), path: '', bytesIn: 0, missing: 0 };
      rest = takeRequestBytes(arriving, rest);
      if (arriving.header !== null || arriving.missing > 0) return;
      serveRequest(socket, connection, arriving);
      arriving = null;
    }
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    log.closedAt = now();
  });
}

/** Consumes the bytes of a request and returns the others. */
function takeRequestBytes(arriving: IncomingBytes, bytes: Buffer): Buffer {
  if (arriving.header === null) {
    const length = Math.min(arriving.missing, bytes.length);
    arriving.missing -= length;
    arriving.bytesIn += length;
    return bytes.subarray(length);
  }
  const head = arriving.header.length === 0 ? bytes : Buffer.concat([arriving.header, bytes]);
  const end = head.indexOf('\r\n\r\n');
  if (end < 0) {
    arriving.header = head;
    return Buffer.alloc(0);
  }
  const text = head.toString('latin1', 0, end);
  arriving.path = text.slice(text.indexOf(' ') + 1, text.indexOf(' HTTP/1.1\r\n'));
  arriving.missing = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
  arriving.header = null;
  arriving.bytesIn = end + 4;
  return takeRequestBytes(arriving, head.subarray(end + 4));
}

function serveRequest(socket: Socket, connection: number, arrived: IncomingBytes): void {
  const [path = '', query = ''] = arrived.path.split('?', 2);
  const [, kind = '', digits = ''] = path.split('/');
  const number = Number(digits);
  const request: ReferenceRequest = {
    connection,
    kind,
    number,
    firstByteAt: arrived.firstByteAt,
    lastByteAt: now(),
    answeredAt: 0,
    status: 0,
    bytesIn: arrived.bytesIn,
    bytesOut: 0,
  };
  requests.push(request);
  const status = kind === 'flaky' && number % 10 === 7 ? 503 : 200;
  const response = responseOf(status, Number(/(?:^|&)size=(\d+)/.exec(query)?.[1] ?? 2));
  const send = (): void => {
    if (socket.destroyed) return;
    request.status = status;
    request.bytesOut = response.length;
    request.answeredAt = now();
    socket.write(response);
  };
  const wait = responseDelayOf(/(?:^|&)wait=([^&]+)/.exec(query)?.[1] ?? '0', number);
  if (wait === 0) send();
  else setTimeout(send, wait);
}

const responses = new Map<string, Buffer>();

function responseOf(status: number, size: number): Buffer {
  const key = `${status} ${size}`;
  const known = responses.get(key);
  if (known !== undefined) return known;
  const bytes = Buffer.from(`HTTP/1.1 ${status} X\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`);
  responses.set(key, bytes);
  return bytes;
}

function responseDelayOf(word: string, number: number): number {
  switch (word) {
    case 'bimodal':
      return number % 100 === 50 ? 1000 : 20;
    case 'log-normal':
      return Math.min(400, 30 * Math.exp(0.6 * normal(number)));
    default:
      return Number(word);
  }
}

/** Returns a normally distributed number that depends on another number (Box-Muller method). */
function normal(number: number): number {
  const spread = (seed: number): number => (Math.imul(number + seed, 0x9e3779b1) >>> 0) / 2 ** 32;
  return Math.sqrt(-2 * Math.log(1 - spread(1))) * Math.cos(2 * Math.PI * spread(0x5bd1e995));
}

// Bytes that have arrived are read before the report is created.
process.on('message', () => {
  setImmediate(() =>
    setImmediate(() => {
      const log: ReferenceLog = { lateness: lateness.read(), requests, connections };
      process.send?.(log);
      requests = [];
      connections = [];
    }),
  );
});
// The channel closes when the parent exits for any reason.
process.on('disconnect', () => {
  process.exit();
});
const server = createServer(acceptConnection).listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  // A TCP server that listens has an address.
  process.send?.((server.address() as AddressInfo).port);
});

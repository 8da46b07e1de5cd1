/** Compares our parser with that of Node.js on generated responses, split at every position. */
import { request, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { Random } from '../../src/core/random.ts';
import { HeaderCache } from '../../src/engine/header-cache.ts';
import { DONE, MORE, ResponseParser, type ProtocolFault } from '../../src/engine/response-parser.ts';
import { generateResponse } from './sample-responses.ts';
import { measureUsedBytes } from './used-memory.ts';

/** Result of parsing some bytes. */
interface ParserReading {
  /** `taken`, or the reason for the rejection. */
  readonly outcome: 'taken' | ProtocolFault;
  readonly status: number;
  /** Bytes up to the end of the response; all bytes if it has no end. */
  readonly end: number;
  readonly close: boolean;
  readonly values: readonly (string | undefined)[];
  readonly location: string | null;
  readonly cookies: readonly string[] | null;
}

const HEADER_NAMES = ['x-token', 'content-type', 'date'];

/** Required headers and cookies, and whether header sections are cached. */
interface ParsePurpose {
  readonly headerNames: readonly Buffer[];
  readonly cookies: boolean;
  readonly cache: HeaderCache | null;
}

const READ_EVERYTHING: ParsePurpose = {
  headerNames: HEADER_NAMES.map((name) => Buffer.from(name)),
  cookies: true,
  cache: null,
};
const READ_NOTHING: ParsePurpose = { headerNames: [], cookies: false, cache: null };

/**
 * One parser for all cases, as a connection has it: the state of one response must not affect the next one.
 */
const parser = new ResponseParser();
const shared = Buffer.alloc(2 * 1024 * 1024);

/**
 * Feeds the parts between the cuts through one buffer, as the engine does; each part overwrites the previous
 * one.
 */
function readWithOurParser(bytes: Buffer, cuts: ArrayLike<number>, purpose = READ_EVERYTHING): ParserReading {
  parser.begin(purpose.headerNames, purpose.cookies, purpose.cache);
  let from = 0;
  let outcome = MORE;
  const feed = (to: number): void => {
    if (to - from === 1) shared[0] = bytes[from] ?? 0;
    else bytes.copy(shared, 0, from, to);
    outcome = parser.feed(shared, to - from);
    from = to;
  };
  for (let index = 0; index < cuts.length && outcome === MORE; index++) feed(cuts[index] ?? 0);
  if (outcome === MORE && from < bytes.length) feed(bytes.length);
  if (outcome === MORE) outcome = parser.finish();
  return {
    outcome: outcome === DONE ? 'taken' : parser.fault,
    status: parser.status,
    end: outcome === DONE ? from : bytes.length,
    close: parser.mustClose,
    values: [...parser.captured],
    location: parser.location,
    cookies: parser.setCookies,
  };
}

const INDEXES = Uint32Array.from({ length: shared.length }, (_, place) => place);

/** Returns cuts after every byte. */
function cutEveryByte(length: number): Uint32Array {
  return INDEXES.subarray(1, length);
}

/** Maximum number of single cuts, evenly distributed; a short response is cut at every position. */
const MAX_SINGLE_CUTS = 50;
/** Number of runs with several cuts. */
const MULTI_CUT_ROUNDS = 8;

/** Returns the difference of a reading with other cuts; null if all are equal. */
function findSplitFault(bytes: Buffer, reading: ParserReading, random: Random): string | null {
  const compare = (cuts: readonly number[]): string | null => {
    const other = readWithOurParser(bytes, cuts);
    // If bytes follow the response in the same part, its end is not visible from outside, and the connection
    // must close.
    const same = {
      ...other,
      end: reading.end,
      close: reading.end < bytes.length ? reading.close : other.close,
    };
    return isSame(same, reading) ? null : `cut at ${cuts.join(', ')}: ${JSON.stringify(other)}`;
  };
  const apart = Math.ceil(bytes.length / MAX_SINGLE_CUTS);
  for (let at = 1 + random.below(apart || 1); at < bytes.length; at += apart) {
    const fault = compare([at]);
    if (fault !== null) return fault;
  }
  for (let left = MULTI_CUT_ROUNDS; left > 0; left--) {
    const cuts = Array.from({ length: 1 + random.below(6) }, () => random.below(bytes.length + 1));
    const fault = compare([...new Set(cuts)].sort((a, b) => a - b));
    if (fault !== null) return fault;
  }
  return null;
}

/** Caches for all cases, as the engine has one for all responses to a request. */
const COMMON_CACHES = [READ_NOTHING, READ_EVERYTHING].map((purpose) => ({
  purpose,
  commonCache: new HeaderCache(shared),
}));

/**
 * Returns the difference of a reading with a cached header section; null if there is none. The cached one is
 * that of another response, of the same response, or of the same response before a change near its beginning.
 */
function findCacheFault(bytes: Buffer, random: Random): string | null {
  for (const { purpose, commonCache } of COMMON_CACHES) {
    const ownCache = new HeaderCache(shared);
    const mutations = mutationsOf(bytes, random).map((read) => [read, ownCache] as const);
    const expected = readWithOurParser(bytes, [], purpose);
    for (const [read, cache] of [[bytes, commonCache], [bytes, ownCache], ...mutations] as const) {
      for (const cuts of [[], [random.below(read.length + 1)]]) {
        const plain = read === bytes && cuts.length === 0 ? expected : readWithOurParser(read, cuts, purpose);
        const other = readWithOurParser(read, cuts, { ...purpose, cache });
        if (isSame(other, plain)) continue;
        const shown = JSON.stringify(read.toString('latin1', 0, 600));
        return `cut at ${cuts.join(', ')}, with a cached header section: ${JSON.stringify(other)} of ${shown}`;
      }
    }
  }
  return null;
}

const CHANGES = 2;
/** Range of most header sections, in bytes. */
const MUTATION_RANGE = 400;
const INSERTED = ['a', '7', ' ', ',', ';', ':', '\r', '\n', '\r\n', '\r\n ', '\0', '\xe4'].map((text) =>
  Buffer.from(text, 'latin1'),
);

/** Returns the same bytes, and variants with inserted, removed or replaced bytes. */
function mutationsOf(bytes: Buffer, random: Random): Buffer[] {
  const changed = Array.from({ length: CHANGES }, () => {
    const at = random.below(Math.min(bytes.length, MUTATION_RANGE) + 1);
    const inserted = INSERTED[random.below(INSERTED.length + 1)] ?? Buffer.alloc(0);
    return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + random.below(3))]);
  });
  return [bytes, ...changed];
}

function isSame(a: ParserReading, b: ParserReading): boolean {
  return (
    a.outcome === b.outcome &&
    a.status === b.status &&
    a.end === b.end &&
    a.close === b.close &&
    a.location === b.location &&
    // The engine does not use the values of a rejected response.
    (a.outcome !== 'taken' || (areSame(a.values, b.values) && areSame(a.cookies, b.cookies)))
  );
}

function areSame(a: readonly unknown[] | null, b: readonly unknown[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

interface NodeReading {
  /** `taken`, or the code of the error. */
  readonly outcome: string;
  readonly status: number;
  readonly bodyBytes: number;
  readonly keepAlive: boolean;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Parses the bytes with the client of Node.js, on a stream that then ends. */
function readWithNode(bytes: Buffer): Promise<NodeReading> {
  return new Promise((resolve) => {
    const stream = new Duplex({
      read: () => undefined,
      write: (_chunk, _encoding, done) => done(),
    });
    let response: IncomingMessage | null = null;
    let bodyBytes = 0;
    const outgoing = request({
      createConnection: () => stream,
      headers: { Connection: 'keep-alive', Host: 'a' },
    });
    const end = (outcome: string): void => {
      const raw = response?.rawHeaders ?? [];
      resolve({
        outcome,
        status: response?.statusCode ?? 0,
        bodyBytes,
        keepAlive: outgoing.shouldKeepAlive,
        headers: Array.from({ length: raw.length / 2 }, (_, at) => [
          (raw[2 * at] ?? '').toLowerCase(),
          raw[2 * at + 1] ?? '',
        ]),
      });
      stream.destroy();
    };
    outgoing.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    outgoing.on('upgrade', () => end('upgrade'));
    // Precedes the end of a body that only the end of the stream ends; sometimes it is the only event.
    outgoing.on('close', () => {
      setImmediate(() => setImmediate(end, 'closed'));
    });
    outgoing.on('response', (incoming) => {
      response = incoming;
      incoming.on('data', (chunk: Buffer) => (bodyBytes += chunk.length));
      incoming.on('end', () => end(incoming.complete ? 'taken' : 'truncated'));
      incoming.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    });
    outgoing.end();
    stream.push(bytes);
    stream.push(null);
  });
}

/** Returns the length of the body of a complete response, decoded without either parser. */
function bodyBytesOf(response: string): number {
  let from = 0;
  for (;;) {
    const end = response.indexOf('\r\n\r\n', from) + 4;
    const header = response.slice(from, end);
    from = end;
    if (/^HTTP\/\d\.\d 1/.test(header)) continue;
    const codings = Array.from(header.matchAll(/^transfer-encoding:(.*)\r$/gim), (match) => match[1] ?? '');
    const chunked =
      /(?:^|,)[ \t]*chunked[ \t,]*$/i.test(codings.join(',')) && !/^HTTP\/\d\.\d [23]04/.test(header);
    return chunked ? chunkBytes(response.slice(end)) : response.length - end;
  }
}

/** Returns the response with folded lines joined, because Node.js rejects them. */
function unfoldLines(response: string): string {
  let from = 0;
  let headers = '';
  for (;;) {
    const end = response.indexOf('\r\n\r\n', from) + 4;
    const header = response.slice(from, end);
    headers += header.replaceAll(/[ \t]*\r\n[ \t]+/g, ' ');
    from = end;
    if (!/^HTTP\/\d\.\d 1/.test(header)) return headers + response.slice(end);
  }
}

function chunkBytes(body: string): number {
  let total = 0;
  for (let at = 0; ;) {
    const size = Number.parseInt(body.slice(at, at + 20), 16);
    if (size === 0) return total;
    if (Number.isNaN(size)) throw new Error('the accepted body has an invalid chunk');
    total += size;
    at = body.indexOf('\r\n', at) + 2 + size + 2;
  }
}

/** A known reason for a difference between the two parsers. */
type DifferenceReason = readonly [
  name: string,
  applies: (text: string, ours: ParserReading, theirs: NodeReading) => boolean,
];

/** A control character in the status line, including a CR before its end. */
const CONTROL_IN_STATUS_LINE =
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
  /^HTTP\/[12]\.\d [1-9]\d\d[^\n]*?(?:[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n))/m;

/** Node.js keeps this number of headers and drops the others. */
const NODE_MAX_HEADERS = 1000;

const KNOWN_DIFFERENCES: readonly DifferenceReason[] = [
  // We reject, Node.js accepts.
  ['length and transfer coding', (_text, ours) => ours.outcome === 'length_and_encoding'],
  ['chunked twice, or with a parameter', (_text, ours) => ours.outcome === 'transfer_encoding'],
  [
    'a length beyond the safe integers',
    (text, ours) => ours.outcome === 'content_length' && /^content-length:[ \t]*\d{16}/im.test(text),
  ],
  ['an unexpected protocol switch', (_text, ours) => ours.outcome === 'switching_protocols'],
  ['more than 20 interim responses', (_text, ours) => ours.outcome === 'too_many_interim'],
  ['more than 16 KiB of headers', (_text, ours) => ours.outcome === 'header_too_large'],
  [
    'an empty line before a response',
    (text, ours) => ours.outcome === 'status_line' && /(?:^|\r\n\r\n)[\r\n]/.test(text),
  ],
  [
    'control characters in the reason',
    (text, ours) => ours.outcome === 'status_line' && CONTROL_IN_STATUS_LINE.test(text),
  ],
  [
    'a status below 100',
    (text, ours) => ours.outcome === 'status_line' && /^HTTP\/[12]\.\d 0\d\d/m.test(text),
  ],
  // We accept, Node.js rejects.
  ['a later minor version', (text, ours) => ours.outcome === 'taken' && /^HTTP\/1\.[2-9]/m.test(text)],
  [
    'ignored chunk extensions',
    (text, ours, theirs) =>
      ours.outcome === 'taken' &&
      ['HPE_STRICT', 'HPE_INVALID_CHUNK_SIZE'].includes(theirs.outcome) &&
      /^[\da-f]+[ \t]*;/im.test(text),
  ],
  [
    'ignored trailers',
    (text, ours, theirs) =>
      ours.outcome === 'taken' && theirs.outcome !== 'taken' && /^0+(?:;[^\n]*)?\r\n[^\r]/m.test(text),
  ],
  [
    'ignored body headers of a response without a body',
    (text, ours, theirs) =>
      ours.outcome === 'taken' &&
      theirs.outcome !== 'taken' &&
      /^HTTP\/[12]\.\d (?:1\d\d|[23]04)/m.test(text) &&
      /^(?:content-length|transfer-encoding):/im.test(text),
  ],
  [
    'an interim response does not close the connection',
    (_text, ours, theirs) => ours.outcome === 'taken' && theirs.outcome === 'HPE_CLOSED_CONNECTION',
  ],
  // Some versions of Node.js do not recognize a tab here and parse something else.
  ['a tab as white space', (text) => /^(?:content-length|transfer-encoding|connection):.*\t/im.test(text)],
  // Both accept, or only one.
  ['ignored empty list elements', (text) => /^transfer-encoding:(?:.*,)?[ \t]*(?:,.*)?\r$/im.test(text)],
  ['more headers than Node.js keeps', (_text, _ours, theirs) => theirs.headers.length >= NODE_MAX_HEADERS],
];

export interface FuzzReport {
  /** Number of readings by outcome: `taken`, or a fault. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Number of times that each reason applied. */
  readonly reasons: Readonly<Record<string, number>>;
  /** CPU time of the slowest case. */
  readonly maxCpuMs: number;
  /** Increase of used memory at the end, in bytes. */
  readonly keptBytes: number;
  /** Failures, each with the case that reproduces it. */
  readonly faults: readonly string[];
}

const MAX_FAULTS = 5;

/** Parses the responses of a seed from an index on. */
export async function fuzzParser(seed: number, from: number, count: number): Promise<FuzzReport> {
  const reasons: Record<string, number> = {};
  const faults: string[] = [];
  const outcomes: Record<string, number> = {};
  let maxCpuMs = 0;
  const usedBefore = measureUsedBytes();
  for (let index = from; index < from + count && faults.length < MAX_FAULTS; index++) {
    const bytes = generateResponse(seed, index);
    const reading = readWithOurParser(bytes, cutEveryByte(bytes.length));
    const before = process.cpuUsage();
    const inOnePiece = readWithOurParser(bytes, []);
    const { user, system } = process.cpuUsage(before);
    maxCpuMs = Math.max(maxCpuMs, (user + system) / 1000);
    outcomes[reading.outcome] = (outcomes[reading.outcome] ?? 0) + 1;
    const report = (fault: string): void => {
      const shown = JSON.stringify(bytes.toString('latin1', 0, 600));
      faults.push(`seed ${seed}, case ${index}: ${fault}\n  ${shown}\n  ${JSON.stringify(reading)}`);
    };
    if (reading.end < bytes.length && !inOnePiece.close)
      report('bytes follow the response, but the connection stays open');
    const split = findSplitFault(bytes, reading, new Random(seed, index, 1));
    if (split !== null) report(split);
    const remembered = findCacheFault(bytes, new Random(seed, index, 2));
    if (remembered !== null) report(remembered);
    // Streams of Node.js defer work, which must run from time to time.
    if (index % 100 === 0) await new Promise(setImmediate);
    const read = bytes.toString('latin1', 0, reading.end);
    const response = reading.outcome === 'taken' ? unfoldLines(read) : read;
    const theirs = await readWithNode(Buffer.from(response, 'latin1'));
    const difference = findDifference(response, reading, theirs);
    if (difference === null) continue;
    const reason = KNOWN_DIFFERENCES.find(([, applies]) =>
      applies(bytes.toString('latin1'), reading, theirs),
    );
    if (reason === undefined) report(`${difference}: ${JSON.stringify(theirs)}`);
    else reasons[reason[0]] = (reasons[reason[0]] ?? 0) + 1;
  }
  // Objects with finalizers are freed by the next collection.
  let usedAfter = Number.POSITIVE_INFINITY;
  for (let rounds = 5; rounds > 0; rounds--) {
    await new Promise(setImmediate);
    usedAfter = Math.min(usedAfter, measureUsedBytes());
  }
  return { outcomes, reasons, maxCpuMs, keptBytes: usedAfter - usedBefore, faults };
}

function findDifference(text: string, ours: ParserReading, theirs: NodeReading): string | null {
  if (ours.outcome !== 'taken') return theirs.outcome === 'taken' ? 'Node.js accepts it' : null;
  if (theirs.outcome !== 'taken') return 'Node.js rejects it';
  if (theirs.status !== ours.status) return 'different status';
  if (theirs.bodyBytes !== bodyBytesOf(text)) return `a body with a length other than ${bodyBytesOf(text)}`;
  if (!ours.close && !theirs.keepAlive) return 'Node.js would close';
  const all = (name: string): string[] =>
    theirs.headers.filter(([one]) => one === name).map(([, value]) => value);
  const values = HEADER_NAMES.map((name) => all(name)[0]);
  if (!areSame(values, ours.values)) return 'different values';
  const cookies = all('set-cookie');
  if (!areSame(cookies.length === 0 ? null : cookies, ours.cookies)) return 'different cookies';
  const locations = [301, 302, 303, 307, 308].includes(ours.status) ? all('location') : [];
  const location = locations.length > 1 ? '' : (locations[0] ?? null);
  return location === ours.location ? null : 'different location';
}

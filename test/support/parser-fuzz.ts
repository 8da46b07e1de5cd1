/** Reads made-up answers with our parser, split in every way, and with Node's, and tells where they differ. */
import { request, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { Random } from '../../src/core/load/random.ts';
import { HeaderCache } from '../../src/engine/header-cache.ts';
import { DONE, MORE, ResponseParser, type ProtocolFault } from '../../src/engine/response-parser.ts';
import { generateResponse } from './sample-responses.ts';
import { measureUsedBytes } from './used-memory.ts';

/** What a reader made of some bytes. */
interface ParserReading {
  /** `taken`, or why not. */
  readonly outcome: 'taken' | ProtocolFault;
  readonly status: number;
  /** Bytes up to the end of the answer; all of them where there is none. */
  readonly end: number;
  readonly close: boolean;
  readonly values: readonly (string | undefined)[];
  readonly location: string | null;
  readonly cookies: readonly string[] | null;
}

const WANTED_FIELDS = ['x-token', 'content-type', 'date'];

/** What answers are read for; the heads of some are kept. */
interface ParsePurpose {
  readonly wanted: readonly Buffer[];
  readonly cookies: boolean;
  readonly cachesHeaders: HeaderCache | null;
}

const READ_EVERYTHING: ParsePurpose = {
  wanted: WANTED_FIELDS.map((name) => Buffer.from(name)),
  cookies: true,
  cachesHeaders: null,
};
const READ_NOTHING: ParsePurpose = { wanted: [], cookies: false, cachesHeaders: null };

/** One for all cases, as a connection has it: what is left of one answer must not reach the next. */
const parser = new ResponseParser();
const shared = Buffer.alloc(2 * 1024 * 1024);

/** Feeds the pieces between the cuts through the start of one buffer, as the engine does: each spoils the one before. */
function readWithOurParser(bytes: Buffer, cuts: ArrayLike<number>, purpose = READ_EVERYTHING): ParserReading {
  parser.begin(purpose.wanted, purpose.cookies, purpose.cachesHeaders);
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

/** The cuts that leave pieces of a byte. */
function cutEveryByte(length: number): Uint32Array {
  return INDEXES.subarray(1, length);
}

/** Single cuts at most, as far from each other as it takes: a short answer is cut at every place. */
const MAX_SINGLE_CUTS = 50;
/** Times that several cuts are made. */
const MULTI_CUT_ROUNDS = 8;

/** How a reading differs when the bytes come in other pieces; null when it never does. */
function findSplitFault(bytes: Buffer, reading: ParserReading, random: Random): string | null {
  const compare = (cuts: readonly number[]): string | null => {
    const other = readWithOurParser(bytes, cuts);
    // With the bytes behind it in one piece, the end cannot be seen from outside, and the connection has to close.
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

/** Kept over all cases, as the engine keeps one over all answers to a request. */
const HEADER_CACHE = [READ_NOTHING, READ_EVERYTHING].map((purpose) => ({
  purpose,
  knownOfAll: new HeaderCache(shared),
}));

/**
 * How a reading differs when the head is compared with an earlier one's first; null when it does not. The earlier one is
 * that of another answer, of the same, and of the same before a change somewhere in its beginning.
 */
function findCacheFault(bytes: Buffer, random: Random): string | null {
  for (const { purpose, knownOfAll } of HEADER_CACHE) {
    const knownOfThis = new HeaderCache(shared);
    const again = mutationsOf(bytes, random).map((read) => [read, knownOfThis] as const);
    const whole = readWithOurParser(bytes, [], purpose);
    for (const [read, cachesHeaders] of [[bytes, knownOfAll], [bytes, knownOfThis], ...again] as const) {
      for (const cuts of [[], [random.below(read.length + 1)]]) {
        const plain = read === bytes && cuts.length === 0 ? whole : readWithOurParser(read, cuts, purpose);
        const other = readWithOurParser(read, cuts, { ...purpose, cachesHeaders });
        if (isSame(other, plain)) continue;
        const shown = JSON.stringify(read.toString('latin1', 0, 600));
        return `cut at ${cuts.join(', ')}, an earlier head known: ${JSON.stringify(other)} of ${shown}`;
      }
    }
  }
  return null;
}

const CHANGES = 2;
/** Where heads mostly are. */
const MUTATION_RANGE = 400;
const INSERTED = ['a', '7', ' ', ',', ';', ':', '\r', '\n', '\r\n', '\r\n ', '\0', '\xe4'].map((text) =>
  Buffer.from(text, 'latin1'),
);

/** The same bytes, then with some put in, taken out, or in place of others. */
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
    // Of an answer that is refused nobody takes a value.
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

/** Node's own client on a stream that holds the bytes and then ends. */
function readWithNode(bytes: Buffer): Promise<NodeReading> {
  return new Promise((resolve) => {
    const stream = new Duplex({
      read: () => undefined,
      write: (_chunk, _encoding, done) => {
        done();
      },
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
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      end(error.code ?? error.message);
    });
    outgoing.on('upgrade', () => {
      end('upgrade');
    });
    // Comes before the end of a body that only the end of the stream ends; at times nothing else comes.
    outgoing.on('close', () => {
      setImmediate(() => setImmediate(end, 'closed'));
    });
    outgoing.on('response', (incoming) => {
      response = incoming;
      incoming.on('data', (chunk: Buffer) => (bodyBytes += chunk.length));
      incoming.on('end', () => {
        end(incoming.complete ? 'taken' : 'truncated');
      });
      incoming.on('error', (error: NodeJS.ErrnoException) => {
        end(error.code ?? error.message);
      });
    });
    outgoing.end();
    stream.push(bytes);
    stream.push(null);
  });
}

/** The body of one whole answer, decoded without either parser. */
function bodyBytesOf(response: string): number {
  let from = 0;
  for (;;) {
    const end = response.indexOf('\r\n\r\n', from) + 4;
    const head = response.slice(from, end);
    from = end;
    if (/^HTTP\/\d\.\d 1/.test(head)) continue;
    const codings = Array.from(head.matchAll(/^transfer-encoding:(.*)\r$/gim), (match) => match[1] ?? '');
    const chunked =
      /(?:^|,)[ \t]*chunked[ \t,]*$/i.test(codings.join(',')) && !/^HTTP\/\d\.\d [23]04/.test(head);
    return chunked ? chunkBytes(response.slice(end)) : response.length - end;
  }
}

/** The same answer with each folded line in one: Node refuses folded ones. */
function unfoldLines(response: string): string {
  let from = 0;
  let heads = '';
  for (;;) {
    const end = response.indexOf('\r\n\r\n', from) + 4;
    const head = response.slice(from, end);
    heads += head.replaceAll(/[ \t]*\r\n[ \t]+/g, ' ');
    from = end;
    if (!/^HTTP\/\d\.\d 1/.test(head)) return heads + response.slice(end);
  }
}

function chunkBytes(body: string): number {
  let total = 0;
  for (let at = 0; ;) {
    const size = Number.parseInt(body.slice(at, at + 20), 16);
    if (size === 0) return total;
    if (Number.isNaN(size)) throw new Error('what was taken is no chunk');
    total += size;
    at = body.indexOf('\r\n', at) + 2 + size + 2;
  }
}

/** Why one of the two takes what the other refuses, or reads it otherwise: the reasons that are known. */
type DifferenceReason = readonly [
  name: string,
  applies: (text: string, ours: ParserReading, theirs: NodeReading) => boolean,
];

/** A control character within a status line, a CR before its end among them. */
const CONTROL_IN_STATUS_LINE =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /^HTTP\/[12]\.\d [1-9]\d\d[^\n]*?(?:[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n))/m;

/** Node keeps so many headers, and drops the others. */
const NODE_MAX_HEADERS = 1000;

const KNOWN_DIFFERENCES: readonly DifferenceReason[] = [
  // We refuse, Node takes.
  ['length and coding', (_text, ours) => ours.outcome === 'length_and_encoding'],
  ['chunked twice, or with a parameter', (_text, ours) => ours.outcome === 'transfer_encoding'],
  [
    'a length that no number holds exactly',
    (text, ours) => ours.outcome === 'content_length' && /^content-length:[ \t]*\d{16}/im.test(text),
  ],
  ['nobody asked for another protocol', (_text, ours) => ours.outcome === 'switching_protocols'],
  ['more than 20 interim answers', (_text, ours) => ours.outcome === 'too_many_interim'],
  ['more than 16 KiB of headers', (_text, ours) => ours.outcome === 'header_too_large'],
  [
    'an empty line before an answer',
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
  // We take, Node refuses.
  ['a later minor version', (text, ours) => ours.outcome === 'taken' && /^HTTP\/1\.[2-9]/m.test(text)],
  [
    'extensions of chunks are not read',
    (text, ours, theirs) =>
      ours.outcome === 'taken' &&
      ['HPE_STRICT', 'HPE_INVALID_CHUNK_SIZE'].includes(theirs.outcome) &&
      /^[\da-f]+[ \t]*;/im.test(text),
  ],
  [
    'trailers are not read',
    (text, ours, theirs) =>
      ours.outcome === 'taken' && theirs.outcome !== 'taken' && /^0+(?:;[^\n]*)?\r\n[^\r]/m.test(text),
  ],
  [
    'what a head without a body says of one is not read',
    (text, ours, theirs) =>
      ours.outcome === 'taken' &&
      theirs.outcome !== 'taken' &&
      /^HTTP\/[12]\.\d (?:1\d\d|[23]04)/m.test(text) &&
      /^(?:content-length|transfer-encoding):/im.test(text),
  ],
  [
    'an interim answer does not close',
    (_text, ours, theirs) => ours.outcome === 'taken' && theirs.outcome === 'HPE_CLOSED_CONNECTION',
  ],
  // Some versions of Node do not know it for that, and read something else.
  ['a tab is white space', (text) => /^(?:content-length|transfer-encoding|connection):.*\t/im.test(text)],
  // Both take, or only one.
  [
    'empty elements of a list are ignored',
    (text) => /^transfer-encoding:(?:.*,)?[ \t]*(?:,.*)?\r$/im.test(text),
  ],
  ['more headers than Node keeps', (_text, _ours, theirs) => theirs.headers.length >= NODE_MAX_HEADERS],
];

export interface FuzzReport {
  /** Times that we read each outcome: `taken`, or a fault. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Times that each reason was needed. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  /** How much more memory is in use in the end. */
  readonly keptBytes: number;
  /** What should not be, each with the case to repeat it. */
  readonly faults: readonly string[];
}

const MAX_FAULTS = 5;

/** Reads the answers of a seed from an index on. */
export async function fuzzParser(seed: number, from: number, count: number): Promise<FuzzReport> {
  const reasons: Record<string, number> = {};
  const faults: string[] = [];
  const outcomes: Record<string, number> = {};
  let slowestMs = 0;
  const usedBefore = measureUsedBytes();
  for (let index = from; index < from + count && faults.length < MAX_FAULTS; index++) {
    const bytes = generateResponse(seed, index);
    const reading = readWithOurParser(bytes, cutEveryByte(bytes.length));
    const begun = performance.now();
    const inOnePiece = readWithOurParser(bytes, []);
    const tookMs = performance.now() - begun;
    slowestMs = Math.max(slowestMs, tookMs);
    outcomes[reading.outcome] = (outcomes[reading.outcome] ?? 0) + 1;
    const report = (fault: string): void => {
      const shown = JSON.stringify(bytes.toString('latin1', 0, 600));
      faults.push(`seed ${seed}, case ${index}: ${fault}\n  ${shown}\n  ${JSON.stringify(reading)}`);
    };
    if (reading.end < bytes.length && !inOnePiece.close) report('bytes behind it, and yet not closed');
    const split = findSplitFault(bytes, reading, new Random(seed, index, 1));
    if (split !== null) report(split);
    const remembered = findCacheFault(bytes, new Random(seed, index, 2));
    if (remembered !== null) report(remembered);
    // Node's streams leave work for later, which has to come at times.
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
  // What is finalised only behind a collection is gone with the next one.
  let usedAfter = Number.POSITIVE_INFINITY;
  for (let looks = 5; looks > 0; looks--) {
    await new Promise(setImmediate);
    usedAfter = Math.min(usedAfter, measureUsedBytes());
  }
  return { outcomes, reasons, slowestMs, keptBytes: usedAfter - usedBefore, faults };
}

function findDifference(text: string, ours: ParserReading, theirs: NodeReading): string | null {
  if (ours.outcome !== 'taken') return theirs.outcome === 'taken' ? 'Node takes it' : null;
  if (theirs.outcome !== 'taken') return 'Node refuses it';
  if (theirs.status !== ours.status) return 'another status';
  if (theirs.bodyBytes !== bodyBytesOf(text)) return `a body of another length than ${bodyBytesOf(text)}`;
  if (!ours.close && !theirs.keepAlive) return 'Node would close';
  const all = (name: string): string[] =>
    theirs.headers.filter(([one]) => one === name).map(([, value]) => value);
  const values = WANTED_FIELDS.map((name) => all(name)[0]);
  if (!areSame(values, ours.values)) return 'other values';
  const cookies = all('set-cookie');
  if (!areSame(cookies.length === 0 ? null : cookies, ours.cookies)) return 'other cookies';
  const locations = [301, 302, 303, 307, 308].includes(ours.status) ? all('location') : [];
  const location = locations.length > 1 ? '' : (locations[0] ?? null);
  return location === ours.location ? null : 'another location';
}

/** Messages of the expected shape are accepted, and all others are rejected as null. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeMessage,
  encodeJson,
  encodeMessage,
  readHeartbeat,
  readMailboxMessage,
  readOffer,
  readServiceMessage,
} from '../../../src/cluster/message-codec.ts';
import { EMPTY_TOTALS } from '../../../src/cluster/shard-totals.ts';
import {
  PROTOCOL_VERSION,
  type Heartbeat,
  type MailboxMessage,
  type ProgressMessage,
  type ServiceMessage,
  type ShardOffer,
  type WorkerMessage,
} from '../../../src/cluster/cluster-messages.ts';
import type { LoadJob } from '../../../src/core/load/load-job.ts';
import { splitIntoShards } from '../../../src/core/load/shard.ts';
import { Histogram } from '../../../src/core/load/histogram.ts';
import { createTally } from '../../../src/core/load/snapshot.ts';
import { snapshotShapeOf } from '../../../src/core/load/snapshot-codec.ts';
import { createLoadJob, readUrls } from '../../../src/server/domain/load-job.ts';
import { arbitrarySpec } from '../../support/arbitrary-declarations.ts';
import { STALL_FREE_SECOND, TEST_GENERATOR, snapshotOf } from '../../support/snapshots.ts';
import { jobOf, targetOf, textBody } from '../../support/test-engine.ts';

const JOB = jobOf([targetOf(80)]);
const SHAPE = snapshotShapeOf(JOB, 1);
const WORKER_ID = '0123456789abcdef';

const PROGRESS: ProgressMessage = {
  kind: 'progress',
  snapshots: [],
  exchanges: [],
  done: [{ shard: 0, time: { elapsed: 500.5, loaded: 500 } }],
  lost: [2],
  overloaded: false,
};
const READY: WorkerMessage = {
  kind: 'ready',
  name: 'one',
  uncertaintyMs: 0.2,
  environment: TEST_GENERATOR,
};
const FINAL: WorkerMessage = {
  kind: 'final',
  totals: EMPTY_TOTALS,
  startLatenessMs: null,
  startUncertaintyMs: 0.1,
  endedBy: 'lease',
};
const WORKER_MESSAGES: readonly WorkerMessage[] = [
  READY,
  { kind: 'refused', reason: 'no room' },
  PROGRESS,
  { kind: 'counts', finished: 3, failed: 1 },
  FINAL,
];

const HEARTBEAT: Heartbeat = {
  protocol: PROTOCOL_VERSION,
  id: WORKER_ID,
  name: 'one',
  version: '1.2.3',
  since: 1_700_000_000_000,
  state: 'ready',
  runId: null,
  threads: 2,
  connections: null,
  ports: 28_232,
  portReuse: 'loopback',
  families: [4, 6],
  clock: { offsetMs: -0.5, uncertaintyMs: 0.1 },
  load: 0.25,
};

function offerOf(job: LoadJob): ShardOffer {
  return {
    protocol: PROTOCOL_VERSION,
    runId: job.runId,
    epoch: 1,
    workerId: WORKER_ID,
    expires: 1_700_000_000_000,
    job,
    hosts: [{ host: 'shop.example', verificationId: 'token', method: 'dns', connection: { tlsMin: '1.3' } }],
    threadShards: splitIntoShards(job, 2),
  };
}

const STOP = { reason: 'stopped', unstarted: 'stopped', drainMs: 100 } as const;
const SERVICE_MESSAGES: readonly ServiceMessage[] = [
  { kind: 'start', startAt: 1000.5 },
  { kind: 'acknowledged', merged: { [WORKER_ID]: 3, fedcba9876543210: -1 }, stop: null },
  { kind: 'acknowledged', merged: {}, stop: STOP },
  { kind: 'stop', stop: STOP },
  { kind: 'cancel' },
];

const MAILBOX_MESSAGES: readonly MailboxMessage[] = [
  { kind: 'offer', runId: 'run-1', chunks: ['0123456789abcdef0123456789abcdef'] },
  { kind: 'drain' },
];

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

test.each(WORKER_MESSAGES)('the service decodes a worker message of the kind $kind unchanged', (message) => {
  expect(decodeMessage(encodeMessage(message), SHAPE)).toEqual(message);
});

test.each(SERVICE_MESSAGES)('a worker reads the service message %j unchanged', (message) => {
  expect(readServiceMessage(bytes(message))).toEqual(message);
});

test.each(MAILBOX_MESSAGES)('a worker reads a mailbox message of the kind $kind unchanged', (message) => {
  expect(readMailboxMessage(bytes(message))).toEqual(message);
});

test('a heartbeat is read unchanged, even if it contains members of a later version', () => {
  expect(readHeartbeat(encodeJson(HEARTBEAT))).toEqual(HEARTBEAT);
  const later = { ...HEARTBEAT, protocol: 2, zone: 'east' };
  expect(readHeartbeat(bytes(later))).toEqual(later);
});

test('a worker reads the offer of a run unchanged', () => {
  const settings = {
    runId: 'run-1',
    userAgent: 'loadtests/0.0.0',
    seed: 2 ** 32 - 1,
    threads: null,
    setupRows: [],
  };
  const rows = { names: ['a'], values: [['x'], ['y']] };
  fc.assert(
    fc.property(arbitrarySpec, (spec) => {
      const urls = readUrls(spec).map(({ target, read: parsed }) => ({ target, parsed, addresses: ['::1'] }));
      const payload = {
        requestRows: urls.map(() => rows),
        iterationRows: [rows],
        clientRows: 1,
        bodyFiles: [{ sha256: 'a'.repeat(64), content: 'AQI=' }],
      };
      const offer = offerOf(createLoadJob(spec, urls, { ...settings, payload }));
      expect(readOffer(encodeJson(offer))).toEqual(JSON.parse(JSON.stringify(offer)));
    }),
  );
});

const membersOf = (message: object) => Object.entries(message).filter(([key]) => key !== 'snapshots');
const withoutOneMember = (message: object) =>
  membersOf(message).map(([omitted]) =>
    Object.fromEntries(membersOf(message).filter(([key]) => key !== omitted)),
  );

/** Encodes a worker message that may be invalid. */
function encodeHeader(header: unknown): Buffer {
  return encodeMessage(Object.assign({ snapshots: [] }, header as WorkerMessage));
}

test('a cluster message that lacks any one of its members is rejected', () => {
  const readers: readonly (readonly [readonly object[], (message: object) => unknown])[] = [
    [WORKER_MESSAGES, (message) => decodeMessage(encodeHeader(message), SHAPE)],
    [SERVICE_MESSAGES, (message) => readServiceMessage(bytes(message))],
    [MAILBOX_MESSAGES, (message) => readMailboxMessage(bytes(message))],
    [[HEARTBEAT], (message) => readHeartbeat(bytes(message))],
    [[offerOf(JOB)], (message) => readOffer(bytes(message))],
  ];
  for (const [messages, read] of readers) {
    for (const message of messages.flatMap(withoutOneMember))
      expect([message, read(message)]).toEqual([message, null]);
  }
});

const UNSAFE = 2 ** 53;
const LONG = 'x'.repeat(1_048_577);
const EXCHANGE = {
  ...{ target: 0, url: 'http://shop.test/', method: 'GET', redirected: false, resent: false },
  ...{
    requestHeader: '',
    requestBody: '',
    status: 200,
    responseHeader: '',
    responseBody: '',
    bytes: 100,
    error: null,
  },
  ...{ ms: { connect: 1, tls: null, wait: 0.5, total: 2 }, success: true, unexpected: null, variables: {} },
};

test('a progress message with an exchange is decoded unchanged', () => {
  const message = { ...PROGRESS, exchanges: [EXCHANGE] };
  expect(decodeMessage(encodeMessage(message), SHAPE)).toEqual(message);
});

test.each([
  ['an id that is not hexadecimal', { id: '../../../../etc/x' }],
  ['two billion threads', { threads: 2e9 }],
  ['no thread', { threads: 0 }],
  ['1.5 threads', { threads: 1.5 }],
  ['a start before 1970', { since: -8e18 }],
  ['a start after the last valid date', { since: 8_640_000_000_000_001 }],
  ['a negative number of connections', { connections: -1 }],
  ['0.5 ports', { ports: 0.5 }],
  ['an infinite clock offset', { clock: { offsetMs: Infinity, uncertaintyMs: 0 } }],
  ['a negative uncertainty', { clock: { offsetMs: 0, uncertaintyMs: -1 } }],
  ['a utilization above 1', { load: 1.1 }],
  ['a name of 10,001 characters', { name: 'x'.repeat(10_001) }],
  ['an unknown state', { state: 'asleep' }],
  ['three IP versions', { families: [4, 6, 4] }],
])('a heartbeat with %s is refused', (_, change) => {
  expect(readHeartbeat(bytes({ ...HEARTBEAT, ...change }))).toBeNull();
});

test.each([
  ['an unknown kind', { kind: 'later' }],
  ['an unknown member', { ...READY, more: 1 }],
  ['a reason of more than 1 MiB', { kind: 'refused', reason: LONG }],
  ['a negative uncertainty', { ...READY, uncertaintyMs: -1 }],
  ['an infinite number of cores', { ...READY, environment: { ...TEST_GENERATOR, cores: Infinity } }],
  ['negative counts', { kind: 'counts', finished: -1, failed: 0 }],
  ['a count above the largest safe integer', { kind: 'counts', finished: UNSAFE, failed: 0 }],
  ['a fraction as a count', { kind: 'counts', finished: 1, failed: 0.5 }],
  ['infinite counts', { kind: 'counts', finished: Infinity, failed: 0 }],
  ['a negative total', { ...FINAL, totals: { ...EMPTY_TOTALS, started: -1 } }],
  ['a total above the largest safe integer', { ...FINAL, totals: { ...EMPTY_TOTALS, bytesSent: UNSAFE } }],
  ['an unknown member in its totals', { ...FINAL, totals: { ...EMPTY_TOTALS, more: 1 } }],
  ['a start lateness of 1e300 ms', { ...FINAL, startLatenessMs: 1e300 }],
  ['an unknown reason for the end', { ...FINAL, endedBy: 'luck' }],
  ['a negative thread index', { ...PROGRESS, lost: [-1] }],
  ['200,000 lost threads', { ...PROGRESS, lost: Array.from({ length: 200_000 }, () => 0) }],
  [
    'a thread that ran for 1e18 ms',
    { ...PROGRESS, done: [{ shard: 0, time: { elapsed: 1e18, loaded: 0 } }] },
  ],
  ['an exchange of an unknown URL', { ...PROGRESS, exchanges: [{ ...EXCHANGE, target: 1 }] }],
  ['an exchange of negative size', { ...PROGRESS, exchanges: [{ ...EXCHANGE, bytes: -1 }] }],
  ['an exchange whose body exceeds 1 MiB', { ...PROGRESS, exchanges: [{ ...EXCHANGE, requestBody: LONG }] }],
  ['1,001 exchanges', { ...PROGRESS, exchanges: Array.from({ length: 1001 }, () => EXCHANGE) }],
])('a worker message with %s is refused', (_, header) => {
  expect(decodeMessage(encodeHeader(header), SHAPE)).toBeNull();
});

/** Returns one recorded time in µs with another sum. */
function timesOf(micros: number, sum: number): Histogram {
  const times = Histogram.createRecorder();
  times.record(micros);
  times.sum = sum;
  return times;
}

const errorsOf = (names: number, length = 8): Record<string, number> =>
  Object.fromEntries(Array.from({ length: names }, (_, index) => [String(index).padEnd(length, 'x'), 1]));

test.each([
  ['2,001 error names', { network: errorsOf(2001) }, {}],
  ['an error name of 65,537 characters', { protocol: errorsOf(1, 65_537) }, {}],
  ['2,001 different violations of expectations', { unexpected: errorsOf(2001) }, {}],
  ['an infinite request rate correction', {}, { surplus: Infinity }],
  ['a time that is not a number', {}, { until: NaN }],
  ['a time of 1e300 ms', {}, { until: 1e300 }],
  ['a request rate correction of -8e18', {}, { surplus: -8e18 }],
  ['a negative number of received bytes', { bytesReceived: -1e15 }, {}],
  ['a negative number of timeouts', { timeoutResponse: -1 }, {}],
  ['a negative number of requests that were not started', { saturated: -1 }, {}],
  ['a time after the end of the run', {}, { until: 1e9 }],
  ['a negative stall', {}, { thread: { ...STALL_FREE_SECOND, stalledMs: -1e15 } }],
  ['a negative utilization', {}, { thread: { ...STALL_FREE_SECOND, busy: -1 } }],
  ['1e15 connections', {}, { connections: 1e15 }],
  ['a sum of times above the maximum', { response: timesOf(1000, 1_000_000) }, {}],
  ['a sum of times below the minimum', { response: timesOf(1000, 10) }, {}],
])('a snapshot with %s is refused', (_, tallyChanges, snapshotChanges) => {
  const tally = { ...createTally('record', true), ...tallyChanges };
  const message = { ...PROGRESS, snapshots: [snapshotOf(0, 0, [tally], snapshotChanges)] };
  expect(decodeMessage(encodeMessage(message), SHAPE)).toBeNull();
});

test.each([
  ['a start time that is not a number', { kind: 'start', startAt: 'now' }],
  ['an infinite start time', { kind: 'start', startAt: Infinity }],
  ['an acknowledgment for an invalid worker ID', { kind: 'acknowledged', merged: { a: 1 }, stop: null }],
  ['a fraction as a sequence number', { kind: 'acknowledged', merged: { [WORKER_ID]: 0.5 }, stop: null }],
  ['a drain of more than 10 minutes', { kind: 'stop', stop: { ...STOP, drainMs: 600_001 } }],
  ['an unknown stop reason', { kind: 'stop', stop: { ...STOP, reason: 'boredom' } }],
])('a service message with %s is refused', (_, message) => {
  expect(readServiceMessage(bytes(message))).toBeNull();
});

test.each([
  ['no thread shard', { threadShards: [] }],
  ['a run of more than 24 hours', { job: { ...JOB, duration: 86_400_001 } }],
  ['a flow without requests', { job: { ...JOB, flows: [{ name: 'a', weight: 1, urls: 0 }] } }],
  [
    'a group of more than 100,000 repetitions',
    { job: { ...JOB, groups: [{ first: 0, count: 1, repeat: 100_001 }] } },
  ],
  ['no URL', { job: { ...JOB, targets: [] } }],
  ['101 URLs', { job: { ...JOB, targets: Array.from({ length: 101 }, () => targetOf(80)) } }],
  ['port 0', { job: { ...JOB, targets: [targetOf(0)] } }],
  ['an unknown method', { job: { ...JOB, targets: [{ ...targetOf(80), method: 'TRACE' }] } }],
  ['a body of more than 1 MiB', { job: { ...JOB, targets: [targetOf(80, { body: textBody(LONG) })] } }],
  ['an unknown member', { job: { ...JOB, more: 1 } }],
])('an offer with %s is refused', (_, change) => {
  expect(readOffer(bytes({ ...offerOf(JOB), ...change }))).toBeNull();
});

test.each([
  ['no chunk', { chunks: [] }],
  ['1,025 chunks', { chunks: Array.from({ length: 1025 }, () => '0'.repeat(32)) }],
  ['a path in place of a chunk key', { chunks: ['../workers'] }],
])('an offer reference with %s is refused', (_, change) => {
  const reference = { kind: 'offer', runId: 'run-1', ...change };
  expect(readMailboxMessage(bytes(reference))).toBeNull();
});

test('every function that reads cluster messages rejects arbitrary text without throwing an exception', () => {
  const arbitraryText = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((text) => text.slice(1)),
  );
  fc.assert(
    fc.property(arbitraryText, (text) => {
      const body = Buffer.from(text);
      const readers = [readOffer, readMailboxMessage, readServiceMessage, readHeartbeat];
      expect(readers.map((read) => read(body))).toEqual(readers.map(() => null));
      const length = Buffer.alloc(4);
      length.writeUInt32BE(body.length);
      expect(decodeMessage(Buffer.concat([length, body]), SHAPE)).toBeNull();
    }),
  );
});

/** What workers tell is taken in the shape that is expected, and as nothing at all in any other. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isEnvelope,
  readOffer,
  readWorkerMessage,
  readCommandKind,
  readHeartbeat,
  readServiceMessage,
} from '../../../src/cluster/message-validation.ts';
import { EMPTY_TOTALS } from '../../../src/cluster/shard-totals.ts';
import { encodeMessage, decodeMessage } from '../../../src/cluster/message-codec.ts';
import type { WorkerMessage, ServiceMessage } from '../../../src/cluster/cluster-messages.ts';
import { snapshotShapeOf } from '../../../src/core/load/snapshot-codec.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { TEST_GENERATOR } from '../../support/snapshots.ts';

const SHAPE = snapshotShapeOf(jobOf([targetOf(80)]), 1);

const OF_WORKERS: readonly WorkerMessage[] = [
  { kind: 'ready', name: 'one', uncertaintyMs: 0.2, surroundings: TEST_GENERATOR },
  { kind: 'refused', reason: 'no room' },
  { kind: 'progress', snapshots: [], exchanges: [], done: [], lost: [2], overloaded: false },
  { kind: 'counts', finished: 3, failed: 1 },
  { kind: 'final', totals: EMPTY_TOTALS, startLatenessMs: null, startUncertaintyMs: 0.1, endedBy: 'lease' },
];

const STOP = { reason: 'stopped', unstarted: 'stopped', drainMs: 100 } as const;
const TO_WORKERS: readonly ServiceMessage[] = [
  { kind: 'start', startAt: 1000.5 },
  { kind: 'acknowledged', merged: { a: 3, b: -1 }, stop: null },
  { kind: 'acknowledged', merged: {}, stop: STOP },
  { kind: 'stop', stop: STOP },
  { kind: 'cancel' },
];

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

test.each(OF_WORKERS)('of a worker: $kind', (message) => {
  expect(decodeMessage(encodeMessage(message), SHAPE)).toEqual(message);
});

test.each(TO_WORKERS)('of the service: $kind', (message) => {
  expect(readServiceMessage(bytes(message))).toEqual(message);
});

const withoutOne = (message: object) =>
  Object.keys(message).map((left) =>
    Object.fromEntries(Object.entries(message).filter(([key]) => key !== left)),
  );

test('nothing may be left out', () => {
  for (const message of OF_WORKERS) {
    const fields = withoutOne(message).filter(
      (some) => !('kind' in some) || message.kind !== 'progress' || 'slices' in some,
    );
    for (const some of fields) expect([some, readWorkerMessage(bytes(some))]).toEqual([some, null]);
  }
  for (const message of TO_WORKERS.flatMap(withoutOne)) {
    expect([message, readServiceMessage(bytes(message))]).toEqual([message, null]);
  }
});

test('no text is more than nothing, and none ends its reader', () => {
  const anyText = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((text) => text.slice(1)),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      const body = Buffer.from(text);
      const readers = [readOffer, readServiceMessage, readWorkerMessage, readHeartbeat];
      expect(readers.map((read) => read(body))).toEqual(readers.map(() => null));
      expect(['string', 'object']).toContain(typeof readCommandKind(body));
      expect(isEnvelope(text)).toBe(false);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(body.length);
      expect(decodeMessage(Buffer.concat([length, body]), SHAPE)).toBeNull();
    }),
  );
});

/** What workers tell is taken in the shape that is expected, and as nothing at all in any other. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isEnvelope,
  readOffer,
  readOfWorker,
  readOrder,
  readPresence,
  readToWorkers,
} from '../../../src/cluster/read-messages.ts';
import { NO_SUMS } from '../../../src/cluster/part-sums.ts';
import { packMessage, unpackMessage } from '../../../src/cluster/told-codec.ts';
import type { OfWorker, ToWorkers } from '../../../src/cluster/messages.ts';
import { shapeOfSlices } from '../../../src/core/load/slice-codec.ts';
import { jobOf, targetOf } from '../../rig/engine.ts';
import { NOBODY } from '../../rig/slices.ts';

const SHAPE = shapeOfSlices(jobOf([targetOf(80)]), 1);

const OF_WORKERS: readonly OfWorker[] = [
  { kind: 'ready', name: 'one', uncertaintyMs: 0.2, surroundings: NOBODY },
  { kind: 'refused', reason: 'no room' },
  { kind: 'told', slices: [], exchanges: [], done: [], lost: [2], overloaded: false },
  { kind: 'pulse', finished: 3, failed: 1 },
  { kind: 'closed', sums: NO_SUMS, startedLate: null, startUncertainty: 0.1, endedBy: 'lease' },
];

const STOP = { reason: 'stopped', unstarted: 'stopped', drainMs: 100 } as const;
const TO_WORKERS: readonly ToWorkers[] = [
  { kind: 'go', startAt: 1000.5 },
  { kind: 'acknowledged', merged: { a: 3, b: -1 }, stop: null },
  { kind: 'acknowledged', merged: {}, stop: STOP },
  { kind: 'stop', stop: STOP },
  { kind: 'cancel' },
];

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

test.each(OF_WORKERS)('of a worker: $kind', (message) => {
  expect(unpackMessage(packMessage(message), SHAPE)).toEqual(message);
});

test.each(TO_WORKERS)('of the service: $kind', (message) => {
  expect(readToWorkers(bytes(message))).toEqual(message);
});

const withoutOne = (message: object) =>
  Object.keys(message).map((left) =>
    Object.fromEntries(Object.entries(message).filter(([key]) => key !== left)),
  );

test('nothing may be left out', () => {
  for (const message of OF_WORKERS) {
    const fields = withoutOne(message).filter(
      (some) => !('kind' in some) || message.kind !== 'told' || 'slices' in some,
    );
    for (const some of fields) expect([some, readOfWorker(bytes(some))]).toEqual([some, null]);
  }
  for (const message of TO_WORKERS.flatMap(withoutOne)) {
    expect([message, readToWorkers(bytes(message))]).toEqual([message, null]);
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
      const readers = [readOffer, readToWorkers, readOfWorker, readPresence];
      expect(readers.map((read) => read(body))).toEqual(readers.map(() => null));
      expect(['string', 'object']).toContain(typeof readOrder(body));
      expect(isEnvelope(text)).toBe(false);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(body.length);
      expect(unpackMessage(Buffer.concat([length, body]), SHAPE)).toBeNull();
    }),
  );
});

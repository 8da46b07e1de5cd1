/** Messages of the expected shape are accepted, and all others are rejected as null. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  readOffer,
  readWorkerMessage,
  readHeartbeat,
  readMailboxMessage,
  readServiceMessage,
} from '../../../src/cluster/message-validation.ts';
import { EMPTY_TOTALS } from '../../../src/cluster/shard-totals.ts';
import { encodeMessage, decodeMessage } from '../../../src/cluster/message-codec.ts';
import type { MailboxMessage, ServiceMessage, WorkerMessage } from '../../../src/cluster/cluster-messages.ts';
import { snapshotShapeOf } from '../../../src/core/load/snapshot-codec.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { TEST_GENERATOR } from '../../support/snapshots.ts';

const SHAPE = snapshotShapeOf(jobOf([targetOf(80)]), 1);

const WORKER_MESSAGES: readonly WorkerMessage[] = [
  { kind: 'ready', name: 'one', uncertaintyMs: 0.2, surroundings: TEST_GENERATOR },
  { kind: 'refused', reason: 'no room' },
  { kind: 'progress', snapshots: [], exchanges: [], done: [], lost: [2], overloaded: false },
  { kind: 'counts', finished: 3, failed: 1 },
  { kind: 'final', totals: EMPTY_TOTALS, startLatenessMs: null, startUncertaintyMs: 0.1, endedBy: 'lease' },
];

const STOP = { reason: 'stopped', unstarted: 'stopped', drainMs: 100 } as const;
const SERVICE_MESSAGES: readonly ServiceMessage[] = [
  { kind: 'start', startAt: 1000.5 },
  { kind: 'acknowledged', merged: { a: 3, b: -1 }, stop: null },
  { kind: 'acknowledged', merged: {}, stop: STOP },
  { kind: 'stop', stop: STOP },
  { kind: 'cancel' },
];

const MAILBOX_MESSAGES: readonly MailboxMessage[] = [
  { kind: 'offer', runId: 'run-1', chunks: ['0123456789abcdef0123456789abcdef'] },
  { kind: 'drain' },
];

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

test.each(WORKER_MESSAGES)('the service decodes a worker message of kind "$kind" unchanged', (message) => {
  expect(decodeMessage(encodeMessage(message), SHAPE)).toEqual(message);
});

test.each(SERVICE_MESSAGES)('a worker reads a service message of kind "$kind" unchanged', (message) => {
  expect(readServiceMessage(bytes(message))).toEqual(message);
});

test.each(MAILBOX_MESSAGES)('a worker reads a mailbox message of kind "$kind" unchanged', (message) => {
  expect(readMailboxMessage(bytes(message))).toEqual(message);
});

const withoutOneMember = (message: object) =>
  Object.keys(message).map((omitted) =>
    Object.fromEntries(Object.entries(message).filter(([key]) => key !== omitted)),
  );

test('a message that lacks a member is rejected', () => {
  for (const message of WORKER_MESSAGES) {
    const variants = withoutOneMember(message).filter(
      (variant) => !('kind' in variant) || message.kind !== 'progress' || 'snapshots' in variant,
    );
    for (const variant of variants)
      expect([variant, readWorkerMessage(bytes(variant))]).toEqual([variant, null]);
  }
  for (const message of SERVICE_MESSAGES.flatMap(withoutOneMember)) {
    expect([message, readServiceMessage(bytes(message))]).toEqual([message, null]);
  }
  for (const message of MAILBOX_MESSAGES.flatMap(withoutOneMember)) {
    expect([message, readMailboxMessage(bytes(message))]).toEqual([message, null]);
  }
});

test('arbitrary text is rejected by every reader without an exception', () => {
  const arbitraryText = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((text) => text.slice(1)),
  );
  fc.assert(
    fc.property(arbitraryText, (text) => {
      const body = Buffer.from(text);
      const readers = [readOffer, readMailboxMessage, readServiceMessage, readWorkerMessage, readHeartbeat];
      expect(readers.map((read) => read(body))).toEqual(readers.map(() => null));
      const length = Buffer.alloc(4);
      length.writeUInt32BE(body.length);
      expect(decodeMessage(Buffer.concat([length, body]), SHAPE)).toBeNull();
    }),
  );
});

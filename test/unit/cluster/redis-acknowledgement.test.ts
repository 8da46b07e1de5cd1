import { expect, test } from 'vitest';
import { AcknowledgedTimes } from '../../support/acknowledged-snapshots.ts';

const ack = (merged: Record<string, number>) => ({ kind: 'acknowledged', merged, stop: null }) as const;

test('the acknowledged time is the arrival time of the newest snapshot that was acknowledged', () => {
  const times = new AcknowledgedTimes();
  times.acknowledge({ kind: 'start', startAt: 1000 }, 0);
  times.arrived('one', 1, 2150);
  times.arrived('two', 1, 2160);
  times.arrived('one', 2, 3150);
  times.acknowledge(ack({ one: 1, two: 1 }), 2300);
  expect(times.newest()).toBe(2160);
});

test('the acknowledged time is the arrival time of a snapshot even if its acknowledgment is observed before its arrival', () => {
  const times = new AcknowledgedTimes();
  times.acknowledge(ack({ one: 1 }), 2300);
  times.arrived('one', 1, 2250);
  expect(times.newest()).toBe(2250);
});

test('if Redis trims a snapshot before the snapshot is read, the acknowledged time is the time of its first acknowledgment', () => {
  const times = new AcknowledgedTimes();
  times.arrived('one', 1, 2150);
  times.acknowledge(ack({ one: 1 }), 2300);
  times.acknowledge(ack({ one: 2 }), 3300);
  times.acknowledge(ack({ one: 2 }), 3550);
  expect(times.newest()).toBe(3300);
});

test('if a snapshot is sent twice, the acknowledged time is the time of its first arrival', () => {
  const times = new AcknowledgedTimes();
  times.arrived('one', 1, 2150);
  times.arrived('one', 1, 9000);
  times.acknowledge(ack({ one: 1 }), 2300);
  expect(times.newest()).toBe(2150);
});

test('without an acknowledged snapshot, the acknowledged time is 0 before the run starts, and the start time afterward', () => {
  const times = new AcknowledgedTimes();
  times.acknowledge(ack({ one: -1 }), 900);
  expect(times.newest()).toBe(0);
  times.acknowledge({ kind: 'start', startAt: 1000 }, 0);
  expect(times.newest()).toBe(1000);
});

test('after Redis loses data, the acknowledged time is the time of the loss', () => {
  const times = new AcknowledgedTimes();
  times.arrived('one', 1, 2150);
  times.acknowledge(ack({ one: 1 }), 2300);
  times.lost(3400);
  expect(times.newest()).toBe(3400);
});

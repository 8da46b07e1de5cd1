/** Whoever judges leases by what it reads in Redis takes no acknowledged second for an older one. */
import { expect, test } from 'vitest';
import { AcknowledgedTimes } from '../../support/acknowledged-snapshots.ts';

const ack = (merged: Record<string, number>) => ({ kind: 'acknowledged', merged, stop: null }) as const;

test('the newest second counts from when it arrived, not from when it was acknowledged', () => {
  const seen = new AcknowledgedTimes();
  seen.acknowledge({ kind: 'start', startAt: 1000 }, 0);
  seen.arrived('one', 1, 2150);
  seen.arrived('two', 1, 2160);
  seen.arrived('one', 2, 3150);
  seen.acknowledge(ack({ one: 1, two: 1 }), 2300);
  expect(seen.newest()).toBe(2160);
});

test('it may be seen only after its acknowledgement was', () => {
  const seen = new AcknowledgedTimes();
  seen.acknowledge(ack({ one: 1 }), 2300);
  seen.arrived('one', 1, 2250);
  expect(seen.newest()).toBe(2250);
});

test('one that was trimmed before anybody saw it arrived by its first acknowledgement', () => {
  const seen = new AcknowledgedTimes();
  seen.arrived('one', 1, 2150);
  seen.acknowledge(ack({ one: 1 }), 2300);
  seen.acknowledge(ack({ one: 2 }), 3300);
  seen.acknowledge(ack({ one: 2 }), 3550);
  expect(seen.newest()).toBe(3300);
});

test('one that is sent once more arrived when it came first', () => {
  const seen = new AcknowledgedTimes();
  seen.arrived('one', 1, 2150);
  seen.arrived('one', 1, 9000);
  seen.acknowledge(ack({ one: 1 }), 2300);
  expect(seen.newest()).toBe(2150);
});

test('before its start, and of a worker that has told nothing, nothing counts', () => {
  const seen = new AcknowledgedTimes();
  seen.acknowledge(ack({ one: -1 }), 900);
  expect(seen.newest()).toBe(0);
  seen.acknowledge({ kind: 'start', startAt: 1000 }, 0);
  expect(seen.newest()).toBe(1000);
});

test('a Redis that has forgotten all may have acknowledged until then', () => {
  const seen = new AcknowledgedTimes();
  seen.arrived('one', 1, 2150);
  seen.acknowledge(ack({ one: 1 }), 2300);
  seen.lost(3400);
  expect(seen.newest()).toBe(3400);
});

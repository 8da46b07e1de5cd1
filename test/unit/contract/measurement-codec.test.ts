/** Codec of the load generator's metrics in a result. */
import { describe, expect, it } from 'vitest';
import { decodeMeasurement, encodeMeasurement } from '../../../src/contract/measurement-codec.ts';
import type { GeneratorMachine, LoadDelivery } from '../../../src/core/load/run-report.ts';

const OPEN: LoadDelivery = {
  model: 'open',
  due: 100,
  late: 7,
  neverStarted: 3,
  lagP99: 1.5,
  lagMax: 12,
  worstWindow: { second: 4, due: 20, neverStarted: 2 },
};

const MACHINE: GeneratorMachine = {
  cores: 2,
  quota: 0.5,
  threadReason: null,
  node: 'v24.0.0',
  measurementVersion: 4,
  threadLoads: [{ mean: 0.5, max: 0.9 }],
  seconds: 10,
  longestStall: 180,
  stalledSeconds: [{ tolerance: 5, seconds: 3 }],
};

function encode(delivery: LoadDelivery) {
  // Only these fields of a report are encoded.
  const report = { bounds: {}, delivery, machine: MACHINE, abortCertain: null };
  return encodeMeasurement(report as unknown as Parameters<typeof encodeMeasurement>[0]);
}

describe('measurement codec', () => {
  it.each<LoadDelivery>([OPEN, { model: 'closed', heldShare: 0.97 }])(
    'the load generator metrics of a run with the $model load model survive a round trip',
    (delivery) => {
      const record = { result_id: 'r1', ...encode(delivery) } as Parameters<typeof decodeMeasurement>[0];
      expect(decodeMeasurement(record)).toEqual({
        bounds: {},
        delivery,
        machine: MACHINE,
        abortCertain: null,
      });
    },
  );

  it('the JSON of a result uses the documented names of delivery metrics', () => {
    expect(encode(OPEN)).toMatchObject({
      delivery: { model: 'open', never_started: 3, worst_window: { second: 4, due: 20, never_started: 2 } },
      machine: { thread_loads: [{ mean: 0.5, max: 0.9 }] },
    });
    expect(encode({ model: 'closed', heldShare: 0.97 }).delivery).toEqual({
      model: 'closed',
      held_share: 0.97,
    });
  });
});

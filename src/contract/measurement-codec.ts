/**
 * Encoders for extensions of results: bounds, load delivery, machine and workers.
 *
 * @see docs/internals/results.md
 */
import type { LoadDelivery } from '../core/load/run-report.ts';
import type { Bounds } from '../core/model/sample.ts';
import type { MachineRecord, WorkerRecord } from '../core/run-record/run-record.ts';

type Window = NonNullable<Extract<LoadDelivery, { model: 'open' }>['worstWindow']>;

export function encodeBounds(bounds: Bounds) {
  return Object.fromEntries(
    Object.entries(bounds).map(([metric, { low, high }]) => [
      metric,
      { low: roundValues(low), high: high === null ? null : roundValues(high) },
    ]),
  );
}

export function encodeDelivery(delivery: LoadDelivery) {
  if (delivery.model === 'closed') return { model: delivery.model, held_share: delivery.heldShare };
  const { model, due, late, neverStarted, lagP99, lagMax, worstWindow } = delivery;
  return {
    model,
    due,
    late,
    never_started: neverStarted,
    lag_p99_ms: roundValues(lagP99),
    lag_max_ms: roundValues(lagMax),
    worst_window: worstWindow && encodeWindow(worstWindow),
  };
}

function encodeWindow({ second, due, neverStarted }: Window) {
  return { second, due, never_started: neverStarted };
}

export function encodeMachine(machine: MachineRecord) {
  const {
    cores,
    quota,
    threadReason,
    node,
    measurementVersion,
    threadLoads,
    seconds,
    longestStall,
    stalledSeconds,
  } = machine;
  return {
    cores,
    quota,
    node,
    measurement_version: measurementVersion,
    seconds,
    thread_reason: threadReason,
    thread_loads: threadLoads.map(({ mean, max }) => ({ mean: roundValues(mean), max: roundValues(max) })),
    longest_stall_ms: longestStall && roundValues(longestStall),
    stalled_seconds: stalledSeconds.map(({ tolerance, seconds }) => ({ tolerance_ms: tolerance, seconds })),
  };
}

export function encodeWorker(worker: WorkerRecord) {
  const { name, threads, started, finished, lagP99, startSkew, clockUncertainty, lossReason } = worker;
  return {
    name,
    threads,
    started,
    finished,
    lag_p99_ms: lagP99 && roundValues(lagP99),
    start_skew_ms: startSkew && roundValues(startSkew),
    clock_uncertainty_ms: clockUncertainty && roundValues(clockUncertainty),
    lost: lossReason,
  };
}

function roundValues(value: number): number {
  return Math.round(value * 1000) / 1000;
}

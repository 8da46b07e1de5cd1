/**
 * Codec of the load generator's metrics in a result: bounds, delivery of the load, and machine. These are
 * extensions.
 *
 * @see docs/internals/results.md
 */
import type {
  Bounds,
  Interval,
  GeneratorMachine,
  LoadDelivery,
  RunReport,
  WorkerReport,
} from '../core/load/run-report.ts';
import type { GeneratorRecord } from '../core/model/run-result.ts';
import { THREAD_REASONS } from '../core/load/thread-count.ts';
import { RESULT_METRICS } from '../core/model/threshold.ts';
import { isObject, objectOf } from '../core/unknown-value.ts';
import type { ResultRecord } from './generated/result-record.ts';
import { readNumber } from './wire-values.ts';

type Wire = Readonly<Record<string, unknown>>;
type Window = NonNullable<Extract<LoadDelivery, { model: 'open' }>['worstWindow']>;

export function encodeMeasurement({ bounds, delivery, machine, abortCertain }: RunReport) {
  return {
    bounds: encodeBounds(bounds),
    delivery: delivery && encodeDeliveredLoad(delivery),
    machine: machine && encodeMachine(machine),
    abort_certain: abortCertain,
  };
}

export function encodeBounds(bounds: Bounds) {
  return Object.fromEntries(
    Object.entries(bounds).map(([metric, { low, high }]) => [
      metric,
      { low: roundValues(low), high: high === null ? null : roundValues(high) },
    ]),
  );
}

function encodeDeliveredLoad(delivery: LoadDelivery) {
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

function encodeMachine(machine: GeneratorMachine) {
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
    longest_stall_ms: roundValues(longestStall),
    stalled_seconds: stalledSeconds.map(({ tolerance, seconds }) => ({ tolerance_ms: tolerance, seconds })),
  };
}

export function encodeWorker(worker: WorkerReport) {
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

/** Decodes the load generator's metrics; null if the record has none. Invalid members are omitted. */
export function decodeMeasurement(record: ResultRecord): GeneratorRecord | null {
  const bounds = decodeBounds(record.bounds);
  if (bounds === null) return null;
  return {
    bounds,
    delivery: decodeDeliveredLoad(record.delivery),
    machine: decodeMachine(record.machine),
    abortCertain: typeof record.abort_certain === 'boolean' ? record.abort_certain : null,
  };
}

/** Decodes bounds; null if absent. */
export function decodeBounds(value: unknown): Bounds | null {
  if (!isObject(value)) return null;
  const bounds: Record<string, Interval> = {};
  for (const metric of Object.keys(RESULT_METRICS)) {
    const interval = objectOf(value[metric]);
    const low = readNumber(interval['low']);
    if (low === null) continue;
    const high = readNumber(interval['high']);
    if (high !== null || interval['high'] === null) bounds[metric] = { low, high };
  }
  return bounds;
}

function decodeDeliveredLoad(wire: unknown): LoadDelivery | null {
  if (!isObject(wire)) return null;
  const heldShare = readNumber(wire['held_share']);
  if (heldShare !== null) return { model: 'closed', heldShare };
  const [due, neverStarted] = [readNumber(wire['due']), readNumber(wire['never_started'])];
  if (due === null || neverStarted === null) return null;
  return {
    model: 'open',
    due,
    neverStarted,
    late: readNumber(wire['late']) ?? 0,
    lagP99: readNumber(wire['lag_p99_ms']) ?? 0,
    lagMax: readNumber(wire['lag_max_ms']) ?? 0,
    worstWindow: decodeWindow(objectOf(wire['worst_window'])),
  };
}

function decodeWindow(wire: Wire): Window | null {
  const [second, due, neverStarted] = ['second', 'due', 'never_started'].map((name) =>
    readNumber(wire[name]),
  );
  return typeof second === 'number' && typeof due === 'number' && typeof neverStarted === 'number'
    ? { second, due, neverStarted }
    : null;
}

function decodeMachine(wire: unknown): GeneratorMachine | null {
  if (!isObject(wire)) return null;
  return {
    cores: readNumber(wire['cores']) ?? 0,
    quota: readNumber(wire['quota']),
    threadReason: THREAD_REASONS.find((reason) => reason === wire['thread_reason']) ?? null,
    node: typeof wire['node'] === 'string' ? wire['node'] : '',
    measurementVersion: readNumber(wire['measurement_version']) ?? 0,
    threadLoads: objectsOf(wire['thread_loads']).map((loop) => ({
      mean: readNumber(loop['mean']) ?? 0,
      max: readNumber(loop['max']) ?? 0,
    })),
    seconds: readNumber(wire['seconds']) ?? 0,
    longestStall: readNumber(wire['longest_stall_ms']) ?? 0,
    stalledSeconds: objectsOf(wire['stalled_seconds']).map((one) => ({
      tolerance: readNumber(one['tolerance_ms']) ?? 0,
      seconds: readNumber(one['seconds']) ?? 0,
    })),
  };
}

function objectsOf(value: unknown): readonly Wire[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function roundValues(value: number): number {
  return Math.round(value * 1000) / 1000;
}

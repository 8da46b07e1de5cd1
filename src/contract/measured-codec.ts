/**
 * Wire ↔ what a record says of its generator: the ends of its figures, the load that was offered, the machine.
 *
 * Source: docs/design/results.md; an extension, which other services do not have.
 */
import type { Bounds, Interval, Machine, Offered, RunReport, WorkerReport } from '../core/load/report.ts';
import type { Measured } from '../core/model/run.ts';
import { THREAD_REASONS } from '../core/load/threads.ts';
import { FIGURES } from '../core/model/threshold.ts';
import type { ResultRecord } from './generated/result-record.ts';
import { readNumber } from './wire.ts';

type Wire = Readonly<Record<string, unknown>>;

export function encodeMeasured({ bounds, offered, machine, abortCertain }: RunReport) {
  return {
    bounds: encodeBounds(bounds),
    offered: offered && encodeOffered(offered),
    machine: machine && encodeMachine(machine),
    abort_certain: abortCertain,
  };
}

export function encodeBounds(bounds: Bounds) {
  return Object.fromEntries(
    Object.entries(bounds).map(([metric, { low, high }]) => [
      metric,
      { low: rounded(low), high: high === null ? null : rounded(high) },
    ]),
  );
}

function encodeOffered(offered: Offered) {
  if (offered.model === 'closed') return { model: offered.model, held: offered.held };
  const { model, due, late, never, lateP99, lateMax, worstWindow } = offered;
  return {
    ...{ model, due, late, never },
    late_p99_ms: rounded(lateP99),
    late_max_ms: rounded(lateMax),
    worst_window: worstWindow && { ...worstWindow },
  };
}

function encodeMachine(machine: Machine) {
  const { cores, quota, because, node, measuring, loops, seconds, longestStandstill, unquiet } = machine;
  return {
    ...{ cores, quota, node, measuring, seconds },
    threads_because: because,
    loops: loops.map(({ mean, most }) => ({ mean: rounded(mean), most: rounded(most) })),
    longest_standstill_ms: rounded(longestStandstill),
    unquiet: unquiet.map(({ step, seconds }) => ({ step_ms: step, seconds })),
  };
}

export function encodeWorker(worker: WorkerReport) {
  const { name, threads, started, finished, lagP99, startSkew, clockUncertainty, lost } = worker;
  return {
    ...{ name, threads, started, finished },
    lag_p99_ms: lagP99 && rounded(lagP99),
    start_skew_ms: startSkew && rounded(startSkew),
    clock_uncertainty_ms: clockUncertainty && rounded(clockUncertainty),
    lost,
  };
}

/** Null for a record without: of before, or of another service. What cannot be read is left out. */
export function decodeMeasured(record: ResultRecord): Measured | null {
  const bounds = decodeBounds(record.bounds);
  if (bounds === null) return null;
  return {
    bounds,
    offered: decodeOffered(objectOf(record.offered)),
    machine: decodeMachine(objectOf(record.machine)),
    abortCertain: typeof record.abort_certain === 'boolean' ? record.abort_certain : null,
  };
}

/** Null for none. */
export function decodeBounds(value: unknown): Bounds | null {
  const wire = objectOf(value);
  if (wire === null) return null;
  const bounds: Record<string, Interval> = {};
  for (const metric of Object.keys(FIGURES)) {
    const ends = objectOf(wire[metric]);
    const low = readNumber(ends?.['low']);
    if (ends === null || low === null) continue;
    const high = readNumber(ends['high']);
    if (high !== null || ends['high'] === null) bounds[metric] = { low, high };
  }
  return bounds;
}

function decodeOffered(wire: Wire | null): Offered | null {
  if (wire === null) return null;
  const held = readNumber(wire['held']);
  if (held !== null) return { model: 'closed', held };
  const [due, never] = [readNumber(wire['due']), readNumber(wire['never'])];
  if (due === null || never === null) return null;
  return {
    ...{ model: 'open', due, never, late: readNumber(wire['late']) ?? 0 },
    lateP99: readNumber(wire['late_p99_ms']) ?? 0,
    lateMax: readNumber(wire['late_max_ms']) ?? 0,
    worstWindow: decodeWindow(objectOf(wire['worst_window'])),
  };
}

function decodeWindow(wire: Wire | null): Extract<Offered, { model: 'open' }>['worstWindow'] {
  const [second, due, never] = ['second', 'due', 'never'].map((name) => readNumber(wire?.[name]));
  return typeof second === 'number' && typeof due === 'number' && typeof never === 'number'
    ? { second, due, never }
    : null;
}

function decodeMachine(wire: Wire | null): Machine | null {
  if (wire === null) return null;
  return {
    cores: readNumber(wire['cores']) ?? 0,
    quota: readNumber(wire['quota']),
    because: THREAD_REASONS.find((reason) => reason === wire['threads_because']) ?? null,
    node: typeof wire['node'] === 'string' ? wire['node'] : '',
    measuring: readNumber(wire['measuring']) ?? 0,
    loops: objectsOf(wire['loops']).map((loop) => ({
      mean: readNumber(loop['mean']) ?? 0,
      most: readNumber(loop['most']) ?? 0,
    })),
    seconds: readNumber(wire['seconds']) ?? 0,
    longestStandstill: readNumber(wire['longest_standstill_ms']) ?? 0,
    unquiet: objectsOf(wire['unquiet']).map((one) => ({
      step: readNumber(one['step_ms']) ?? 0,
      seconds: readNumber(one['seconds']) ?? 0,
    })),
  };
}

function objectOf(value: unknown): Wire | null {
  // Arrays have none of the members that are read.
  return typeof value === 'object' && value !== null ? (value as Wire) : null;
}

function objectsOf(value: unknown): readonly Wire[] {
  return Array.isArray(value) ? value.map(objectOf).filter((one) => one !== null) : [];
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

import { counted, withCommas } from '../counted.ts';
import { intervalText } from '../model/metric-text.ts';
import { BUSY_THRESHOLD, stallToleranceFor, STALL_TOLERANCES } from '../load/stall-tolerance.ts';
import type { Interval } from '../model/sample.ts';
import type { MachineRecord, RunRecord } from '../run-record/run-record.ts';
import { kindOf, timeWithin, type Threshold } from '../model/threshold.ts';

/**
 * Maximum fractions of due clients that never started, in the whole run and in its worst window. If a fraction is
 * higher, the load does not count as delivered.
 */
const MAX_NEVER_STARTED = 0.01;
const MAX_NEVER_STARTED_IN_WINDOW = 0.05;
/** Minimum of `LoadDelivery.heldShare` for a load that counts as delivered. */
const MIN_HELD_SHARE = 0.99;

/** Beginning of all texts that `shortfallText` returns. */
export const NOT_DELIVERED = 'the load generator did not deliver the declared load';

/** Describes load that was not delivered; null if the load counts as delivered, or if `delivery` is null. */
export function shortfallText({ delivery, machine }: Pick<RunRecord, 'delivery' | 'machine'>): string | null {
  if (delivery === null) return null;
  if (delivery.model === 'closed') {
    if (delivery.heldShare >= MIN_HELD_SHARE) return null;
    const percent = Number((100 * delivery.heldShare).toFixed(1));
    return `${NOT_DELIVERED}: clients were active for only ${percent}% of the scheduled time${causeText(machine)}`;
  }
  const { due, neverStarted, worstWindow } = delivery;
  if (neverStarted > MAX_NEVER_STARTED * due) {
    return `${NOT_DELIVERED}: ${withCommas(neverStarted)} of ${counted(due, 'client')} never started${causeText(machine)}`;
  }
  if (worstWindow === null || worstWindow.neverStarted < 2) return null;
  if (worstWindow.neverStarted <= MAX_NEVER_STARTED_IN_WINDOW * worstWindow.due) return null;
  const clients = `${withCommas(worstWindow.neverStarted)} of ${counted(worstWindow.due, 'client')} due within five seconds`;
  return `${NOT_DELIVERED}: ${clients} never started${causeText(machine)}`;
}

/** Explains why a threshold whose value is within the bounds of its metric is inconclusive. */
export function uncertaintyText(
  threshold: Threshold,
  bounds: Interval,
  machine: MachineRecord | null,
): string {
  const range = intervalText(threshold.metric, bounds);
  const isTime = kindOf(threshold.metric) === 'time';
  const within = timeWithin(threshold.metric);
  const tolerance =
    isTime || within !== null ? stallToleranceFor(within ?? threshold.value) : STALL_TOLERANCES[0];
  const why =
    busyText(machine) ??
    stallText(machine, tolerance) ??
    (within === null
      ? 'the load generator cannot measure more precisely'
      : 'response times are recorded with a precision of 0.8%');
  return `${range}: ${why}`;
}

function maxThreadLoad({ threadLoads }: MachineRecord): number {
  return Math.max(0, ...threadLoads.map(({ mean }) => mean));
}

/** Reports whether at least one thread was busy for more than `BUSY_THRESHOLD` of the time. */
export function isSaturated(machine: MachineRecord): boolean {
  return maxThreadLoad(machine) > BUSY_THRESHOLD;
}

/** Describes a saturated load generator; null if the load generator was not saturated, or if `machine` is null. */
export function busyText(machine: MachineRecord | null): string | null {
  if (machine === null || !isSaturated(machine)) return null;
  const { length } = machine.threadLoads;
  const thread = length === 1 ? 'its thread' : `the busiest of its ${length} threads`;
  const busy = `${thread} was busy ${Math.round(100 * maxThreadLoad(machine))}% of the time`;
  return `the load generator was saturated: ${busy}${quotaText(machine)}`;
}

function quotaText({ cores, quota }: MachineRecord): string {
  if (quota === null || quota >= (cores ?? 0)) return '';
  return `, with a CPU quota of ${quota === 1 ? '1 core' : `${Number(quota.toFixed(2))} cores`}`;
}

/**
 * Describes stalls: `the load generator stalled for up to 180 ms in 3 of 8 seconds`. Returns null if there are none.
 * @param step - tolerance in ms; only seconds with a longer stall are counted
 */
function stallText(machine: MachineRecord | null, step: number): string | null {
  if (machine === null) return null;
  const stalled = machine.stalledSeconds.find((one) => one.tolerance === step && one.seconds > 0);
  if (stalled === undefined) return null;
  const longest = withCommas(Math.round(machine.longestStall ?? 0));
  const seconds = `${stalled.seconds} of ${counted(machine.seconds ?? 0, 'second')}`;
  return `the load generator stalled for up to ${longest} ms in ${seconds}${quotaText(machine)}`;
}

function causeText(machine: MachineRecord | null): string {
  const why = busyText(machine) ?? stallText(machine, STALL_TOLERANCES[0]);
  return why === null ? '' : `; ${why}`;
}

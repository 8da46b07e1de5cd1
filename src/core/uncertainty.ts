/** Why a run, or one of its limits, gets no verdict: what this machine did to it, in words. */
import { counted, withCommas } from './counted.ts';
import { intervalText } from './metric-text.ts';
import { BUSY_THRESHOLD, stallToleranceFor, STALL_TOLERANCES } from './load/stall-tolerance.ts';
import type { Interval, GeneratorMachine } from './load/run-report.ts';
import type { GeneratorRecord } from './model/run-result.ts';
import { kindOf, type Threshold } from './model/threshold.ts';

/** More clients than these shares may not be missing: of all, and of those due in a window, where it has to be two. */
const MAX_NEVER_STARTED = 0.01;
const MAX_NEVER_STARTED_IN_WINDOW = 0.05;
/** Less of the declared connection time than this may not be held. */
const MIN_HELD_SHARE = 0.99;

/** How the reason of a run as a whole begins. */
export const NOT_DELIVERED = 'the declared load was not offered';

const LESS_LOAD_HINT = 'declare less load, or make it on a machine with more cores or less other work';

/** What one may do about a verdict that this machine stood in the way of. */
export function lessLoadHint(machine: GeneratorMachine | null): string {
  if (machine === null || busyText(machine) === null) return LESS_LOAD_HINT;
  const { threadReason, threadLoads, cores, quota } = machine;
  switch (threadReason) {
    case 'asked':
    case 'load':
      return threadLoads.length < Math.floor(Math.min(cores, quota ?? cores))
        ? `declare less load, or let more threads make it, with --threads ${threadLoads.length + 1} or more`
        : LESS_LOAD_HINT;
    case 'target':
      return "declare less load, or make it on another machine than the target's";
    case 'quota':
      return 'declare less load, or allow more CPU time to the container or service that makes it';
    case 'cores':
    case 'runs':
    case null:
      return LESS_LOAD_HINT;
  }
}

/** Why the declared load was not offered; null when it was. */
export function shortfallText({ delivery, machine }: GeneratorRecord): string | null {
  if (delivery === null) return null;
  if (delivery.model === 'closed') {
    if (delivery.heldShare >= MIN_HELD_SHARE) return null;
    const share = Number((100 * delivery.heldShare).toFixed(1));
    return `${NOT_DELIVERED}: clients were there for ${share}% of their time${causeText(machine)}`;
  }
  const { due, neverStarted, worstWindow } = delivery;
  if (neverStarted > MAX_NEVER_STARTED * due) {
    return `${NOT_DELIVERED}: ${withCommas(neverStarted)} of ${counted(due, 'client')} never started${causeText(machine)}`;
  }
  if (worstWindow === null || worstWindow.neverStarted < 2) return null;
  if (worstWindow.neverStarted <= MAX_NEVER_STARTED_IN_WINDOW * worstWindow.due) return null;
  const within = `${withCommas(worstWindow.neverStarted)} of ${counted(worstWindow.due, 'client')} that were due within five seconds`;
  return `${NOT_DELIVERED}: ${within} never started${causeText(machine)}`;
}

/** Why a limit between the two ends of its figure is not judged. */
export function uncertaintyText(
  threshold: Threshold,
  bounds: Interval,
  machine: GeneratorMachine | null,
): string {
  const range = intervalText(threshold.metric, bounds);
  const isTime = kindOf(threshold.metric) === 'time';
  const why =
    busyText(machine) ??
    stallText(machine, isTime ? stallToleranceFor(threshold.value) : STALL_TOLERANCES[0]) ??
    'this machine cannot tell more exactly';
  return `${range}: ${why}`;
}

/** Where this machine was the limit of a closed test; null where it was not. */
export function busyText(machine: GeneratorMachine | null): string | null {
  const { threadLoads = [] } = machine ?? {};
  const busiest = Math.max(0, ...threadLoads.map(({ mean }) => mean));
  if (machine === null || busiest <= BUSY_THRESHOLD) return null;
  const thread = threadLoads.length === 1 ? 'its thread' : `the busiest of its ${threadLoads.length} threads`;
  const busy = `${thread} was busy ${Math.round(100 * busiest)}% of the time`;
  return `this machine was the limit: ${busy}${quotaText(machine)}`;
}

/** Nothing where no quota keeps the process from using all cores. */
function quotaText({ cores, quota }: GeneratorMachine): string {
  if (quota === null || quota >= cores) return '';
  return `, with a CPU quota of ${quota === 1 ? '1 core' : `${Number(quota.toFixed(2))} cores`}`;
}

/** `this machine stood still for up to 180 ms in 3 of 8 seconds`, counted from a step on; null where it did not. */
function stallText(machine: GeneratorMachine | null, step: number): string | null {
  if (machine === null) return null;
  const late = machine.stalledSeconds.find((one) => one.tolerance === step && one.seconds > 0);
  if (late === undefined) return null;
  const longest = withCommas(Math.round(machine.longestStall));
  const share = `${late.seconds} of ${counted(machine.seconds, 'second')}`;
  return `this machine stood still for up to ${longest} ms in ${share}${quotaText(machine)}`;
}

function causeText(machine: GeneratorMachine | null): string {
  const why = busyText(machine) ?? stallText(machine, STALL_TOLERANCES[0]);
  return why === null ? '' : `; ${why}`;
}

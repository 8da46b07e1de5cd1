/** Why a run, or one of its limits, gets no verdict: what this machine did to it, in words. */
import { counted, withCommas } from './counted.ts';
import { intervalText } from './figure-text.ts';
import { BUSY, stepWithin, STEPS } from './load/calmness.ts';
import type { Interval, Machine } from './load/report.ts';
import type { Measured } from './model/run.ts';
import { kindOf, type Threshold } from './model/threshold.ts';

/** More clients than these shares may not be missing: of all, and of those due in a window, where it has to be two. */
const MOST_NEVER = 0.01;
const MOST_NEVER_IN_WINDOW = 0.05;
/** Less of the declared connection time than this may not be held. */
const LEAST_HELD = 0.99;

/** How the reason of a run as a whole begins. */
export const NOT_OFFERED = 'the declared load was not offered';

const LESS_LOAD = 'declare less load, or make it on a machine with more cores or less other work';

/** What one may do about a verdict that this machine stood in the way of. */
export function lessLoadHint(machine: Machine | null): string {
  if (machine === null || busyText(machine) === null) return LESS_LOAD;
  const { because, loops, cores, quota } = machine;
  switch (because) {
    case 'asked':
    case 'load':
      return loops.length < Math.floor(Math.min(cores, quota ?? cores))
        ? `declare less load, or let more threads make it, with --threads ${loops.length + 1} or more`
        : LESS_LOAD;
    case 'target':
      return "declare less load, or make it on another machine than the target's";
    case 'quota':
      return 'declare less load, or allow more CPU time to the container or service that makes it';
    case 'cores':
    case 'runs':
    case null:
      return LESS_LOAD;
  }
}

/** Why the declared load was not offered; null when it was. */
export function shortfallText({ offered, machine }: Measured): string | null {
  if (offered === null) return null;
  if (offered.model === 'closed') {
    if (offered.held >= LEAST_HELD) return null;
    const share = Number((100 * offered.held).toFixed(1));
    return `${NOT_OFFERED}: clients were there for ${share}% of their time${because(machine)}`;
  }
  const { due, never, worstWindow } = offered;
  if (never > MOST_NEVER * due) {
    return `${NOT_OFFERED}: ${withCommas(never)} of ${counted(due, 'client')} never started${because(machine)}`;
  }
  if (worstWindow === null || worstWindow.never < 2) return null;
  if (worstWindow.never <= MOST_NEVER_IN_WINDOW * worstWindow.due) return null;
  const within = `${withCommas(worstWindow.never)} of ${counted(worstWindow.due, 'client')} that were due within five seconds`;
  return `${NOT_OFFERED}: ${within} never started${because(machine)}`;
}

/** Why a limit between the two ends of its figure is not judged. */
export function uncertaintyText(threshold: Threshold, bounds: Interval, machine: Machine | null): string {
  const range = intervalText(threshold.metric, bounds);
  const isTime = kindOf(threshold.metric) === 'time';
  const why =
    busyText(machine) ??
    standstillText(machine, isTime ? stepWithin(threshold.value) : STEPS[0]) ??
    'this machine cannot tell more exactly';
  return `${range}: ${why}`;
}

/** Where this machine was the limit of a closed test; null where it was not. */
export function busyText(machine: Machine | null): string | null {
  const { loops = [] } = machine ?? {};
  const busiest = Math.max(0, ...loops.map(({ mean }) => mean));
  if (machine === null || busiest <= BUSY) return null;
  const thread = loops.length === 1 ? 'its thread' : `the busiest of its ${loops.length} threads`;
  const busy = `${thread} was busy ${Math.round(100 * busiest)}% of the time`;
  return `this machine was the limit: ${busy}${quotaText(machine)}`;
}

/** Nothing where no quota keeps the process from using all cores. */
function quotaText({ cores, quota }: Machine): string {
  if (quota === null || quota >= cores) return '';
  return `, with a CPU quota of ${quota === 1 ? '1 core' : `${Number(quota.toFixed(2))} cores`}`;
}

/** `this machine stood still for up to 180 ms in 3 of 8 seconds`, counted from a step on; null where it did not. */
function standstillText(machine: Machine | null, step: number): string | null {
  if (machine === null) return null;
  const late = machine.unquiet.find((one) => one.step === step && one.seconds > 0);
  if (late === undefined) return null;
  const longest = withCommas(Math.round(machine.longestStandstill));
  const share = `${late.seconds} of ${counted(machine.seconds, 'second')}`;
  return `this machine stood still for up to ${longest} ms in ${share}${quotaText(machine)}`;
}

function because(machine: Machine | null): string {
  const why = busyText(machine) ?? standstillText(machine, STEPS[0]);
  return why === null ? '' : `; ${why}`;
}

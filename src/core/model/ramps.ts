/**
 * Load in stages: the level changes linearly from the end of one stage to the end of the next. The level is
 * the rate of a per-second test, or the number of connections of a cycling test. Exact, and uses no clocks.
 */
import { milliseconds, type Milliseconds } from '../units.ts';

/** A stage, in the form in which a test declares it. */
export interface Stage {
  /** Whole seconds; 0 is a step. */
  readonly duration: Milliseconds;
  /** The level at the end of the stage. */
  readonly to: number;
}

/** A stage with its start time, its initial level, and the clients before it. */
export interface Ramp {
  /** From the start of the run. */
  readonly start: Milliseconds;
  readonly duration: Milliseconds;
  readonly from: number;
  readonly to: number;
  /**
   * Clients that are due before the stage. For a rate this is the area up to its start, which may end in a
   * half; for connections it is the number of started slots.
   */
  readonly before: number;
}

type Level = 'rate' | 'connections';

/** Converts stages to ramps; a step at the very start replaces the initial level. */
export function rampsOf(level: Level, initial: number, stages: readonly Stage[]): readonly Ramp[] {
  const first = stages[0]?.duration === 0 ? stages[0].to : initial;
  const ramps: Ramp[] = [];
  let start = 0;
  let from = first;
  let before = level === 'rate' ? 0 : first;
  for (const { duration, to } of stages.slice(stages[0]?.duration === 0 ? 1 : 0)) {
    ramps.push({ start: milliseconds(start), duration, from, to, before });
    before += level === 'rate' ? areaOf(from, to, duration) : Math.max(0, to - from);
    start += duration;
    from = to;
  }
  return ramps;
}

/** Returns the number of clients that become due during a rate ramp. The number may be fractional, such as 2.5. */
function areaOf(from: number, to: number, duration: number): number {
  return ((from + to) * duration) / 2000;
}

/** Returns the highest level of a test and its duration. */
export function extentOf(
  initial: number,
  stages: readonly Stage[],
): { readonly highest: number; readonly lasts: Milliseconds } {
  const levels = stages.map(({ to }) => to);
  return {
    highest: Math.max(stages[0]?.duration === 0 ? 0 : initial, ...levels),
    lasts: milliseconds(stages.reduce((sum, { duration }) => sum + duration, 0)),
  };
}

/** Returns the number of clients that a rate makes due before the end. */
export function clientsOfRate(ramps: readonly Ramp[]): number {
  const last = ramps.at(-1);
  return last === undefined ? 0 : Math.ceil(last.before + areaOf(last.from, last.to, last.duration));
}

/** Returns how often slots start to work; a slot that stops and starts again counts twice. */
export function countSlotStarts(ramps: readonly Ramp[]): number {
  const last = ramps.at(-1);
  return last === undefined ? 0 : last.before + Math.max(0, last.to - last.from);
}

/**
 * Returns the due time of a client of a rate, in ms: the last instant at which the area equals its number.
 */
export function dueByRate(ramps: readonly Ramp[], client: number): number {
  const { start, duration, from, to, before } = rampOf(ramps, client);
  const area = client - before;
  if (area === 0) return start;
  if (from === to) return start + (area * 1000) / from;
  const slope = ((to - from) * 1000) / duration;
  // If the rate ends at 0, rounding may make the radicand negative.
  const root = Math.sqrt(Math.max(0, from * from + 2 * slope * area));
  return start + Math.min(duration, (2000 * area) / (from + root));
}

/** Estimates the number of clients of a rate that are due at an instant, apart from rounding errors. */
export function estimateByRate(ramps: readonly Ramp[], at: number): number {
  const ramp = ramps.findLast(({ start }) => start <= at);
  if (ramp === undefined) return 0;
  const { from, to, duration, before, start } = ramp;
  const elapsed = Math.min(duration, at - start);
  const level = duration === 0 ? to : from + ((to - from) * elapsed) / duration;
  return before + areaOf(from, level, elapsed);
}

/** Returns the time of a slot start, in ms; the starts of all slots are numbered in order, from 0. */
export function slotStartsAt(ramps: readonly Ramp[], startNumber: number): number {
  const { start, duration, from, to, before } = rampOf(ramps, startNumber);
  // Slots that work from the start.
  return startNumber < before ? 0 : start + ((startNumber - before) * duration) / (to - from);
}

/**
 * Returns the time at which the slot of a start stops, because the level has fallen to it, in ms; null if it
 * works to the end.
 */
export function slotStopsAt(ramps: readonly Ramp[], startNumber: number): number | null {
  const ramp = rampOf(ramps, startNumber);
  const slot = startNumber < ramp.before ? startNumber : ramp.from + startNumber - ramp.before;
  const from = startNumber < ramp.before ? 0 : ramps.indexOf(ramp);
  for (const next of ramps.slice(from)) {
    if (next.to > slot || next.from <= slot) continue;
    return next.start + ((next.from - slot) * next.duration) / (next.from - next.to);
  }
  return null;
}

/** Estimates the number of slot starts up to an instant, apart from rounding errors. */
export function estimateSlotStarts(ramps: readonly Ramp[], at: number): number {
  const ramp = ramps.findLast(({ start }) => start <= at);
  if (ramp === undefined) return 0;
  const { from, to, duration, before, start } = ramp;
  const fraction = duration === 0 ? 1 : Math.min(1, (at - start) / duration);
  return before + Math.max(0, to - from) * fraction;
}

/** Returns the ramp that contains a client number: the last one that starts at or below it. */
function rampOf(ramps: readonly Ramp[], number: number): Ramp {
  const ramp = ramps.findLast(({ before }) => before <= number) ?? ramps[0];
  if (ramp === undefined) throw new Error('Bug: a load without stages');
  return ramp;
}

/**
 * Load in stages, in which the level changes linearly: the rate of a per-second test, or the connections of a cycling
 * test. Areas are computed from integer thousandths of rates, because binary floating-point sums of decimals are
 * inexact.
 */
import { milliseconds, type Milliseconds } from '../units.ts';

export interface Stage {
  /** Duration in whole seconds; 0 means that the level changes immediately. */
  readonly duration: Milliseconds;
  readonly to: number;
}

export interface Ramp {
  /** Start time, from the start of the run. */
  readonly start: Milliseconds;
  readonly duration: Milliseconds;
  readonly from: number;
  readonly to: number;
  /** Number of slot starts before the stage; for rates, the area in units of 1/`AREA_PER_CLIENT` clients. */
  readonly before: number;
}

type Level = 'rate' | 'connections';

export const MAX_LEVEL_DECIMALS = 3;

/** Converts a level to thousandths, rounded to an integer. */
export function thousandths(level: number): number {
  return Math.round(level * 1000);
}

/** Reports whether a level has at most three decimal places. */
export function isExactLevel(level: number): boolean {
  return thousandths(level) / 1000 === level;
}

/** Area for one client in the unit of `areaOf`: rates are in thousandths, and the sum of two rates is not halved. */
const AREA_PER_CLIENT = 2000;

/** Converts stages to ramps. If the first stage has the duration 0, its level replaces the initial level. */
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

/** Returns the area under a rate that changes linearly. */
function areaOf(from: number, to: number, duration: number): number {
  return (thousandths(from) + thousandths(to)) * (duration / 1000);
}

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

export function clientsOfRate(ramps: readonly Ramp[]): number {
  return Math.ceil(rateArea(ramps));
}

/** Returns the area under a varying rate, in clients. */
export function rateArea(ramps: readonly Ramp[]): number {
  const last = ramps.at(-1);
  return last === undefined ? 0 : (last.before + areaOf(last.from, last.to, last.duration)) / AREA_PER_CLIENT;
}

/** Returns the number of slot starts. Each start of a slot counts. */
export function countSlotStarts(ramps: readonly Ramp[]): number {
  const last = ramps.at(-1);
  return last === undefined ? 0 : last.before + Math.max(0, last.to - last.from);
}

/**
 * Returns the due time of a client in ms: the last instant at which the area under the rate equals the client's number.
 */
export function dueByRate(ramps: readonly Ramp[], client: number): number {
  const ramp = rampOf(ramps, client * AREA_PER_CLIENT);
  const { start, duration } = ramp;
  const area = client * AREA_PER_CLIENT - ramp.before;
  if (area === 0) return start;
  const [from, to] = [thousandths(ramp.from), thousandths(ramp.to)];
  // If the rate ends at 0, a rounding error may make the radicand negative.
  const rate =
    from === to ? from : Math.sqrt(Math.max(0, from * from + ((to - from) * area * 1000) / duration));
  return start + Math.min(duration, (area * 1000) / (from + rate));
}

/** Returns the number of clients due at an instant, possibly with a rounding error. */
export function estimateByRate(ramps: readonly Ramp[], at: number): number {
  const ramp = ramps.findLast(({ start }) => start <= at);
  if (ramp === undefined) return 0;
  const { from, to, duration, before, start } = ramp;
  const elapsed = Math.min(duration, at - start);
  const level = duration === 0 ? to : from + ((to - from) * elapsed) / duration;
  return (before + areaOf(from, level, elapsed)) / AREA_PER_CLIENT;
}

/** Returns the time of a slot start, in ms. The starts of all slots are numbered in order, from 0. */
export function slotStartsAt(ramps: readonly Ramp[], startNumber: number): number {
  const { start, duration, from, to, before } = rampOf(ramps, startNumber);
  // Slots that are active before the first stage start at the beginning of the run.
  return startNumber < before ? 0 : start + ((startNumber - before) * duration) / (to - from);
}

/** Returns the time, in ms, at which a slot stops after the given start; null if the slot stops only at the end. */
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

/** Returns the number of slot starts up to an instant, possibly with a rounding error. */
export function estimateSlotStarts(ramps: readonly Ramp[], at: number): number {
  const ramp = ramps.findLast(({ start }) => start <= at);
  if (ramp === undefined) return 0;
  const { from, to, duration, before, start } = ramp;
  const fraction = duration === 0 ? 1 : Math.min(1, (at - start) / duration);
  return before + Math.max(0, to - from) * fraction;
}

/** Returns the last ramp whose `before` is at most the given number, otherwise the first ramp. */
function rampOf(ramps: readonly Ramp[], number: number): Ramp {
  const ramp = ramps.findLast(({ before }) => before <= number) ?? ramps[0];
  if (ramp === undefined) throw new Error('Bug: the list of load stages is empty');
  return ramp;
}

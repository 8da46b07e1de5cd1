/**
 * A pace in stages: the level, which is the rate of a per-second test or the connections of a cycling one, goes
 * linearly from one stage's end to the next one's. Exact, and free of clocks.
 */
import { milliseconds, type Milliseconds } from '../units.ts';

/** As a test declares it. */
export interface Stage {
  /** Whole seconds; 0 is a step. */
  readonly duration: Milliseconds;
  /** The level at its end. */
  readonly to: number;
}

/** A stage with what came before it. */
export interface Ramp {
  /** From the start of the run. */
  readonly start: Milliseconds;
  readonly duration: Milliseconds;
  readonly from: number;
  readonly to: number;
  /** Clients that are due before it: of a rate its area up to here, in halves; of connections those that were begun. */
  readonly before: number;
}

type Level = 'rate' | 'connections';

/** A step at the very start stands for the initial level. */
export function rampsOf(level: Level, initial: number, stages: readonly Stage[]): readonly Ramp[] {
  const begins = stages[0]?.duration === 0 ? stages[0].to : initial;
  const ramps: Ramp[] = [];
  let start = 0;
  let from = begins;
  let before = level === 'rate' ? 0 : begins;
  for (const { duration, to } of stages.slice(stages[0]?.duration === 0 ? 1 : 0)) {
    ramps.push({ start: milliseconds(start), duration, from, to, before });
    before += level === 'rate' ? areaOf(from, to, duration) : Math.max(0, to - from);
    start += duration;
    from = to;
  }
  return ramps;
}

/** Clients that a ramp of a rate makes due, in halves. */
function areaOf(from: number, to: number, lasts: number): number {
  return ((from + to) * lasts) / 2000;
}

/** The highest level of a test, and how long it takes. */
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

/** All clients that a rate makes due before the end. */
export function clientsOfRate(ramps: readonly Ramp[]): number {
  const last = ramps.at(-1);
  return last === undefined ? 0 : Math.ceil(last.before + areaOf(last.from, last.to, last.duration));
}

/** The times that slots begin to work: one that stops and comes again counts twice. */
export function countSlotStarts(ramps: readonly Ramp[]): number {
  const last = ramps.at(-1);
  return last === undefined ? 0 : last.before + Math.max(0, last.to - last.from);
}

/** When a client of a rate is due: the last instant at which the area is its number. In ms. */
export function dueByRate(ramps: readonly Ramp[], client: number): number {
  const { start, duration, from, to, before } = rampOf(ramps, client);
  const area = client - before;
  if (area === 0) return start;
  if (from === to) return start + (area * 1000) / from;
  const slope = ((to - from) * 1000) / duration;
  // Rounding may take what is under the root below 0 where the rate ends at 0.
  const root = Math.sqrt(Math.max(0, from * from + 2 * slope * area));
  return start + Math.min(duration, (2000 * area) / (from + root));
}

/** How many clients of a rate are due up to an instant, but for rounding. */
export function estimateByRate(ramps: readonly Ramp[], at: number): number {
  const ramp = ramps.findLast(({ start }) => start <= at);
  if (ramp === undefined) return 0;
  const { from, to, duration, before, start } = ramp;
  const passed = Math.min(duration, at - start);
  const level = duration === 0 ? to : from + ((to - from) * passed) / duration;
  return before + areaOf(from, level, passed);
}

/** When a slot begins to work, the beginnings of all slots counted in their order. In ms. */
export function slotStartsAt(ramps: readonly Ramp[], beginning: number): number {
  const { start, duration, from, to, before } = rampOf(ramps, beginning);
  // Those that are there from the start.
  return beginning < before ? 0 : start + ((beginning - before) * duration) / (to - from);
}

/** When the slot of a beginning stops: where the level has come down to it. In ms; null: it works to the end. */
export function slotStopsAt(ramps: readonly Ramp[], beginning: number): number | null {
  const own = rampOf(ramps, beginning);
  const slot = beginning < own.before ? beginning : own.from + beginning - own.before;
  const from = beginning < own.before ? 0 : ramps.indexOf(own);
  for (const ramp of ramps.slice(from)) {
    if (ramp.to > slot || ramp.from <= slot) continue;
    return ramp.start + ((ramp.from - slot) * ramp.duration) / (ramp.from - ramp.to);
  }
  return null;
}

export function estimateSlotStarts(ramps: readonly Ramp[], at: number): number {
  const ramp = ramps.findLast(({ start }) => start <= at);
  if (ramp === undefined) return 0;
  const { from, to, duration, before, start } = ramp;
  const share = duration === 0 ? 1 : Math.min(1, (at - start) / duration);
  return before + Math.max(0, to - from) * share;
}

/** The ramp in which a number falls: the last one that does not begin behind it. */
function rampOf(ramps: readonly Ramp[], number: number): Ramp {
  const ramp = ramps.findLast(({ before }) => before <= number) ?? ramps[0];
  if (ramp === undefined) throw new Error('Bug: a pace without stages');
  return ramp;
}

/** One worker in one run: the part that it makes, what it has told so far, and what a result says of it. */
import { Histogram, type KeptHistogram } from '../core/load/histogram.ts';
import type { WorkerReport } from '../core/load/report.ts';
import type { Slice } from '../core/load/slice.ts';
import type { ClosedMessage, PartSums, ReadyMessage } from './messages.ts';
import { NO_SUMS, withSlice } from './part-sums.ts';
import type { Part } from './split.ts';

interface Known {
  readonly part: Part;
  readonly name: string;
  ready: ReadyMessage | null;
  /** Why it will not. */
  refused: string | null;
  /** The sequence that it tells next. */
  next: number;
  pulses: number;
  finished: number;
  failed: number;
  sums: PartSums;
  /** Its last word, or that there will be none. */
  closed: ClosedMessage | 'lost' | null;
  /** Why something of its part is missing; null: nothing is, so far. */
  lost: string | null;
}

/** Before the first sequence, which is 0. */
export const NOTHING_YET = -1;

export interface Maker extends Known {
  /** How late its threads were, in µs, behind the warm-up. */
  readonly lag: Histogram;
  /** On the process's clock. */
  heardAt: number;
  /** The newest sequence that it was told is merged. */
  acknowledged: number;
}

/** The same as JSON, for whoever goes on from there. */
export interface KeptMaker extends Known {
  readonly lag: KeptHistogram | null;
}

export function newMaker(part: Part, name: string): Maker {
  return {
    ...{ part, name, ready: null, refused: null, next: 0, pulses: 0, finished: 0, failed: 0 },
    ...{ sums: NO_SUMS, closed: null, lost: null, lag: Histogram.createTotal(), heardAt: 0 },
    acknowledged: NOTHING_YET,
  };
}

/** @param warmup of the run, in ms */
export function addSlice(maker: Maker, slice: Slice, warmup: number): void {
  maker.sums = withSlice(maker.sums, slice);
  if (slice.second * 1000 >= warmup) maker.lag.add(slice.lag);
}

export function keepMaker({ heardAt: _heardAt, acknowledged: _said, lag, ...known }: Maker): KeptMaker {
  return { ...known, lag: lag.keep() };
}

/** @param heardAt when it counts as heard: nobody knows how long it has been silent meanwhile */
export function takeUpMaker({ lag, ...known }: KeptMaker, heardAt: number): Maker {
  const kept = (lag && Histogram.of(lag)) ?? Histogram.createTotal();
  return { ...known, lag: kept, heardAt, acknowledged: NOTHING_YET };
}

export function reportMaker({ part, name, ready, sums, closed, lost, lag }: Maker): WorkerReport {
  const last = closed === 'lost' ? null : closed;
  const p99 = lag.quantile(0.99);
  return {
    ...{ name, threads: part.shares.length, started: sums.started, finished: sums.finished },
    lagP99: p99 === null ? null : p99 / 1000,
    startSkew: last?.startedLate ?? null,
    clockUncertainty: last?.startUncertainty ?? ready?.uncertaintyMs ?? null,
    lost,
  };
}

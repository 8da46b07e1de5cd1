/** When a client is due, and how many are active: the three paces. Exact, and free of clocks. */
import type { Milliseconds } from '../units.ts';
import { milliseconds } from '../units.ts';
import type { LoadJob } from './load-job.ts';
import {
  countSlotStarts,
  slotStartsAt,
  clientsOfRate,
  dueByRate,
  estimateSlotStarts,
  estimateByRate,
  slotStopsAt,
} from './ramps.ts';

/** The part of a job that sets its pace. */
export type PaceSpec = Pick<LoadJob, 'testType' | 'initial' | 'total' | 'duration' | 'ramps'>;

/** An open model's client that starts so soon after it was due is on time: a tick, and a timer's own delay. */
export const ON_TIME_TOLERANCE = milliseconds(3);

/** One that is later than this is not started any more: it would only come in a burst. */
export const MAX_START_DELAY = milliseconds(1000);

/** Whether clients start when they are due, whatever the target does. */
export function isOpenModel(spec: Pick<LoadJob, 'testType'>): boolean {
  return spec.testType !== 'cycling';
}

/**
 * Clients of a whole run: all that become due before its end.
 *
 * Shape: cycling: as many as work at once; in stages, one that stops and comes again is another one.
 */
export function clientCount({ testType, initial, total, duration, ramps }: PaceSpec): number {
  switch (testType) {
    case 'cycling':
      return ramps === null ? Math.max(initial, total) : countSlotStarts(ramps);
    case 'non-cycling':
      return total;
    case 'per-second':
      return ramps === null ? Math.ceil((total * duration) / 1000) : clientsOfRate(ramps);
  }
}

/** The most clients of a cycling test that ever work at once. */
export function maxConcurrentClients({ initial, total }: PaceSpec): number {
  return Math.max(initial, total);
}

/**
 * When a client starts, in ms from the start of the run.
 *
 * Shape: clients are counted from 0, and no client is due before one of a lower number.
 *
 *     cycling 2 → 6 over 8 s      n  0 1 2 3 4 5       the line a + (b − a)·t/D is reached at D,
 *                               due  0 0 0 2 4 6       and never missed by more than one client
 */
export function dueAt(spec: PaceSpec, client: number): Milliseconds {
  const { ramps } = spec;
  switch (spec.testType) {
    case 'cycling': {
      if (ramps !== null) return milliseconds(slotStartsAt(ramps, client));
      const late = client - spec.initial;
      return milliseconds(late <= 0 ? 0 : (late * spec.duration) / (spec.total - spec.initial));
    }
    case 'non-cycling':
      return milliseconds((client * spec.duration) / spec.total);
    case 'per-second':
      return milliseconds(ramps === null ? (client * 1000) / spec.total : dueByRate(ramps, client));
  }
}

/** When a client begins no further pass: the end of the run, or earlier where a cycling test goes down. */
export function retiresAt(spec: PaceSpec, client: number): Milliseconds {
  if (spec.testType === 'cycling' && spec.ramps !== null) {
    return milliseconds(slotStopsAt(spec.ramps, client) ?? spec.duration);
  }
  const surplus = spec.initial - spec.total;
  if (spec.testType !== 'cycling' || surplus <= 0 || client < spec.total) return spec.duration;
  return milliseconds(((spec.initial - client) * spec.duration) / surplus);
}

/** How many clients are due at an instant, that instant included. */
export function clientsDue(spec: PaceSpec, at: number): number {
  const clients = clientCount(spec);
  if (at < 0 || clients === 0) return 0;
  let due = Math.min(clients, Math.max(0, Math.floor(estimateDue(spec, at))));
  // The estimate may be off by a rounding; the due times themselves decide.
  while (due < clients && dueAt(spec, due) <= at) due++;
  while (due > 0 && dueAt(spec, due - 1) > at) due--;
  return due;
}

/** How many clients are due before an instant: one that is due at that very instant is not. */
export function clientsDueBefore(spec: PaceSpec, at: number): number {
  // Less than any time between two clients.
  return clientsDue(spec, at - 1e-6);
}

/** How many clients of an open model belong to its warm-up: the first ones. */
export function countWarmupClients(spec: PaceSpec & Pick<LoadJob, 'warmup'>): number {
  return clientsDueBefore(spec, spec.warmup);
}

/** Time between two due clients in an open model; 0 where clients do not come by the clock. */
export function intervalOf(spec: PaceSpec): Milliseconds {
  if (!isOpenModel(spec) || spec.total === 0) return milliseconds(0);
  return milliseconds((spec.testType === 'per-second' ? 1000 : spec.duration) / spec.total);
}

function estimateDue(spec: PaceSpec, at: number): number {
  const { ramps } = spec;
  switch (spec.testType) {
    case 'cycling':
      if (ramps !== null) return estimateSlotStarts(ramps, at);
      return spec.initial + (Math.max(0, spec.total - spec.initial) * at) / spec.duration;
    case 'non-cycling':
      return (spec.total * at) / spec.duration;
    case 'per-second':
      return ramps === null ? (spec.total * at) / 1000 : estimateByRate(ramps, at);
  }
}

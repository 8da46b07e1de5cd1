/** Flows: a weighted mix of iterations. The number of an iteration determines its flow. */

import type { NamedValue } from './request-body.ts';
import { sumOf } from '../sum.ts';

export interface Flow {
  readonly name: string;
  readonly weight: number;
  /** Number of consecutive requests of the test that belong to the flow. */
  readonly urls: number;
  /** Extension: variables that every iteration of the flow starts with; absent if there are none. */
  readonly values?: readonly NamedValue<string>[];
}

/** Maximum weight of a flow, and maximum sum of the reduced weights. */
export const MAX_WEIGHT = 1_000_000;

/** Maximum number of flows. `dealFlows` stores the index of a flow in one byte. */
export const MAX_FLOWS = 100;

/**
 * A selection of `clients` clients of the whole run, with the numbers `first`, `first + stride`, `first + 2·stride`, …
 */
export interface ClientRange {
  readonly first: number;
  readonly stride: number;
  readonly clients: number;
}

export function isFlowName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(name);
}

export function isWeight(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MAX_WEIGHT;
}

/** Divides weights by their greatest common divisor: 70 and 30 become 7 and 3. */
export function reducedWeights(flows: readonly Pick<Flow, 'weight'>[]): readonly number[] {
  const divisor = flows.reduce((common, { weight }) => gcd(common, weight), 0);
  return flows.map(({ weight }) => weight / divisor);
}

/** Returns the reduced weights of the flows (`parts`), and their sum. */
export function flowShares(flows: readonly Pick<Flow, 'weight'>[]): {
  readonly parts: readonly number[];
  readonly sum: number;
} {
  const parts = reducedWeights(flows);
  return { parts, sum: sumOf(parts) };
}

const DEALS = new WeakMap<readonly Pick<Flow, 'weight'>[], Uint8Array>();

/**
 * Returns the index of the flow of each iteration in one period, whose length is the sum of the reduced weights.
 *
 * After any number of iterations, the count of each flow is its exact share, rounded down or up. Each iteration of a
 * flow has an interval: iteration `count` (from 0) of a flow with `part` of `sum` comes after `⌊count·sum/part⌋`
 * iterations and before iteration `⌈(count+1)·sum/part⌉`. Among the flows whose interval has begun, the one whose
 * interval ends first is next.
 * @see https://doi.org/10.1007/BF01940883
 */
export function dealFlows(flows: readonly Pick<Flow, 'weight'>[]): Uint8Array {
  const known = DEALS.get(flows);
  if (known !== undefined) return known;
  const { parts, sum } = flowShares(flows);
  const counts = new Float64Array(parts.length);
  const ends = Float64Array.from(parts, (part) => Math.ceil(sum / part));
  const deal = new Uint8Array(sum);
  for (let number = 0; number < sum; number++) {
    let next = -1;
    let end = Number.POSITIVE_INFINITY;
    for (let flow = 0; flow < parts.length; flow++) {
      const own = ends[flow] ?? 0;
      if (own >= end || (counts[flow] ?? 0) * sum >= (number + 1) * (parts[flow] ?? 0)) continue;
      next = flow;
      end = own;
    }
    const count = (counts[next] ?? 0) + 1;
    counts[next] = count;
    ends[next] = Math.ceil(((count + 1) * sum) / (parts[next] ?? 1));
    deal[number] = next;
  }
  DEALS.set(flows, deal);
  return deal;
}

/** Counts the iterations of each flow if each client of a range performs the iteration with the client's number. */
export function countFlows(
  flows: readonly Pick<Flow, 'weight'>[],
  { first, stride, clients }: ClientRange,
): readonly number[] {
  const deal = dealFlows(flows);
  const period = deal.length / gcd(deal.length, stride);
  const rest = clients % period;
  const periods = (clients - rest) / period;
  const counts = flows.map(() => 0);
  let number = first % deal.length;
  for (let client = 0; client < Math.min(clients, period); client++) {
    const flow = deal[number] ?? 0;
    counts[flow] = (counts[flow] ?? 0) + periods + (client < rest ? 1 : 0);
    number = (number + stride) % deal.length;
  }
  return counts;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

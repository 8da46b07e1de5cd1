/** Splits a job over workers; nothing is lost, and nobody's due time changes. */
import { clientCount, type PaceSpec } from './pace.ts';

/** One worker's clients: `first`, `first + stride`, `first + 2·stride`, … of the whole run, `clients` in all. */
export interface Shard {
  readonly threadIndex: number;
  readonly first: number;
  readonly stride: number;
  readonly clients: number;
}

/**
 * Deals the clients of a run out to workers in turn, so that each has early and late ones.
 *
 * Shape:  shares are disjoint and cover every client; they differ by one client at most.
 * Errors: none; fewer shares than asked when there are fewer clients, but always one.
 */
export function splitIntoShards(spec: PaceSpec, threads: number): readonly Shard[] {
  const clients = clientCount(spec);
  const stride = Math.max(1, Math.min(threads, clients));
  return Array.from({ length: stride }, (_, threadIndex) => ({
    threadIndex,
    first: threadIndex,
    stride,
    clients: Math.ceil((clients - threadIndex) / stride),
  }));
}

/** How many of a share's clients have a number in the whole run below one. */
export function clientsBelow(shard: Shard, number: number): number {
  return Math.min(shard.clients, Math.max(0, Math.ceil((number - shard.first) / shard.stride)));
}

/** The number in the whole run of a share's client. */
export function clientNumberOf(shard: Shard, index: number): number {
  return shard.first + index * shard.stride;
}

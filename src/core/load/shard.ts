/**
 * Splits the clients of a run into thread shards. Due times and the total number of clients do not change.
 */
import type { ClientRange } from '../model/iteration.ts';
import { clientCount, type PaceSpec } from '../model/pace.ts';

/** The clients of one thread. */
export interface Shard extends ClientRange {
  readonly threadIndex: number;
}

/**
 * Assigns the clients of a run to threads in rotation, so that each thread has early and late clients.
 *
 * The shards are disjoint, contain every client, and differ by at most one client. If there are fewer clients
 * than threads, the result has fewer shards, but at least one.
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

/** Returns the number of clients of a shard whose number in the whole run is below `number`. */
export function clientsBelow(shard: Shard, number: number): number {
  return Math.min(shard.clients, Math.max(0, Math.ceil((number - shard.first) / shard.stride)));
}

/** Returns the clients of a shard with indexes from `from`, up to and excluding `to`. */
export function rangeOf(shard: Shard, from: number, to: number): ClientRange {
  return { first: clientNumberOf(shard, from), stride: shard.stride, clients: Math.max(0, to - from) };
}

/** Returns the number of a client in the whole run, from its index in the shard. */
export function clientNumberOf(shard: Shard, index: number): number {
  return shard.first + index * shard.stride;
}

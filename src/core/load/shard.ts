/**
 * Splits the clients of a run into thread shards. The split does not change due times or the total number of clients.
 */
import type { ClientRange } from '../model/flow.ts';
import { clientCount, type PaceSpec } from '../model/pace.ts';

/** The clients of one thread. */
export interface Shard extends ClientRange {
  readonly threadIndex: number;
}

interface SharedSpec extends PaceSpec {
  readonly connections?: number | null;
  readonly iterations?: number | null;
}

/**
 * Returns the maximum number of shards, at least 1. Each shard needs a client and, if they are limited, a connection and
 * an iteration.
 */
export function maxShards(spec: SharedSpec): number {
  const { connections, iterations } = spec;
  return Math.max(1, Math.min(clientCount(spec), connections ?? Infinity, iterations ?? Infinity));
}

/**
 * Assigns the clients of a run to threads in rotation, so that each thread has early and late clients.
 *
 * The shards are disjoint, together contain every client, and differ in size by at most one client. If there are
 * fewer clients, shared connections or iterations than threads, the result has fewer shards, but at least one.
 */
export function splitIntoShards(spec: SharedSpec, threads: number): readonly Shard[] {
  const clients = clientCount(spec);
  const stride = Math.max(1, Math.min(threads, maxShards(spec)));
  return Array.from({ length: stride }, (_, threadIndex) => ({
    threadIndex,
    first: threadIndex,
    stride,
    clients: Math.ceil((clients - threadIndex) / stride),
  }));
}

/**
 * Returns the share of a shard of the connections or iterations that the clients of a run share. The shares add up to
 * `count`, and each is at least 1.
 */
export function shareOf({ threadIndex, stride }: Shard, count: number): number {
  return Math.ceil((count - threadIndex) / stride);
}

/** Returns how many clients of a shard have a number below `number` in the whole run. */
export function clientsBelow(shard: Shard, number: number): number {
  return Math.min(shard.clients, Math.max(0, Math.ceil((number - shard.first) / shard.stride)));
}

/** Returns the clients of a shard with indexes from `from` up to, but not including, `to`. */
export function rangeOf(shard: Shard, from: number, to: number): ClientRange {
  return { first: clientNumberOf(shard, from), stride: shard.stride, clients: Math.max(0, to - from) };
}

/** Returns the number that a client has in the whole run, given its index in the shard. */
export function clientNumberOf(shard: Shard, index: number): number {
  return shard.first + index * shard.stride;
}

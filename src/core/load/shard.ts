import type { ClientRange } from '../model/flow.ts';
import { clientCount, type PaceSpec } from '../model/pace.ts';

export interface Shard extends ClientRange {
  readonly threadIndex: number;
}

interface SharedSpec extends PaceSpec {
  readonly connections?: number | null;
  readonly iterations?: number | null;
}

/**
 * Returns the maximum number of shards; at least 1. Each shard needs at least one client and, if the number of
 * connections or iterations is limited, at least one connection or iteration.
 */
export function maxShards(spec: SharedSpec): number {
  const { connections, iterations } = spec;
  return Math.max(1, Math.min(clientCount(spec), connections ?? Infinity, iterations ?? Infinity));
}

/**
 * Assigns the clients of a run to threads round-robin, so that each thread has early and late clients.
 *
 * Returns fewer shards than threads if `maxShards` is lower.
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

/** Returns a shard's part of the connections or iterations that all clients share. The parts add up to `count`. */
export function shareOf({ threadIndex, stride }: Shard, count: number): number {
  return Math.ceil((count - threadIndex) / stride);
}

/** Returns the number of clients in a shard that precede the client `number` of the whole run. */
export function clientsBelow(shard: Shard, number: number): number {
  return Math.min(shard.clients, Math.max(0, Math.ceil((number - shard.first) / shard.stride)));
}

/** Returns the clients of a shard with the indexes `from` up to, but not including, `to`. */
export function rangeOf(shard: Shard, from: number, to: number): ClientRange {
  return { first: clientNumberOf(shard, from), stride: shard.stride, clients: Math.max(0, to - from) };
}

/** Converts the index of a client in a shard to its number in the whole run. */
export function clientNumberOf(shard: Shard, index: number): number {
  return shard.first + index * shard.stride;
}

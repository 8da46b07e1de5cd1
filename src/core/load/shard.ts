/** Splits a job over workers; nothing is lost, and nobody's due time changes. */
import { clientCount, type PaceSpec } from './pace.ts';

/** One worker's clients: `first`, `first + stride`, `first + 2·stride`, … of the whole run, `clients` in all. */
export interface Share {
  readonly worker: number;
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
export function shard(spec: PaceSpec, workers: number): readonly Share[] {
  const clients = clientCount(spec);
  const stride = Math.max(1, Math.min(workers, clients));
  return Array.from({ length: stride }, (_, worker) => ({
    worker,
    first: worker,
    stride,
    clients: Math.ceil((clients - worker) / stride),
  }));
}

/** How many of a share's clients have a number in the whole run below one. */
export function clientsBelow(share: Share, number: number): number {
  return Math.min(share.clients, Math.max(0, Math.ceil((number - share.first) / share.stride)));
}

/** The number in the whole run of a share's client. */
export function clientOf(share: Share, index: number): number {
  return share.first + index * share.stride;
}

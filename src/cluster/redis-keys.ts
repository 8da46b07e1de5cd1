/**
 * Names of the keys in Redis. All keys have a time to live and one prefix, whose braces keep them in one hash slot.
 *
 * | key                     | type       | content                                                  |
 * | ----------------------- | ---------- | -------------------------------------------------------- |
 * | `{loadtests}:workers`   | sorted set | worker ids by time of the last heartbeat (Redis time, ms) |
 * | `{loadtests}:worker:ID` | string     | heartbeat of a worker, sealed: see `Heartbeat`           |
 * | `{loadtests}:w-ID:*`    | BullMQ     | mailbox of a worker: shard offers, sealed                |
 * | `{loadtests}:piece:ID`  | string     | chunk of an offer too large for a mailbox, sealed        |
 * | `{loadtests}:run:ID:to` | stream     | messages to the workers of a run, sealed                 |
 * | `{loadtests}:run:ID:of` | stream     | messages from the workers of a run, sealed               |
 * | `{loadtests}:orders`    | stream     | commands to workers, sealed                              |
 */
export const KEY_PREFIX = '{loadtests}';

export const WORKERS_KEY = `${KEY_PREFIX}:workers`;

export const COMMANDS_KEY = `${KEY_PREFIX}:orders`;

export function heartbeatKey(workerId: string): string {
  return `${KEY_PREFIX}:worker:${workerId}`;
}

/** Returns the queue name for BullMQ, whose keys are `{loadtests}:w-ID:…`. */
export function mailboxNameOf(workerId: string): string {
  return `w-${workerId}`;
}

export function chunkKey(chunkId: string): string {
  return `${KEY_PREFIX}:piece:${chunkId}`;
}

export function toWorkersKey(runId: string): string {
  return `${KEY_PREFIX}:run:${runId}:to`;
}

export function fromWorkersKey(runId: string): string {
  return `${KEY_PREFIX}:run:${runId}:of`;
}

/** Time to live of keys after the last write, in ms. */
export const KEY_TTL_MS = {
  /** The heartbeat of a worker that has died expires by itself. */
  heartbeat: 8000,
  /** Messages of a run survive an outage of the service of this length. */
  streams: 15 * 60_000,
  mailbox: 10 * 60_000,
  chunk: 60_000,
} as const;

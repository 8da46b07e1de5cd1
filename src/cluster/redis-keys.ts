/**
 * Names of the keys in Redis. All keys have a time to live and the same prefix. The braces in the prefix assign all
 * keys to the same hash slot.
 *
 * | key                               | type       | content                                                   |
 * | --------------------------------- | ---------- | --------------------------------------------------------- |
 * | `{loadtests}:workers`             | sorted set | worker IDs by time of the last heartbeat (Redis time, ms) |
 * | `{loadtests}:heartbeat:ID`        | string     | heartbeat of a worker, sealed: see `Heartbeat`            |
 * | `{loadtests}:write-check`         | string     | empty; written to check that Redis accepts writes         |
 * | `{loadtests}:mailbox:ID`          | stream     | messages to a worker, sealed: see `MailboxMessage`        |
 * | `{loadtests}:chunk:ID`            | string     | chunk of a shard offer, sealed: see `ShardOffer`          |
 * | `{loadtests}:run:ID:to-workers`   | stream     | messages to the workers of a run: see `ServiceMessage`    |
 * | `{loadtests}:run:ID:from-workers` | stream     | messages from the workers of a run: see `WorkerMessage`   |
 */
export const KEY_PREFIX = '{loadtests}';

export const WORKERS_KEY = `${KEY_PREFIX}:workers`;

export const WRITE_CHECK_KEY = `${KEY_PREFIX}:write-check`;

export function heartbeatKey(workerId: string): string {
  return `${KEY_PREFIX}:heartbeat:${workerId}`;
}

export function mailboxKey(workerId: string): string {
  return `${KEY_PREFIX}:mailbox:${workerId}`;
}

export function chunkKey(chunkId: string): string {
  return `${KEY_PREFIX}:chunk:${chunkId}`;
}

export function toWorkersKey(runId: string): string {
  return `${KEY_PREFIX}:run:${runId}:to-workers`;
}

export function fromWorkersKey(runId: string): string {
  return `${KEY_PREFIX}:run:${runId}:from-workers`;
}

/** Time to live of keys after the latest write, in ms. */
export const KEY_TTL_MS = {
  heartbeat: 8000,
  workers: 10 * 60_000,
  writeCheck: 1000,
  /** Messages of a run, which a restarted service reads to resume the run. */
  run: 15 * 60_000,
  endedRun: 60_000,
  /** Messages in a mailbox and chunks of offers. Must exceed the validity of an offer (`READY_TIMEOUT_MS`). */
  mailbox: 60_000,
} as const;

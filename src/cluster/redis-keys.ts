/**
 * The names of what lies in Redis. All begin with one prefix, whose braces keep them on one node of a cluster; all have a
 * time to live.
 *
 * | key                     | kind       | what                                                          |
 * | ----------------------- | ---------- | ------------------------------------------------------------- |
 * | `{loadtests}:workers`   | sorted set | ids of workers, by when they were last there (ms, Redis' time) |
 * | `{loadtests}:worker:ID` | string     | what a worker says of itself, sealed: see `Presence`          |
 * | `{loadtests}:w-ID:*`    | BullMQ     | the mailbox of a worker: parts that are offered to it, sealed |
 * | `{loadtests}:piece:ID`  | string     | a piece of a part that is too large for a mailbox, sealed     |
 * | `{loadtests}:run:ID:to` | stream     | what the service tells the workers of a run, sealed           |
 * | `{loadtests}:run:ID:of` | stream     | what the workers tell of it, sealed                           |
 * | `{loadtests}:orders`    | stream     | what the service tells workers beside any run, sealed         |
 */
export const KEY_PREFIX = '{loadtests}';

export const WORKERS_KEY = `${KEY_PREFIX}:workers`;

export const COMMANDS_KEY = `${KEY_PREFIX}:orders`;

export function heartbeatKey(workerId: string): string {
  return `${KEY_PREFIX}:worker:${workerId}`;
}

/** As BullMQ calls it; its keys are `{loadtests}:w-ID:…`. */
export function mailboxNameOf(workerId: string): string {
  return `w-${workerId}`;
}

export function chunkKey(pieceId: string): string {
  return `${KEY_PREFIX}:piece:${pieceId}`;
}

export function toWorkersKey(runId: string): string {
  return `${KEY_PREFIX}:run:${runId}:to`;
}

export function fromWorkersKey(runId: string): string {
  return `${KEY_PREFIX}:run:${runId}:of`;
}

/** How long keys live after they were written last, in ms. */
export const KEY_TTL_MS = {
  /** Of a worker that has died its presence goes by itself. */
  heartbeat: 8000,
  /** What was told of a run outlives a service that is away for so long. */
  streams: 15 * 60_000,
  mailbox: 10 * 60_000,
  chunk: 60_000,
} as const;

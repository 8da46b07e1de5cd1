/** Publishes a worker's messages about a run, one after another. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { setBounded } from '../core/bounded-map.ts';
import { readClocks, type ClockReading } from '../engine/lease.ts';
import { fromWorkersStream, sendSealed } from './sealed-stream.ts';
import type { WorkerMessage, ShardOffer } from './cluster-messages.ts';
import type { Seal } from './seal.ts';
import { encodeMessage } from './message-codec.ts';

const RETRY_DELAY_MS = 200;

const MAX_SEND_TIMES = 1000;

/** Identification of the shard that an offer assigns to a worker. */
export type ShardId = Pick<ShardOffer, 'runId' | 'epoch' | 'workerId'>;

export class ProgressPublisher {
  readonly #redis: Redis;
  readonly #seal: Seal;
  readonly #shard: ShardId;
  readonly #sendTimes = new Map<number, ClockReading>();
  #sequence = 0;
  #countsSequence = 0;
  #sending: Promise<void> = Promise.resolve();
  #queuedCount = 0;
  #stopped = false;

  constructor(redis: Redis, seal: Seal, shard: ShardId) {
    this.#redis = redis;
    this.#seal = seal;
    this.#shard = shard;
  }

  /** Queues a message. Sending is retried until `flush` ends. */
  publish(message: WorkerMessage): void {
    const sequence = this.#sequence++;
    this.#queue(sequence, encodeMessage(message), true);
  }

  /** Sends counts without retries. Does nothing if another message is queued or being sent. */
  publishCounts(counts: { readonly finished: number; readonly failed: number }): void {
    if (this.#queuedCount > 0) return;
    this.#queue(-++this.#countsSequence, encodeMessage({ kind: 'counts', ...counts }), false);
  }

  /** Returns the time of the first attempt to send a message; null if that time is not stored. */
  sentAt(sequence: number): ClockReading | null {
    return this.#sendTimes.get(sequence) ?? null;
  }

  /** Waits until all queued messages have been sent or the time limit is reached. Then stops sending. */
  async flush(withinMs: number): Promise<void> {
    const settled = new AbortController();
    const timeout = sleep(withinMs, undefined, { signal: settled.signal }).catch(() => undefined);
    await Promise.race([this.#sending, timeout]);
    settled.abort();
    this.#stopped = true;
  }

  #queue(ordinal: number, body: Buffer, isRetried: boolean): void {
    this.#queuedCount++;
    this.#sending = this.#sending.then(async () => {
      try {
        await this.#send(ordinal, body, isRetried);
      } finally {
        this.#queuedCount--;
      }
    });
  }

  async #send(ordinal: number, body: Buffer, isRetried: boolean): Promise<void> {
    const { runId, epoch, workerId } = this.#shard;
    const to = { seal: this.#seal, stream: fromWorkersStream(runId) };
    if (ordinal >= 0) setBounded(this.#sendTimes, ordinal, readClocks(), MAX_SEND_TIMES);
    while (!this.#stopped) {
      try {
        await sendSealed(this.#redis, to, { epoch, workerId, ordinal }, body);
        return;
      } catch {
        // Redis may be full or restarting. A retry may deliver the message twice.
        if (!isRetried) return;
        await sleep(RETRY_DELAY_MS);
      }
    }
  }
}

/** Sends what a worker has to tell of a run, one message after another, until each has arrived. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { readClocks, type ClockReading } from '../engine/lease.ts';
import { fromWorkersStream, sendSealed } from './sealed-stream.ts';
import type { WorkerMessage, ShardOffer } from './cluster-messages.ts';
import type { Seal } from './seal.ts';
import { encodeMessage } from './message-codec.ts';

/** Between two tries of one message. */
const RETRY_DELAY_MS = 200;

/** Of messages that were sent and not acknowledged yet, as many moments are kept. */
const MAX_SEND_TIMES = 1000;

export class ProgressPublisher {
  readonly #redis: Redis;
  readonly #seal: Seal;
  readonly #offer: ShardOffer;
  /** By sequence. */
  readonly #sendTimes = new Map<number, ClockReading>();
  #sequence = 0;
  #countsSequence = 0;
  #sending: Promise<void> = Promise.resolve();
  #queuedCount = 0;
  #stopped = false;

  constructor(redis: Redis, seal: Seal, offer: ShardOffer) {
    this.#redis = redis;
    this.#seal = seal;
    this.#offer = offer;
  }

  /** Sent once: when it is lost, so is the sequence that it has. */
  publish(message: WorkerMessage): void {
    const sequence = this.#sequence++;
    this.#queue(sequence, encodeMessage(message), true);
  }

  /** Left out where others wait already. */
  publishCounts(soFar: { readonly finished: number; readonly failed: number }): void {
    if (this.#queuedCount > 0) return;
    this.#queue(-++this.#countsSequence, encodeMessage({ kind: 'counts', ...soFar }), false);
  }

  /** When a message was sent first; null where that is not known any more. */
  sentAt(sequence: number): ClockReading | null {
    return this.#sendTimes.get(sequence) ?? null;
  }

  /** Settles when all has arrived, or nothing more will be tried. */
  async flush(withinMs: number): Promise<void> {
    const ended = new AbortController();
    const late = sleep(withinMs, undefined, { signal: ended.signal }).catch(() => undefined);
    await Promise.race([this.#sending, late]);
    ended.abort();
    this.#stopped = true;
  }

  #queue(mark: number, body: Buffer, untilItArrives: boolean): void {
    this.#queuedCount++;
    this.#sending = this.#sending.then(async () => {
      try {
        await this.#send(mark, body, untilItArrives);
      } finally {
        this.#queuedCount--;
      }
    });
  }

  async #send(ordinal: number, body: Buffer, untilItArrives: boolean): Promise<void> {
    const { runId, epoch, workerId } = this.#offer;
    const to = { seal: this.#seal, box: fromWorkersStream(runId) };
    if (ordinal >= 0) this.#recordSendTime(ordinal);
    while (!this.#stopped) {
      try {
        await sendSealed(this.#redis, to, { epoch, workerId, ordinal }, body);
        return;
      } catch {
        // Redis is full, or restarts: what it was sent may have arrived, and arrives once more then.
        if (!untilItArrives) return;
        await sleep(RETRY_DELAY_MS);
      }
    }
  }

  #recordSendTime(sequence: number): void {
    this.#sendTimes.set(sequence, readClocks());
    const [oldest] = this.#sendTimes.keys();
    if (this.#sendTimes.size > MAX_SEND_TIMES && oldest !== undefined) this.#sendTimes.delete(oldest);
  }
}

/** Sends what a worker has to tell of a run, one message after another, until each has arrived. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { thisMoment, type Moment } from '../engine/lease.ts';
import { ofWorkersBox, send } from './letters.ts';
import type { OfWorker, PartOffer } from './messages.ts';
import type { Seal } from './seal.ts';
import { packMessage } from './told-codec.ts';

/** Between two tries of one message. */
const TRY_AGAIN_MS = 200;

/** Of messages that were sent and not acknowledged yet, as many moments are kept. */
const MOST_MOMENTS = 1000;

export class Teller {
  readonly #redis: Redis;
  readonly #seal: Seal;
  readonly #offer: PartOffer;
  /** By sequence. */
  readonly #sent = new Map<number, Moment>();
  #sequence = 0;
  #pulses = 0;
  #sending: Promise<void> = Promise.resolve();
  #waiting = 0;
  #given = false;

  constructor(redis: Redis, seal: Seal, offer: PartOffer) {
    this.#redis = redis;
    this.#seal = seal;
    this.#offer = offer;
  }

  /** Sent once: when it is lost, so is the sequence that it has. */
  tell(message: OfWorker): void {
    const sequence = this.#sequence++;
    this.#queue(sequence, packMessage(message), true);
  }

  /** Left out where others wait already. */
  pulse(soFar: { readonly finished: number; readonly failed: number }): void {
    if (this.#waiting > 0) return;
    this.#queue(-++this.#pulses, packMessage({ kind: 'pulse', ...soFar }), false);
  }

  /** When a message was sent first; null where that is not known any more. */
  sentAt(sequence: number): Moment | null {
    return this.#sent.get(sequence) ?? null;
  }

  /** Settles when all has arrived, or nothing more will be tried. */
  async settled(withinMs: number): Promise<void> {
    const ended = new AbortController();
    const late = sleep(withinMs, undefined, { signal: ended.signal }).catch(() => undefined);
    await Promise.race([this.#sending, late]);
    ended.abort();
    this.#given = true;
  }

  #queue(mark: number, body: Buffer, untilItArrives: boolean): void {
    this.#waiting++;
    this.#sending = this.#sending.then(async () => {
      try {
        await this.#send(mark, body, untilItArrives);
      } finally {
        this.#waiting--;
      }
    });
  }

  async #send(mark: number, body: Buffer, untilItArrives: boolean): Promise<void> {
    const { runId, epoch, workerId } = this.#offer;
    const to = { seal: this.#seal, box: ofWorkersBox(runId) };
    if (mark >= 0) this.#note(mark);
    while (!this.#given) {
      try {
        await send(this.#redis, to, { epoch, workerId, mark }, body);
        return;
      } catch {
        // Redis is full, or restarts: what it was sent may have arrived, and arrives once more then.
        if (!untilItArrives) return;
        await sleep(TRY_AGAIN_MS);
      }
    }
  }

  #note(sequence: number): void {
    this.#sent.set(sequence, thisMoment());
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > MOST_MOMENTS && oldest !== undefined) this.#sent.delete(oldest);
  }
}

/** One part of a run, as its worker makes it: from the offer to the closed ledger. */
import { versions } from 'node:process';
import { availableParallelism } from 'node:os';
import type { Redis } from 'ioredis';
import type { LoadJob } from '../core/load/job.ts';
import type { WorkTime } from '../core/load/merge.ts';
import type { Exchange } from '../core/load/report.ts';
import type { Slice } from '../core/load/slice.ts';
import { processTime, wallTime } from '../engine/clock.ts';
import { readCpuQuota } from '../engine/cpu-quota.ts';
import { Lease } from '../engine/lease.ts';
import type { ConnectionRoom } from '../engine/limits.ts';
import type { ShareEvents, ShareLoad, ShareWork } from '../engine/share-load.ts';
import { BEGINNING, receivePatiently, toWorkersBox, type Letter } from './letters.ts';
import {
  LEASE_DRAIN_MS,
  LEASE_MS,
  PULSE_EVERY_MS,
  READY_WITHIN_MS,
  type ClosedMessage,
  type PartOffer,
  type PartSums,
} from './messages.ts';
import { NO_SUMS, withSlice } from './part-sums.ts';
import { NOT_UNDERSTOOD, readToWorkers } from './read-messages.ts';
import { readRedisClock, redisTime, type RedisClock } from './redis-clock.ts';
import type { Seal } from './seal.ts';
import { findLack } from './split.ts';
import { Teller } from './teller.ts';
import { Timers } from './timers.ts';

/** Makes the load of some shares, or plays it. */
export type PartLoad = Pick<ShareLoad, 'go' | 'stop' | 'pulse' | 'close'>;

/** Errors: throws for a job that should not have got here. */
export type MakeLoad = (work: ShareWork, events: ShareEvents) => PartLoad;

export interface PartTools {
  readonly redis: Redis;
  /** A connection that may block in Redis for so long. */
  readonly connect: (blockMs: number) => Redis;
  readonly seal: Seal;
  readonly name: string;
  readonly version: string;
  readonly makeLoad: MakeLoad;
  /** What it has room for now. */
  readonly room: () => ConnectionRoom;
  /** The job with addresses that this machine has found itself. Errors: an Error that says why it is refused. */
  readonly pin: (offer: PartOffer) => Promise<LoadJob>;
  /** Something came that it cannot use. */
  readonly warn: (line: { readonly event: string; readonly [field: string]: unknown }) => void;
}

/** What a part has come to so far, to the second. */
export interface PartFigures {
  readonly started: number;
  /** Answered, failed or given up. */
  readonly ended: number;
  /** Open now. */
  readonly connections: number;
}

/** How a part ended, for the log. */
export type PartEnd = 'made' | 'refused' | 'cancelled' | 'expired';

/** How long one look at the service's stream may wait. */
const LISTEN_MS = 500;

/** Behind the end of a second, its threads have told of it. */
const TELL_AFTER_MS = 150;

/** Who is ready waits so long for the start. */
const GO_WITHIN_MS = 2 * READY_WITHIN_MS;

/** A last word may take so long where Redis is away. */
const LAST_WORDS_MS = 20_000;

export class PartRun {
  readonly ended: Promise<{ readonly end: PartEnd; readonly reason: string | null }>;
  readonly offer: PartOffer;
  readonly #tools: PartTools;
  readonly #teller: Teller;
  readonly #lease = new Lease();
  readonly #open: Set<number>;
  #load: PartLoad | null = null;
  #clock: RedisClock | null = null;
  #start: number | null = null;
  #startAt = 0;
  #startedLate: number | null = null;
  #startUncertainty: number | null = null;
  #endedBy: ClosedMessage['endedBy'] = null;
  #sums: PartSums = NO_SUMS;
  /** Open at the end of the newest second of each share. */
  readonly #connections = new Map<number, number>();
  #heard = -1;
  #over = false;
  #settle: (how: { readonly end: PartEnd; readonly reason: string | null }) => void = () => undefined;
  #slices: Slice[] = [];
  #exchanges: Exchange[] = [];
  #done: { share: number; time: WorkTime }[] = [];
  #lost: number[] = [];
  #overloaded = false;
  readonly #timers = new Timers();

  constructor(offer: PartOffer, tools: PartTools) {
    this.offer = offer;
    this.#tools = tools;
    this.#teller = new Teller(tools.redis, tools.seal, offer);
    this.#open = new Set(offer.shares.map(({ worker }) => worker));
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
    void this.#begin();
  }

  /** Its process is to end: what is in flight may finish within the timeout. */
  giveUp(): void {
    if (this.#start === null) {
      void this.#end('cancelled', 'the worker ends');
      return;
    }
    this.#endedBy ??= 'signal';
    this.#load?.stop('aborted', LEASE_DRAIN_MS);
  }

  figures(): PartFigures {
    const { started, finished, abandoned } = this.#sums;
    const connections = [...this.#connections.values()].reduce((sum, open) => sum + open, 0);
    return { started, ended: finished + abandoned, connections };
  }

  async #begin(): Promise<void> {
    const { redis, pin, makeLoad } = this.#tools;
    try {
      this.#clock = await readRedisClock(redis);
      if (redisTime(this.#clock) > this.offer.expires) {
        await this.#end('expired', null);
        return;
      }
      void this.#listen();
      const job = await pin(this.offer);
      this.#refuseTooLarge(job);
      if (this.#over) return;
      this.#load = makeLoad(
        { job, shares: this.offer.shares, lease: this.#lease },
        {
          ready: () => {
            this.#tellReady();
          },
          slice: (slice) => {
            this.#sums = withSlice(this.#sums, slice);
            this.#connections.set(slice.worker, slice.connections);
            this.#slices.push(slice);
          },
          exchange: (exchange) => {
            this.#exchanges.push(exchange);
          },
          overloaded: () => {
            this.#overloaded = true;
          },
          lapsed: () => {
            this.#endedBy ??= 'lease';
          },
          done: (share, time) => {
            this.#done.push({ share, time });
            this.#closeShare(share);
          },
          lost: (share, cause) => {
            this.#lose(share, cause);
          },
        },
      );
    } catch (error) {
      await this.#refuse(error instanceof Error ? error.message : String(error));
    }
  }

  /** Errors: an Error with the figures. */
  #refuseTooLarge(job: LoadJob): void {
    const lack = findLack(job, this.offer.shares, this.#tools.room());
    if (lack === null) return;
    const { what, needed, room, because } = lack;
    const things = what === 'ports' ? 'source ports to one address' : 'connections at once';
    throw new Error(`its part needs ${needed} ${things}, and it has room for ${room}${because}`);
  }

  #tellReady(): void {
    if (this.#over || this.#clock === null) return;
    const quota = readCpuQuota();
    this.#teller.tell({
      kind: 'ready',
      name: this.#tools.name,
      uncertaintyMs: this.#clock.uncertaintyMs,
      surroundings: {
        version: this.#tools.version,
        cores: availableParallelism(),
        quota,
        because: 'cores',
        node: versions.node,
      },
    });
    this.#timers.later(GO_WITHIN_MS, () => {
      if (this.#start === null) void this.#end('cancelled', 'no start was told');
    });
  }

  async #listen(): Promise<void> {
    const { connect, seal } = this.#tools;
    const { runId } = this.offer;
    const from = { seal, box: toWorkersBox(runId) };
    const redis = connect(LISTEN_MS);
    let after = BEGINNING;
    try {
      while (!this.#over) {
        const { letters, last } = await receivePatiently(redis, from, after, LISTEN_MS);
        after = last;
        for (const letter of letters) this.#hear(letter);
      }
    } finally {
      redis.disconnect();
    }
  }

  #hear({ epoch, workerId, mark, body }: Letter): void {
    if (this.#over || workerId !== '') return;
    if (epoch > this.offer.epoch && this.#start === null) {
      void this.#end('cancelled', 'the run was split again');
      return;
    }
    if (epoch !== this.offer.epoch || mark <= this.#heard) return;
    const message = readToWorkers(body);
    if (message === null) {
      this.#tools.warn({ event: 'message-refused', run: this.offer.runId, epoch, reason: NOT_UNDERSTOOD });
      return;
    }
    this.#heard = mark;
    switch (message.kind) {
      case 'go':
        this.#go(message.startAt);
        return;
      case 'acknowledged': {
        const merged = message.merged[this.offer.workerId];
        const sent = merged === undefined ? null : this.#teller.sentAt(merged);
        if (sent !== null && this.#start !== null) this.#lease.renew(sent, LEASE_MS);
        if (message.stop !== null) this.#load?.stop(message.stop.unstarted, message.stop.drainMs);
        return;
      }
      case 'stop':
        this.#load?.stop(message.stop.unstarted, message.stop.drainMs);
        return;
      case 'cancel':
        if (this.#start === null) void this.#end('cancelled', null);
        return;
    }
  }

  #go(startAt: number): void {
    if (this.#start !== null || this.#load === null || this.#clock === null) return;
    const start = startAt - this.#clock.offsetMs;
    const now = processTime();
    if (start <= now) {
      // Too late for one instant everywhere; the service learns that nothing was made.
      void this.#close();
      return;
    }
    this.#start = start;
    this.#startAt = startAt;
    this.#lease.renew({ process: start, wall: wallTime() + start - now }, LEASE_MS);
    this.#load.go(start);
    this.#tellEachSecond(start, 1);
    this.#timers.each(PULSE_EVERY_MS, () => {
      if (this.#load !== null) this.#teller.pulse(this.#load.pulse());
    });
    this.#timers.later(start - now + 500, () => {
      void this.#measureStart(start);
    });
  }

  /** Once more, and from another moment: what two readings of a clock differ by is what a start may be off by. */
  async #measureStart(start: number): Promise<void> {
    try {
      const { offsetMs, uncertaintyMs } = await readRedisClock(this.#tools.redis);
      this.#startedLate = start + offsetMs - this.#startAt;
      this.#startUncertainty = uncertaintyMs;
    } catch {
      // It stays unknown.
    }
  }

  #tellEachSecond(start: number, second: number): void {
    this.#timers.later(start + second * 1000 + TELL_AFTER_MS - processTime(), () => {
      this.#tell();
      const next = Math.max(second + 1, Math.floor((processTime() - start - TELL_AFTER_MS) / 1000) + 1);
      this.#tellEachSecond(start, next);
    });
  }

  #tell(): void {
    this.#teller.tell({
      ...{ kind: 'told', slices: this.#slices, exchanges: this.#exchanges, done: this.#done },
      ...{ lost: this.#lost, overloaded: this.#overloaded },
    });
    this.#slices = [];
    this.#exchanges = [];
    this.#done = [];
    this.#lost = [];
  }

  #lose(share: number, cause: Error): void {
    if (this.#start === null) {
      void this.#refuse(`a thread could not be started: ${cause.message}`);
      return;
    }
    this.#lost.push(share);
    this.#closeShare(share);
  }

  #closeShare(share: number): void {
    this.#open.delete(share);
    if (this.#open.size === 0) void this.#close();
  }

  async #close(): Promise<void> {
    if (this.#over) return;
    this.#tell();
    this.#teller.tell({
      ...{ kind: 'closed', sums: this.#sums, endedBy: this.#endedBy },
      ...{ startedLate: this.#startedLate, startUncertainty: this.#startUncertainty },
    });
    await this.#end('made', null);
  }

  async #refuse(reason: string): Promise<void> {
    if (this.#over) return;
    this.#teller.tell({ kind: 'refused', reason });
    await this.#end('refused', reason);
  }

  async #end(end: PartEnd, reason: string | null): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    this.#timers.end();
    await this.#load?.close();
    await this.#teller.settled(LAST_WORDS_MS);
    this.#settle({ end, reason });
  }
}

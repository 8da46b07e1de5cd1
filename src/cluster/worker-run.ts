/** One part of a run, as its worker makes it: from the offer to the closed ledger. */
import { versions } from 'node:process';
import { availableParallelism } from 'node:os';
import type { Redis } from 'ioredis';
import type { LoadJob } from '../core/load/load-job.ts';
import type { ThreadTime } from '../core/load/run-merger.ts';
import type { Exchange } from '../core/load/run-report.ts';
import type { Snapshot } from '../core/load/snapshot.ts';
import { processTime, wallTime } from '../engine/clock.ts';
import { readCpuQuota } from '../engine/cpu-quota.ts';
import { Lease } from '../engine/lease.ts';
import type { ConnectionCapacity } from '../engine/machine-limits.ts';
import type { ThreadGroupEvents, ThreadGroup, ThreadGroupWork } from '../engine/thread-group.ts';
import { STREAM_START, receiveOrEmpty, toWorkersStream, type SealedMessage } from './sealed-stream.ts';
import {
  LEASE_DRAIN_MS,
  LEASE_MS,
  SYNC_INTERVAL_MS,
  READY_TIMEOUT_MS,
  type FinalMessage,
  type ShardOffer,
  type ShardTotals,
} from './cluster-messages.ts';
import { EMPTY_TOTALS, withSnapshot } from './shard-totals.ts';
import { MALFORMED_MESSAGE, readServiceMessage } from './message-validation.ts';
import { readRedisClock, redisTime, type RedisClock } from './redis-clock.ts';
import type { Seal } from './seal.ts';
import { findCapacityGap } from './run-sharding.ts';
import { ProgressPublisher } from './progress-publisher.ts';
import { Timers } from './timers.ts';

/** Makes the load of some shares, or plays it. */
export type ShardLoad = Pick<ThreadGroup, 'start' | 'stop' | 'readLiveCounts' | 'close'>;

/** Errors: throws for a job that should not have got here. */
export type StartLoad = (work: ThreadGroupWork, events: ThreadGroupEvents) => ShardLoad;

export interface WorkerRunContext {
  readonly redis: Redis;
  /** A connection that may block in Redis for so long. */
  readonly connect: (blockMs: number) => Redis;
  readonly seal: Seal;
  readonly name: string;
  readonly version: string;
  readonly startLoad: StartLoad;
  /** What it has room for now. */
  readonly readCapacity: () => ConnectionCapacity;
  /** The job with addresses that this machine has found itself. Errors: an Error that says why it is refused. */
  readonly resolveTargets: (offer: ShardOffer) => Promise<LoadJob>;
  /** Something came that it cannot use. */
  readonly warn: (line: { readonly event: string; readonly [field: string]: unknown }) => void;
}

/** What a part has come to so far, to the second. */
export interface WorkerRunCounts {
  readonly started: number;
  /** Answered, failed or given up. */
  readonly ended: number;
  /** Open now. */
  readonly connections: number;
}

/** How a part ended, for the log. */
export type WorkerRunOutcome = 'made' | 'refused' | 'cancelled' | 'expired';

/** How long one look at the service's stream may wait. */
const POLL_TIMEOUT_MS = 500;

/** Behind the end of a second, its threads have told of it. */
const PROGRESS_DELAY_MS = 150;

/** Who is ready waits so long for the start. */
const START_TIMEOUT_MS = 2 * READY_TIMEOUT_MS;

/** A last word may take so long where Redis is away. */
const FINAL_SEND_TIMEOUT_MS = 20_000;

export class WorkerRun {
  readonly ended: Promise<{ readonly end: WorkerRunOutcome; readonly reason: string | null }>;
  readonly offer: ShardOffer;
  readonly #context: WorkerRunContext;
  readonly #publisher: ProgressPublisher;
  readonly #lease = new Lease();
  readonly #openShards: Set<number>;
  #load: ShardLoad | null = null;
  #clock: RedisClock | null = null;
  #start: number | null = null;
  #startAt = 0;
  #startLatenessMs: number | null = null;
  #startUncertaintyMs: number | null = null;
  #endedBy: FinalMessage['endedBy'] = null;
  #totals: ShardTotals = EMPTY_TOTALS;
  /** Open at the end of the newest second of each share. */
  readonly #connections = new Map<number, number>();
  #lastOrdinal = -1;
  #over = false;
  #settle: (how: { readonly end: WorkerRunOutcome; readonly reason: string | null }) => void = () =>
    undefined;
  #snapshots: Snapshot[] = [];
  #exchanges: Exchange[] = [];
  #done: { shard: number; time: ThreadTime }[] = [];
  #lost: number[] = [];
  #overloaded = false;
  readonly #timers = new Timers();

  constructor(offer: ShardOffer, tools: WorkerRunContext) {
    this.offer = offer;
    this.#context = tools;
    this.#publisher = new ProgressPublisher(tools.redis, tools.seal, offer);
    this.#openShards = new Set(offer.threadShards.map(({ threadIndex }) => threadIndex));
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
    void this.#begin();
  }

  /** Its process is to end: what is in flight may finish within the timeout. */
  abort(): void {
    if (this.#start === null) {
      void this.#end('cancelled', 'the worker ends');
      return;
    }
    this.#endedBy ??= 'signal';
    this.#load?.stop('aborted', LEASE_DRAIN_MS);
  }

  counts(): WorkerRunCounts {
    const { started, finished, abandoned } = this.#totals;
    const connections = [...this.#connections.values()].reduce((sum, open) => sum + open, 0);
    return { started, ended: finished + abandoned, connections };
  }

  async #begin(): Promise<void> {
    const { redis, resolveTargets, startLoad } = this.#context;
    try {
      this.#clock = await readRedisClock(redis);
      if (redisTime(this.#clock) > this.offer.expires) {
        await this.#end('expired', null);
        return;
      }
      void this.#listen();
      const job = await resolveTargets(this.offer);
      this.#refuseTooLarge(job);
      if (this.#over) return;
      this.#load = startLoad(
        { job, shards: this.offer.threadShards, lease: this.#lease },
        {
          ready: () => {
            this.#publishReady();
          },
          snapshot: (snapshot) => {
            this.#totals = withSnapshot(this.#totals, snapshot);
            this.#connections.set(snapshot.threadIndex, snapshot.connections);
            this.#snapshots.push(snapshot);
          },
          exchange: (exchange) => {
            this.#exchanges.push(exchange);
          },
          overloaded: () => {
            this.#overloaded = true;
          },
          leaseExpired: () => {
            this.#endedBy ??= 'lease';
          },
          done: (shard, time) => {
            this.#done.push({ shard, time });
            this.#closeThreadShard(shard);
          },
          lost: (share, cause) => {
            this.#loseThreadShard(share, cause);
          },
        },
      );
    } catch (error) {
      await this.#refuse(error instanceof Error ? error.message : String(error));
    }
  }

  /** Errors: an Error with the figures. */
  #refuseTooLarge(job: LoadJob): void {
    const lack = findCapacityGap(job, this.offer.threadShards, this.#context.readCapacity());
    if (lack === null) return;
    const { resource, needed, available, explanation } = lack;
    const things = resource === 'ports' ? 'source ports to one address' : 'connections at once';
    throw new Error(`its part needs ${needed} ${things}, and it has room for ${available}${explanation}`);
  }

  #publishReady(): void {
    if (this.#over || this.#clock === null) return;
    const quota = readCpuQuota();
    this.#publisher.publish({
      kind: 'ready',
      name: this.#context.name,
      uncertaintyMs: this.#clock.uncertaintyMs,
      surroundings: {
        version: this.#context.version,
        cores: availableParallelism(),
        quota,
        threadReason: 'cores',
        node: versions.node,
      },
    });
    this.#timers.schedule(START_TIMEOUT_MS, () => {
      if (this.#start === null) void this.#end('cancelled', 'no start was told');
    });
  }

  async #listen(): Promise<void> {
    const { connect, seal } = this.#context;
    const { runId } = this.offer;
    const from = { seal, box: toWorkersStream(runId) };
    const redis = connect(POLL_TIMEOUT_MS);
    let after = STREAM_START;
    try {
      while (!this.#over) {
        const { letters, last } = await receiveOrEmpty(redis, from, after, POLL_TIMEOUT_MS);
        after = last;
        for (const letter of letters) this.#receive(letter);
      }
    } finally {
      redis.disconnect();
    }
  }

  #receive({ epoch, workerId, ordinal, body }: SealedMessage): void {
    if (this.#over || workerId !== '') return;
    if (epoch > this.offer.epoch && this.#start === null) {
      void this.#end('cancelled', 'the run was split again');
      return;
    }
    if (epoch !== this.offer.epoch || ordinal <= this.#lastOrdinal) return;
    const message = readServiceMessage(body);
    if (message === null) {
      this.#context.warn({
        event: 'message-refused',
        run: this.offer.runId,
        epoch,
        reason: MALFORMED_MESSAGE,
      });
      return;
    }
    this.#lastOrdinal = ordinal;
    switch (message.kind) {
      case 'start':
        this.#launch(message.startAt);
        return;
      case 'acknowledged': {
        const merged = message.merged[this.offer.workerId];
        const sent = merged === undefined ? null : this.#publisher.sentAt(merged);
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

  #launch(startAt: number): void {
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
    this.#load.start(start);
    this.#schedulePublishing(start, 1);
    this.#timers.repeat(SYNC_INTERVAL_MS, () => {
      if (this.#load !== null) this.#publisher.publishCounts(this.#load.readLiveCounts());
    });
    this.#timers.schedule(start - now + 500, () => {
      void this.#measureStart(start);
    });
  }

  /** Once more, and from another moment: what two readings of a clock differ by is what a start may be off by. */
  async #measureStart(start: number): Promise<void> {
    try {
      const { offsetMs, uncertaintyMs } = await readRedisClock(this.#context.redis);
      this.#startLatenessMs = start + offsetMs - this.#startAt;
      this.#startUncertaintyMs = uncertaintyMs;
    } catch {
      // It stays unknown.
    }
  }

  #schedulePublishing(start: number, second: number): void {
    this.#timers.schedule(start + second * 1000 + PROGRESS_DELAY_MS - processTime(), () => {
      this.#publishProgress();
      const next = Math.max(second + 1, Math.floor((processTime() - start - PROGRESS_DELAY_MS) / 1000) + 1);
      this.#schedulePublishing(start, next);
    });
  }

  #publishProgress(): void {
    this.#publisher.publish({
      ...{ kind: 'progress', snapshots: this.#snapshots, exchanges: this.#exchanges, done: this.#done },
      ...{ lost: this.#lost, overloaded: this.#overloaded },
    });
    this.#snapshots = [];
    this.#exchanges = [];
    this.#done = [];
    this.#lost = [];
  }

  #loseThreadShard(share: number, cause: Error): void {
    if (this.#start === null) {
      void this.#refuse(`a thread could not be started: ${cause.message}`);
      return;
    }
    this.#lost.push(share);
    this.#closeThreadShard(share);
  }

  #closeThreadShard(share: number): void {
    this.#openShards.delete(share);
    if (this.#openShards.size === 0) void this.#close();
  }

  async #close(): Promise<void> {
    if (this.#over) return;
    this.#publishProgress();
    this.#publisher.publish({
      ...{ kind: 'final', totals: this.#totals, endedBy: this.#endedBy },
      ...{ startLatenessMs: this.#startLatenessMs, startUncertaintyMs: this.#startUncertaintyMs },
    });
    await this.#end('made', null);
  }

  async #refuse(reason: string): Promise<void> {
    if (this.#over) return;
    this.#publisher.publish({ kind: 'refused', reason });
    await this.#end('refused', reason);
  }

  async #end(end: WorkerRunOutcome, reason: string | null): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    this.#timers.end();
    await this.#load?.close();
    await this.#publisher.flush(FINAL_SEND_TIMEOUT_MS);
    this.#settle({ end, reason });
  }
}

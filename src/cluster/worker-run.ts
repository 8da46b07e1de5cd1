/** Run of one shard on a worker, from the offer to the final message. */
import { counted, withCommas } from '../core/counted.ts';
import { versions } from 'node:process';
import { availableParallelism } from 'node:os';
import type { Redis } from 'ioredis';
import type { LoadJob } from '../core/load/load-job.ts';
import type { ThreadTime } from '../core/load/run-merger.ts';
import type { TracedExchange } from '../core/load/run-report.ts';
import type { Snapshot } from '../core/load/snapshot.ts';
import { messageOf } from '../core/unknown-value.ts';
import { processTime, wallTime } from '../engine/clock.ts';
import { readCpuQuota } from '../engine/cpu-capacity.ts';
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
import { MALFORMED_MESSAGE, readServiceMessage } from './message-codec.ts';
import { readRedisClock, redisTime, type RedisClock } from './redis-clock.ts';
import type { Seal } from './seal.ts';
import { findCapacityGap } from './run-sharding.ts';
import { ProgressPublisher } from './progress-publisher.ts';
import { Timers } from './timers.ts';
import { sumOf } from '../core/sum.ts';

/** Load of thread shards: a thread group, or a simulation of one. */
export type ShardLoad = Pick<ThreadGroup, 'start' | 'stop' | 'replaceRows' | 'readLiveCounts' | 'close'>;

/**
 * Prepares the load of thread shards, which begins when `start` is called.
 * @throws Error if the job is invalid.
 */
export type StartLoad = (work: ThreadGroupWork, events: ThreadGroupEvents) => ShardLoad;

export interface WorkerRunContext {
  readonly redis: Redis;
  readonly connect: (blockMs: number) => Redis;
  readonly seal: Seal;
  readonly name: string;
  readonly version: string;
  readonly startLoad: StartLoad;
  readonly readCapacity: () => ConnectionCapacity;
  /** @throws Error with the reason if a target is refused. */
  readonly resolveTargets: (offer: ShardOffer) => Promise<LoadJob>;
  /** Logs ignored messages. */
  readonly warn: (line: { readonly event: string; readonly [field: string]: unknown }) => void;
}

/** Totals of a shard, and its number of open connections, according to the snapshots received so far. */
export interface WorkerRunCounts {
  readonly started: number;
  /** Requests that received a response, failed or were abandoned. */
  readonly ended: number;
  readonly connections: number;
}

export type WorkerRunOutcome = 'completed' | 'refused' | 'canceled' | 'expired';

const POLL_TIMEOUT_MS = 500;

/** Delay from the end of a second to the publication of its measurements, in ms, so that all threads can report. */
const PROGRESS_DELAY_MS = 150;

/** Maximum time that a ready worker waits for the start command, in ms. */
const START_TIMEOUT_MS = 2 * READY_TIMEOUT_MS;

/** Maximum time for delivering the final message, in ms; long, because Redis may be unavailable. */
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
  /** Number of open connections in the latest snapshot, by thread shard. */
  readonly #connections = new Map<number, number>();
  #lastOrdinal = -1;
  #over = false;
  #settle: (outcome: { readonly end: WorkerRunOutcome; readonly reason: string | null }) => void = () =>
    undefined;
  #snapshots: Snapshot[] = [];
  #exchanges: TracedExchange[] = [];
  #done: { shard: number; time: ThreadTime }[] = [];
  #lost: number[] = [];
  #overloaded = false;
  readonly #timers = new Timers();

  constructor(offer: ShardOffer, context: WorkerRunContext) {
    this.offer = offer;
    this.#context = context;
    this.#publisher = new ProgressPublisher(context.redis, context.seal, offer);
    this.#openShards = new Set(offer.threadShards.map(({ threadIndex }) => threadIndex));
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
    void this.#begin();
  }

  /** Stops the shard because the worker shuts down. Requests in flight may finish within `LEASE_DRAIN_MS`. */
  abort(): void {
    if (this.#start === null) {
      void this.#end('canceled', 'the worker is shutting down');
      return;
    }
    this.#endedBy ??= 'signal';
    this.#load?.stop('aborted', LEASE_DRAIN_MS);
  }

  counts(): WorkerRunCounts {
    const { started, finished, abandoned } = this.#totals;
    const connections = sumOf([...this.#connections.values()]);
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
          ready: () => this.#publishReady(),
          snapshot: (snapshot) => {
            this.#totals = withSnapshot(this.#totals, snapshot);
            this.#connections.set(snapshot.threadIndex, snapshot.connections);
            this.#snapshots.push(snapshot);
          },
          exchange: (exchange) => this.#exchanges.push(exchange),
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
          lost: (shard, cause) => this.#loseThreadShard(shard, cause),
        },
      );
    } catch (error) {
      await this.#refuse(messageOf(error));
    }
  }

  /** @throws Error with the required and available numbers if the shard exceeds the capacity of the worker. */
  #refuseTooLarge(job: LoadJob): void {
    const gap = findCapacityGap(job, this.offer.threadShards, this.#context.readCapacity());
    if (gap === null) return;
    const { resource, needed, available, explanation } = gap;
    const demand =
      resource === 'ports'
        ? `${counted(needed, 'source port')} to one address`
        : counted(needed, 'concurrent connection');
    throw new Error(
      `the shard needs ${demand}, but the worker supports only ${withCommas(available)}${explanation}`,
    );
  }

  #publishReady(): void {
    if (this.#over || this.#clock === null) return;
    const quota = readCpuQuota();
    this.#publisher.publish({
      kind: 'ready',
      name: this.#context.name,
      uncertaintyMs: this.#clock.uncertaintyMs,
      environment: {
        version: this.#context.version,
        cores: availableParallelism(),
        quota,
        threadReason: 'cores',
        node: versions.node,
      },
    });
    this.#timers.schedule(START_TIMEOUT_MS, () => {
      if (this.#start === null) void this.#end('canceled', 'no start command received');
    });
  }

  async #listen(): Promise<void> {
    const { connect, seal } = this.#context;
    const { runId } = this.offer;
    const from = { seal, stream: toWorkersStream(runId) };
    const redis = connect(POLL_TIMEOUT_MS);
    let after = STREAM_START;
    try {
      while (!this.#over) {
        const { messages, last } = await receiveOrEmpty([redis, from, after, POLL_TIMEOUT_MS]);
        after = last;
        for (const message of messages) this.#receive(message);
      }
    } finally {
      redis.disconnect();
    }
  }

  #receive({ epoch, workerId, ordinal, body }: SealedMessage): void {
    if (this.#over || workerId !== '') return;
    if (epoch > this.offer.epoch && this.#start === null) {
      void this.#end('canceled', 'the run was distributed again');
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
      case 'rows':
        this.#load?.replaceRows(message.rows);
        return;
      case 'cancel':
        if (this.#start === null) void this.#end('canceled', null);
        return;
    }
  }

  #launch(startAt: number): void {
    if (this.#start !== null || this.#load === null || this.#clock === null) return;
    const start = startAt - this.#clock.offsetMs;
    const now = processTime();
    if (start <= now) {
      // The final message reports to the service that no load was generated.
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
    this.#timers.schedule(start - now + 500, () => void this.#measureStart(start));
  }

  /** Measures the lateness of the start with a new reading of the Redis clock. */
  async #measureStart(start: number): Promise<void> {
    try {
      const { offsetMs, uncertaintyMs } = await readRedisClock(this.#context.redis);
      this.#startLatenessMs = start + offsetMs - this.#startAt;
      this.#startUncertaintyMs = uncertaintyMs;
    } catch {
      // `#startLatenessMs` remains null.
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
      kind: 'progress',
      snapshots: this.#snapshots,
      exchanges: this.#exchanges,
      done: this.#done,
      lost: this.#lost,
      overloaded: this.#overloaded,
    });
    this.#snapshots = [];
    this.#exchanges = [];
    this.#done = [];
    this.#lost = [];
  }

  #loseThreadShard(shard: number, cause: Error): void {
    if (this.#start === null) {
      void this.#refuse(`a thread could not be started: ${cause.message}`);
      return;
    }
    this.#lost.push(shard);
    this.#closeThreadShard(shard);
  }

  #closeThreadShard(shard: number): void {
    this.#openShards.delete(shard);
    if (this.#openShards.size === 0) void this.#close();
  }

  async #close(): Promise<void> {
    if (this.#over) return;
    this.#publishProgress();
    this.#publisher.publish({
      kind: 'final',
      totals: this.#totals,
      endedBy: this.#endedBy,
      startLatenessMs: this.#startLatenessMs,
      startUncertaintyMs: this.#startUncertaintyMs,
    });
    await this.#end('completed', null);
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

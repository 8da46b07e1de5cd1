/** One run whose load workers make: offers it, starts it, adds up what they tell, and ends it, whatever they do. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { GeneratorEnvironment } from '../core/load/generator-totals.ts';
import type { LoadJob } from '../core/load/load-job.ts';
import { RunMerger } from '../core/load/run-merger.ts';
import type { AbortReason, LoadProgress, RunReport, WorkerReport } from '../core/load/run-report.ts';
import type { CheckpointStore } from '../core/ports/checkpoint-store.ts';
import type { OnProgress, VerifiedHost } from '../core/ports/runner.ts';
import { problem, ProblemError } from '../core/problem.ts';
import type { Shard } from '../core/load/shard.ts';
import { snapshotShapeOf, type SnapshotShape } from '../core/load/snapshot-codec.ts';
import { processTime } from '../engine/clock.ts';
import { omitRows } from '../engine/row-table.ts';
import type { Redis } from 'ioredis';
import { KEY_TTL_MS, fromWorkersKey, toWorkersKey } from './redis-keys.ts';
import {
  STREAM_START,
  fromWorkersStream,
  receiveSealed,
  sendSealed,
  toWorkersStream,
  type SealedMessage,
} from './sealed-stream.ts';
import type { Mailboxes } from './mailbox.ts';
import {
  addSnapshot,
  checkpointAssignment,
  createAssignment,
  NO_SEQUENCE,
  toWorkerReport,
  resumeAssignment,
  type AssignmentCheckpoint,
  type WorkerAssignment,
} from './worker-assignment.ts';
import {
  START_LEAD_MS,
  LEASE_DRAIN_MS,
  PROTOCOL_VERSION,
  SYNC_INTERVAL_MS,
  READY_TIMEOUT_MS,
  MAX_SILENCE_MS,
  type FinalMessage,
  type WorkerMessage,
  type Heartbeat,
  type StopCommand,
  type ProgressMessage,
  type ServiceMessage,
} from './cluster-messages.ts';
import { areTotalsEqual } from './shard-totals.ts';
import { readRedisClock, redisTime } from './redis-clock.ts';
import { formatRefusals, type ShardRefusal } from './shard-refusals.ts';
import type { Seal } from './seal.ts';
import { findClusterShortage, shardRun, type WorkerShard } from './run-sharding.ts';
import { Timers } from './timers.ts';
import { decodeMessage } from './message-codec.ts';

export interface DistributedRunContext {
  readonly redis: Redis;
  /** A connection that may block in Redis for so long. */
  readonly connect: (blockMs: number) => Redis;
  readonly seal: Seal;
  readonly mailboxes: Mailboxes;
  readonly checkpoints: CheckpointStore;
  readonly version: string;
  /** Somebody is away for good, or says what cannot be. */
  readonly warn: (line: { readonly event: string; readonly [field: string]: unknown }) => void;
}

export interface DistributedRunRequest {
  readonly job: LoadJob;
  readonly hosts: readonly VerifiedHost[];
  /** Who is free now. */
  readonly workers: readonly Heartbeat[];
}

/** How long one look at the stream may wait: also how often silence is noticed. */
const POLL_TIMEOUT_MS = 200;

const CHECKPOINT_INTERVAL_MS = 10_000;

/** How the load of a worker ended before its time. */
const EARLY_END_REASONS: Readonly<Record<Exclude<FinalMessage['endedBy'], null>, string>> = {
  lease: 'its lease ended: it heard nothing of the service',
  signal: 'it was ended by a signal',
};

export class DistributedRun {
  readonly ended: Promise<RunReport>;
  /** Without its rows. */
  readonly job: LoadJob;
  readonly #context: DistributedRunContext;
  readonly #onProgress: OnProgress;
  readonly #blockingRedis: Redis;
  readonly #timers = new Timers();
  #epoch: number;
  #assignments = new Map<string, WorkerAssignment>();
  #merger: RunMerger | null = null;
  #shape: SnapshotShape | null = null;
  #nextOrdinal = 0;
  #lastMessageId = STREAM_START;
  /** On the process's clock; null before it is told. */
  #start: number | null = null;
  /** The same in Redis' time. */
  #startAt = 0;
  #progress: LoadProgress | null = null;
  #stop: StopCommand | null = null;
  /** Somebody wants it to end before it began. */
  #abortReason: AbortReason | null = null;
  #over = false;
  #onChange: () => void = () => undefined;
  #resolve: (report: RunReport) => void = () => undefined;
  #reject: (cause: Error) => void = () => undefined;

  private constructor(job: LoadJob, tools: DistributedRunContext, onProgress: OnProgress) {
    this.job = omitRows(job);
    this.#context = tools;
    this.#onProgress = onProgress;
    this.#epoch = tools.checkpoints.get(job.runId)?.epoch ?? 0;
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#blockingRedis = tools.connect(POLL_TIMEOUT_MS);
  }

  static start(
    order: DistributedRunRequest,
    tools: DistributedRunContext,
    onProgress: OnProgress,
  ): DistributedRun {
    const run = new DistributedRun(order.job, tools, onProgress);
    void run.#listen();
    run.#begin(order).catch((error: unknown) => {
      run.#fail(toError(error));
    });
    return run;
  }

  /** One that an earlier process of the service began. Null: it had not started, or what was kept cannot be read. */
  static async resume(
    runId: string,
    tools: DistributedRunContext,
    onProgress: OnProgress,
  ): Promise<DistributedRun | null> {
    const kept = decodeCheckpoint(tools.checkpoints.get(runId)?.state ?? new Uint8Array());
    if (kept === null) return null;
    const { head, merger } = kept;
    const clock = await readRedisClock(tools.redis);
    const run = new DistributedRun(head.job, tools, onProgress);
    run.#merger = merger;
    run.#shape = snapshotShapeOf(head.job, threadShardsOf(head.assignments.map(({ shard }) => shard)).length);
    const now = processTime();
    for (const assignment of head.assignments)
      run.#assignments.set(assignment.shard.workerId, resumeAssignment(assignment, now));
    run.#lastMessageId = head.lastMessageId;
    // Whatever was said since it was kept.
    run.#nextOrdinal = head.nextOrdinal + ORDINAL_GAP;
    run.#startAt = head.startAt;
    run.#stop = head.stop;
    run.#progress = head.progress;
    run.#monitor(head.startAt - clock.offsetMs);
    void run.#listen();
    return run;
  }

  /** Whether a worker has a part in it that it has not made yet. Of one that was lost nobody knows. */
  occupies(workerId: string): boolean {
    const assignment = this.#assignments.get(workerId);
    return (
      assignment !== undefined && (assignment.finalMessage === null || assignment.finalMessage === 'lost')
    );
  }

  /** What was told of it last. */
  get progress(): LoadProgress | null {
    return this.#progress;
  }

  partialReport(): RunReport | null {
    const report = this.#merger?.partialReport(this.#surroundings()) ?? null;
    return report && { ...report, workers: this.#workerReports() };
  }

  /** @param drainMs how long requests in flight may take to finish */
  stop(reason: AbortReason, drainMs: number = this.job.timeout): void {
    if (this.#over) return;
    if (this.#start === null || this.#merger === null) {
      this.#abortReason ??= reason;
      this.#onChange();
      return;
    }
    const unstarted = this.#merger.abort(reason);
    if (this.#stop !== null && this.#stop.drainMs <= drainMs) return;
    this.#stop = { reason, unstarted, drainMs };
    void this.#send({ kind: 'stop', stop: this.#stop });
    // Whatever is heard of it: a worker that does not end is not waited for without end.
    this.#schedule(drainMs + LEASE_DRAIN_MS + MAX_SILENCE_MS, () => {
      this.#loseAll('it did not end');
    });
  }

  /** Ends at once; who does not answer in time is not waited for. */
  async close(graceMs: number): Promise<void> {
    this.stop('stopped', 0);
    const force = setTimeout(() => {
      this.#loseAll('the service closes');
    }, graceMs);
    await this.ended.catch(() => undefined);
    clearTimeout(force);
  }

  // --- before the start

  async #begin(order: DistributedRunRequest): Promise<void> {
    let { workers } = order;
    const refusals: ShardRefusal[] = [];
    for (let attempt = 1; attempt <= 2; attempt++) {
      await this.#offer({ ...order, workers });
      await this.#awaitReplies();
      const assignments = [...this.#assignments.values()];
      if (this.#abortReason !== null) {
        await this.#send({ kind: 'cancel' });
        this.#endUnstarted(this.#abortReason);
        return;
      }
      const ready = assignments.filter((assignment) => assignment.ready !== null);
      if (ready.length === assignments.length) {
        await this.#launch();
        return;
      }
      // Who gets ready from here on comes too late.
      const late = assignments.filter((assignment) => !ready.includes(assignment));
      await this.#send({ kind: 'cancel' });
      for (const { name, refusal } of late) {
        const reason = refusal ?? `not ready within ${READY_TIMEOUT_MS / 1000} s`;
        refusals.push({ name, reason });
        this.#context.warn({ event: 'part-refused', run: this.job.runId, worker: name, reason });
      }
      workers = workers.filter(({ id }) => ready.some(({ shard }) => shard.workerId === id));
      if (workers.length === 0 || findClusterShortage(this.job, workers, workers) !== null) break;
    }
    throw new ProblemError(
      problem('LT_RUN_INCONCLUSIVE', `the workers could not make the load: ${formatRefusals(refusals)}`),
    );
  }

  async #offer({ job, hosts, workers }: DistributedRunRequest): Promise<void> {
    const { checkpoints, mailboxes, redis } = this.#context;
    this.#epoch++;
    checkpoints.put(job.runId, { epoch: this.#epoch, state: new Uint8Array() });
    const parts = shardRun(job, workers);
    const shards = threadShardsOf(parts);
    this.#merger = new RunMerger(this.job, shards);
    this.#shape = snapshotShapeOf(this.job, shards.length);
    this.#assignments = new Map(
      parts.map((part) => {
        const name = workers.find(({ id }) => id === part.workerId)?.name ?? part.workerId;
        return [part.workerId, createAssignment(part, name)];
      }),
    );
    const expires = Math.round(redisTime(await readRedisClock(redis)) + READY_TIMEOUT_MS);
    await Promise.all(
      parts.map(async ({ workerId, threadShards }) => {
        const what = { protocol: PROTOCOL_VERSION, runId: job.runId, epoch: this.#epoch, workerId, expires };
        await mailboxes.offer({ ...what, job, hosts, threadShards });
      }),
    );
  }

  /** Until all have said whether they are ready, the time is over, or the run is not wanted any more. */
  async #awaitReplies(): Promise<void> {
    const answered = () =>
      this.#abortReason !== null ||
      [...this.#assignments.values()].every(({ ready, refusal }) => ready !== null || refusal !== null);
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, READY_TIMEOUT_MS);
      this.#onChange = () => {
        if (!answered()) return;
        clearTimeout(late);
        resolve();
      };
      this.#onChange();
    });
    this.#onChange = () => undefined;
  }

  async #launch(): Promise<void> {
    const clock = await readRedisClock(this.#context.redis);
    // It was ended meanwhile, such as by a service that closes.
    if (this.#over) return;
    const startAt = redisTime(clock) + START_LEAD_MS;
    const start = startAt - clock.offsetMs;
    for (const assignment of this.#assignments.values()) assignment.lastHeardAt = start;
    this.#startAt = startAt;
    this.#monitor(start);
    await this.#send({ kind: 'start', startAt });
    this.#saveCheckpoint();
    if (this.#abortReason !== null) this.stop(this.#abortReason);
  }

  /** From its start on, or from when it was taken up. */
  #monitor(start: number): void {
    this.#start = start;
    this.#repeat(SYNC_INTERVAL_MS, () => {
      this.#acknowledge();
      this.#checkErrorThreshold();
    });
    this.#repeat(CHECKPOINT_INTERVAL_MS, () => {
      this.#saveCheckpoint();
    });
    const { duration, timeout } = this.job;
    // Of one that was taken up late, what has been told meanwhile is read first.
    this.#schedule(Math.max(0, start - processTime() + duration + timeout) + MAX_SILENCE_MS, () => {
      this.#loseAll('it did not end');
    });
  }

  // --- while it goes on

  async #listen(): Promise<void> {
    const { seal } = this.#context;
    const { runId } = this.job;
    const from = { seal, box: fromWorkersStream(runId) };
    while (!this.#over) {
      const heard = await receiveSealed(
        this.#blockingRedis,
        from,
        this.#lastMessageId,
        POLL_TIMEOUT_MS,
      ).catch(() => null);
      if (heard === null) {
        // Redis is away; whoever makes load ends by its lease.
        await sleep(POLL_TIMEOUT_MS);
        continue;
      }
      this.#guard(() => {
        for (const letter of heard.letters) this.#receive(letter);
        this.#lastMessageId = heard.last;
        this.#checkSilence();
      });
    }
    this.#blockingRedis.disconnect();
  }

  #receive({ epoch, workerId, ordinal, body }: SealedMessage): void {
    const assignment = this.#assignments.get(workerId);
    if (this.#over || assignment === undefined || epoch !== this.#epoch || assignment.finalMessage !== null)
      return;
    const message = this.#shape === null ? null : decodeMessage(body, this.#shape);
    if (message === null) {
      this.#lose(assignment, 'it told something that nobody understands');
      return;
    }
    if (message.kind === 'counts') {
      if (-ordinal <= assignment.countsSequence) return;
      Object.assign(assignment, {
        countsSequence: -ordinal,
        finished: message.finished,
        failed: message.failed,
      });
      return;
    }
    // Sent once more, since nobody knew that it had arrived.
    if (ordinal < assignment.nextSequence) return;
    if (ordinal > assignment.nextSequence) {
      this.#lose(assignment, 'something that it told did not arrive');
      return;
    }
    assignment.nextSequence++;
    assignment.lastHeardAt = Math.max(assignment.lastHeardAt, processTime());
    this.#handle(assignment, message);
  }

  #handle(assignment: WorkerAssignment, message: Exclude<WorkerMessage, { readonly kind: 'counts' }>): void {
    switch (message.kind) {
      case 'ready':
        assignment.ready = message;
        this.#onChange();
        return;
      case 'refused':
        assignment.refusal = `refused: ${message.reason}`;
        this.#onChange();
        return;
      case 'progress':
        this.#addProgress(assignment, message);
        return;
      case 'final':
        this.#closeLedger(assignment, message);
        return;
    }
  }

  #addProgress(
    assignment: WorkerAssignment,
    { snapshots, exchanges, done, lost, overloaded }: ProgressMessage,
  ): void {
    const merger = this.#merger;
    if (merger === null || this.#start === null) return;
    for (const snapshot of snapshots) {
      if (!assignment.shard.threadShards.some(({ threadIndex }) => threadIndex === snapshot.threadIndex)) {
        this.#lose(assignment, 'it told of a part that is not its own');
        return;
      }
      addSnapshot(assignment, snapshot, this.job.warmup);
      const progress = merger.add(snapshot);
      if (progress === null) continue;
      this.#progress = progress;
      this.#onProgress(progress);
    }
    for (const exchange of exchanges) merger.addExchange(exchange);
    if (overloaded) {
      merger.markOverloaded();
      this.stop('partial');
    }
    for (const { shard, time } of done) merger.close(shard, time);
    for (const share of lost) {
      assignment.lossReason ??= 'one of its threads died';
      merger.lose(share, 'aborted', processTime() - this.#start);
      this.stop('partial');
    }
    this.#endIfOver();
  }

  #closeLedger(assignment: WorkerAssignment, message: FinalMessage): void {
    const whole = assignment.shard.threadShards.every(
      ({ threadIndex }) => this.#merger?.isClosed(threadIndex) === true,
    );
    if (!whole || !areTotalsEqual(message.totals, assignment.totals) || message.endedBy !== null) {
      this.#lose(assignment, explainIncomplete(whole, message.endedBy), message);
      return;
    }
    assignment.finalMessage = message;
    this.#endIfOver();
  }

  #checkSilence(): void {
    if (this.#start === null) return;
    const now = processTime();
    for (const assignment of this.#assignments.values()) {
      if (assignment.finalMessage === null && now - assignment.lastHeardAt > MAX_SILENCE_MS)
        this.#lose(assignment, `it said nothing for ${MAX_SILENCE_MS / 1000} s`);
    }
  }

  /** Nothing more is taken from it; what it had told stands. */
  #lose(assignment: WorkerAssignment, why: string, last: FinalMessage | 'lost' = 'lost'): void {
    const { runId } = this.job;
    if (this.#over || assignment.finalMessage !== null) return;
    this.#context.warn({ event: 'worker-lost', run: runId, worker: assignment.name, reason: why });
    assignment.finalMessage = last;
    assignment.lossReason ??= why;
    const elapsed = this.#start === null ? 0 : Math.max(0, processTime() - this.#start);
    for (const { threadIndex } of assignment.shard.threadShards)
      this.#merger?.lose(threadIndex, 'aborted', elapsed);
    this.stop('partial');
    this.#endIfOver();
  }

  #loseAll(why: string): void {
    for (const assignment of this.#assignments.values()) this.#lose(assignment, why);
    if (!this.#over && this.#start === null) this.#endUnstarted(this.#abortReason ?? 'partial');
  }

  /** What is new of it alone: every worker reads what all of them are told. */
  #acknowledge(): void {
    const merged: Record<string, number> = {};
    for (const [id, assignment] of this.#assignments) {
      const newest = assignment.nextSequence - 1;
      if (assignment.finalMessage !== null || newest === assignment.acknowledged) continue;
      assignment.acknowledged = newest;
      merged[id] = newest;
    }
    if (this.#stop === null && Object.keys(merged).length === 0) return;
    void this.#send({ kind: 'acknowledged', merged, stop: this.#stop }).then((said) => {
      if (!said) for (const assignment of this.#assignments.values()) assignment.acknowledged = NO_SEQUENCE;
    });
  }

  #checkErrorThreshold(): void {
    let finished = 0;
    let failed = 0;
    for (const assignment of this.#assignments.values()) {
      finished += assignment.finished;
      failed += assignment.failed;
    }
    if (this.#merger?.reachesErrorThreshold({ finished, failed }) === true) this.stop('error_threshold');
  }

  /** Keeps all that is known, and lets go in Redis of what it came from. Never throws. */
  #saveCheckpoint(): void {
    const { redis, checkpoints, warn } = this.#context;
    const { runId } = this.job;
    if (this.#merger === null) return;
    const head: CheckpointHeader = {
      ...{
        job: this.job,
        assignments: [...this.#assignments.values()].map(checkpointAssignment),
        lastMessageId: this.#lastMessageId,
        nextOrdinal: this.#nextOrdinal,
      },
      ...{ startAt: this.#startAt, stop: this.#stop, progress: this.#progress },
    };
    try {
      checkpoints.put(runId, { epoch: this.#epoch, state: encodeCheckpoint(head, this.#merger) });
    } catch (error) {
      // It goes on, and what was kept before still leads to the same figures.
      warn({ event: 'checkpoint-failed', run: runId, reason: error instanceof Error ? error.message : '' });
      return;
    }
    redis.xtrim(fromWorkersKey(runId), 'MINID', this.#lastMessageId).catch(() => undefined);
  }

  /** Whether it has arrived. Never rejects: it is said again with the next acknowledgement, or the lease ends. */
  async #send(message: ServiceMessage): Promise<boolean> {
    const { redis, seal } = this.#context;
    const { runId } = this.job;
    const to = { seal, box: toWorkersStream(runId) };
    const about = { epoch: this.#epoch, workerId: '', ordinal: this.#nextOrdinal++ };
    return await sendSealed(redis, to, about, Buffer.from(JSON.stringify(message))).then(
      () => true,
      () => false,
    );
  }

  // --- the end

  /** A bug in adding up one run ends that run, with what is known, and nothing beside it. */
  #guard(act: () => void): void {
    try {
      act();
    } catch (error) {
      const { message } = toError(error);
      this.#context.warn({ event: 'merge-failed', run: this.job.runId, reason: message });
      try {
        this.#loseAll('what it told could not be added up');
      } catch (again) {
        this.#fail(toError(again));
      }
    }
  }

  #surroundings(): GeneratorEnvironment {
    const all = [...this.#assignments.values()].flatMap(({ ready }) =>
      ready === null ? [] : [ready.surroundings],
    );
    const quotas = all.flatMap(({ quota }) => (quota === null ? [] : [quota]));
    return {
      version: this.#context.version,
      cores: all.reduce((sum, { cores }) => sum + cores, 0),
      quota: quotas.length === 0 ? null : quotas.reduce((sum, quota) => sum + quota, 0),
      threadReason: this.job.threads === null ? 'cores' : 'asked',
      node: all[0]?.node ?? '',
    };
  }

  #workerReports(): readonly WorkerReport[] {
    return [...this.#assignments.values()].map(toWorkerReport);
  }

  #reportOf(merger: RunMerger): RunReport {
    return { ...merger.report(this.#surroundings()), workers: this.#workerReports() };
  }

  #endIfOver(): void {
    const merger = this.#merger;
    if (this.#over || merger?.isOver() !== true) return;
    if ([...this.#assignments.values()].some(({ finalMessage }) => finalMessage === null)) return;
    this.#finish(() => this.#reportOf(merger));
  }

  /** Nobody was told to start. */
  #endUnstarted(reason: AbortReason): void {
    const merger = this.#merger;
    if (merger === null) {
      this.#fail(new ProblemError(problem('LT_RUN_INCONCLUSIVE', 'the run was ended before it began')));
      return;
    }
    const unstarted = merger.abort(reason);
    for (const { shard } of this.#assignments.values()) {
      for (const { threadIndex } of shard.threadShards) merger.lose(threadIndex, unstarted, 0);
    }
    this.#finish(() => this.#reportOf(merger));
  }

  #fail(cause: Error): void {
    if (this.#over) return;
    this.#finish(() => {
      throw cause;
    });
  }

  /** @param report may throw: the run has failed then */
  #finish(report: () => RunReport): void {
    this.#over = true;
    this.#timers.end();
    const { redis } = this.#context;
    const { runId } = this.job;
    for (const key of [toWorkersKey(runId), fromWorkersKey(runId)]) {
      redis.pexpire(key, KEY_TTL_MS.chunk).catch(() => undefined);
    }
    try {
      this.#resolve(report());
    } catch (error) {
      this.#reject(toError(error));
    }
  }

  #schedule(ms: number, act: () => void): void {
    this.#timers.schedule(ms, () => {
      this.#guard(act);
    });
  }

  #repeat(ms: number, act: () => void): void {
    this.#timers.repeat(ms, () => {
      this.#guard(act);
    });
  }
}

function toError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}

/** All that must be known to go on, beside what the merger puts down. */
interface CheckpointHeader {
  readonly job: LoadJob;
  readonly assignments: readonly AssignmentCheckpoint[];
  readonly lastMessageId: string;
  readonly nextOrdinal: number;
  readonly startAt: number;
  readonly stop: StopCommand | null;
  readonly progress: LoadProgress | null;
}

/** More than is said between two commits. */
const ORDINAL_GAP = 1_000_000;

const LENGTH_BYTES = 4;

function encodeCheckpoint(head: CheckpointHeader, merger: RunMerger): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, merger.toCheckpoint()]);
}

/** Null: nothing was kept yet, or by another version. */
function decodeCheckpoint(
  state: Uint8Array,
): { readonly head: CheckpointHeader; readonly merger: RunMerger } | null {
  const bytes = Buffer.from(state);
  if (bytes.length < LENGTH_BYTES) return null;
  const until = LENGTH_BYTES + bytes.readUInt32BE();
  // Written by this service, in a database that it trusts.
  const head = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, until)) as CheckpointHeader;
  const shards = threadShardsOf(head.assignments.map(({ shard }) => shard));
  const merger = RunMerger.fromCheckpoint(head.job, shards, bytes.subarray(until));
  return merger === null ? null : { head, merger };
}

function explainIncomplete(whole: boolean, endedBy: FinalMessage['endedBy']): string {
  if (endedBy !== null) return EARLY_END_REASONS[endedBy];
  return whole ? 'its own count differs from what it told' : 'it made no load, or not all of it';
}

/** Of all parts, by their numbers. */
function threadShardsOf(parts: readonly WorkerShard[]): readonly Shard[] {
  return parts
    .flatMap(({ threadShards }) => threadShards)
    .sort((one, other) => one.threadIndex - other.threadIndex);
}

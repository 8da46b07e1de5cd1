/** One run whose load workers make: offers it, starts it, adds up what they tell, and ends it, whatever they do. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Surroundings } from '../core/load/generator-totals.ts';
import type { LoadJob } from '../core/load/job.ts';
import { RunMerger } from '../core/load/merge.ts';
import type { AbortReason, LoadProgress, RunReport, WorkerReport } from '../core/load/report.ts';
import type { RunKeep } from '../core/ports/run-keep.ts';
import type { OnProgress, VerifiedHost } from '../core/ports/runner.ts';
import { problem, ProblemError } from '../core/problem.ts';
import type { Share } from '../core/load/shard.ts';
import { shapeOfSlices, type SliceShape } from '../core/load/slice-codec.ts';
import { processTime } from '../engine/clock.ts';
import { withoutRows } from '../engine/row-table.ts';
import type { Redis } from 'ioredis';
import { LIVES_FOR, ofWorkersKey, toWorkersKey } from './keys.ts';
import { BEGINNING, ofWorkersBox, receive, send, toWorkersBox, type Letter } from './letters.ts';
import type { Mailboxes } from './mailbox.ts';
import {
  addSlice,
  keepMaker,
  newMaker,
  NOTHING_YET,
  reportMaker,
  takeUpMaker,
  type KeptMaker,
  type Maker,
} from './maker.ts';
import {
  GO_AHEAD_MS,
  LEASE_DRAIN_MS,
  PROTOCOL_VERSION,
  PULSE_EVERY_MS,
  READY_WITHIN_MS,
  SILENCE_MS,
  type ClosedMessage,
  type OfWorker,
  type Presence,
  type StopOrder,
  type ToldMessage,
  type ToWorkers,
} from './messages.ts';
import { areEqual } from './part-sums.ts';
import { readRedisClock, redisTime } from './redis-clock.ts';
import { refusalsText, type PartRefusal } from './refusals.ts';
import type { Seal } from './seal.ts';
import { findClusterShortage, splitRun, type Part } from './split.ts';
import { Timers } from './timers.ts';
import { unpackMessage } from './told-codec.ts';

export interface RunTools {
  readonly redis: Redis;
  /** A connection that may block in Redis for so long. */
  readonly connect: (blockMs: number) => Redis;
  readonly seal: Seal;
  readonly mailboxes: Mailboxes;
  readonly keep: RunKeep;
  readonly version: string;
  /** Somebody is away for good, or says what cannot be. */
  readonly warn: (line: { readonly event: string; readonly [field: string]: unknown }) => void;
}

export interface RunOrder {
  readonly job: LoadJob;
  readonly hosts: readonly VerifiedHost[];
  /** Who is free now. */
  readonly workers: readonly Presence[];
}

/** How long one look at the stream may wait: also how often silence is noticed. */
const LISTEN_MS = 200;

const COMMIT_EVERY_MS = 10_000;

/** How the load of a worker ended before its time. */
const ENDED_BY: Readonly<Record<Exclude<ClosedMessage['endedBy'], null>, string>> = {
  lease: 'its lease ended: it heard nothing of the service',
  signal: 'it was ended by a signal',
};

export class RunElsewhere {
  readonly ended: Promise<RunReport>;
  /** Without its rows. */
  readonly job: LoadJob;
  readonly #tools: RunTools;
  readonly #onProgress: OnProgress;
  readonly #listening: Redis;
  readonly #timers = new Timers();
  #epoch: number;
  #makers = new Map<string, Maker>();
  #merger: RunMerger | null = null;
  #shape: SliceShape | null = null;
  #said = 0;
  #after = BEGINNING;
  /** On the process's clock; null before it is told. */
  #start: number | null = null;
  /** The same in Redis' time. */
  #startAt = 0;
  #told: LoadProgress | null = null;
  #stop: StopOrder | null = null;
  /** Somebody wants it to end before it began. */
  #unwanted: AbortReason | null = null;
  #over = false;
  #changed: () => void = () => undefined;
  #resolve: (report: RunReport) => void = () => undefined;
  #reject: (cause: Error) => void = () => undefined;

  private constructor(job: LoadJob, tools: RunTools, onProgress: OnProgress) {
    this.job = withoutRows(job);
    this.#tools = tools;
    this.#onProgress = onProgress;
    this.#epoch = tools.keep.get(job.runId)?.epoch ?? 0;
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#listening = tools.connect(LISTEN_MS);
  }

  static begin(order: RunOrder, tools: RunTools, onProgress: OnProgress): RunElsewhere {
    const run = new RunElsewhere(order.job, tools, onProgress);
    void run.#listen();
    run.#begin(order).catch((error: unknown) => {
      run.#fail(errorOf(error));
    });
    return run;
  }

  /** One that an earlier process of the service began. Null: it had not started, or what was kept cannot be read. */
  static async takeUp(runId: string, tools: RunTools, onProgress: OnProgress): Promise<RunElsewhere | null> {
    const kept = readKept(tools.keep.get(runId)?.state ?? new Uint8Array());
    if (kept === null) return null;
    const { head, merger } = kept;
    const clock = await readRedisClock(tools.redis);
    const run = new RunElsewhere(head.job, tools, onProgress);
    run.#merger = merger;
    run.#shape = shapeOfSlices(head.job, sharesOf(head.makers.map(({ part }) => part)).length);
    const now = processTime();
    for (const maker of head.makers) run.#makers.set(maker.part.workerId, takeUpMaker(maker, now));
    run.#after = head.after;
    // Whatever was said since it was kept.
    run.#said = head.said + SAID_SINCE;
    run.#startAt = head.startAt;
    run.#stop = head.stop;
    run.#told = head.told;
    run.#follow(head.startAt - clock.offsetMs);
    void run.#listen();
    return run;
  }

  /** Whether a worker has a part in it that it has not made yet. Of one that was lost nobody knows. */
  occupies(workerId: string): boolean {
    const maker = this.#makers.get(workerId);
    return maker !== undefined && (maker.closed === null || maker.closed === 'lost');
  }

  /** What was told of it last. */
  get told(): LoadProgress | null {
    return this.#told;
  }

  soFar(): RunReport | null {
    const report = this.#merger?.soFar(this.#surroundings()) ?? null;
    return report && { ...report, workers: this.#workers() };
  }

  /** @param drainMs how long requests in flight may take to finish */
  stop(reason: AbortReason, drainMs: number = this.job.timeout): void {
    if (this.#over) return;
    if (this.#start === null || this.#merger === null) {
      this.#unwanted ??= reason;
      this.#changed();
      return;
    }
    const unstarted = this.#merger.abort(reason);
    if (this.#stop !== null && this.#stop.drainMs <= drainMs) return;
    this.#stop = { reason, unstarted, drainMs };
    void this.#say({ kind: 'stop', stop: this.#stop });
    // Whatever is heard of it: a worker that does not end is not waited for without end.
    this.#later(drainMs + LEASE_DRAIN_MS + SILENCE_MS, () => {
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

  async #begin(order: RunOrder): Promise<void> {
    let { workers } = order;
    const refusals: PartRefusal[] = [];
    for (let attempt = 1; attempt <= 2; attempt++) {
      await this.#offer({ ...order, workers });
      await this.#untilAnswered();
      const makers = [...this.#makers.values()];
      if (this.#unwanted !== null) {
        await this.#say({ kind: 'cancel' });
        this.#endUnstarted(this.#unwanted);
        return;
      }
      const ready = makers.filter((maker) => maker.ready !== null);
      if (ready.length === makers.length) {
        await this.#go();
        return;
      }
      // Who gets ready from here on comes too late.
      const late = makers.filter((maker) => !ready.includes(maker));
      await this.#say({ kind: 'cancel' });
      for (const { name, refused } of late) {
        const reason = refused ?? `not ready within ${READY_WITHIN_MS / 1000} s`;
        refusals.push({ name, reason });
        this.#tools.warn({ event: 'part-refused', run: this.job.runId, worker: name, reason });
      }
      workers = workers.filter(({ id }) => ready.some(({ part }) => part.workerId === id));
      if (workers.length === 0 || findClusterShortage(this.job, workers, workers) !== null) break;
    }
    throw new ProblemError(
      problem('LT_RUN_INCONCLUSIVE', `the workers could not make the load: ${refusalsText(refusals)}`),
    );
  }

  async #offer({ job, hosts, workers }: RunOrder): Promise<void> {
    const { keep, mailboxes, redis } = this.#tools;
    this.#epoch++;
    keep.put(job.runId, { epoch: this.#epoch, state: new Uint8Array() });
    const parts = splitRun(job, workers);
    const shares = sharesOf(parts);
    this.#merger = new RunMerger(this.job, shares);
    this.#shape = shapeOfSlices(this.job, shares.length);
    this.#makers = new Map(
      parts.map((part) => {
        const name = workers.find(({ id }) => id === part.workerId)?.name ?? part.workerId;
        return [part.workerId, newMaker(part, name)];
      }),
    );
    const expires = Math.round(redisTime(await readRedisClock(redis)) + READY_WITHIN_MS);
    await Promise.all(
      parts.map(async ({ workerId, shares }) => {
        const what = { protocol: PROTOCOL_VERSION, runId: job.runId, epoch: this.#epoch, workerId, expires };
        await mailboxes.offer({ ...what, job, hosts, shares });
      }),
    );
  }

  /** Until all have said whether they are ready, the time is over, or the run is not wanted any more. */
  async #untilAnswered(): Promise<void> {
    const answered = () =>
      this.#unwanted !== null ||
      [...this.#makers.values()].every(({ ready, refused }) => ready !== null || refused !== null);
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, READY_WITHIN_MS);
      this.#changed = () => {
        if (!answered()) return;
        clearTimeout(late);
        resolve();
      };
      this.#changed();
    });
    this.#changed = () => undefined;
  }

  async #go(): Promise<void> {
    const clock = await readRedisClock(this.#tools.redis);
    // It was ended meanwhile, such as by a service that closes.
    if (this.#over) return;
    const startAt = redisTime(clock) + GO_AHEAD_MS;
    const start = startAt - clock.offsetMs;
    for (const maker of this.#makers.values()) maker.heardAt = start;
    this.#startAt = startAt;
    this.#follow(start);
    await this.#say({ kind: 'go', startAt });
    this.#commit();
    if (this.#unwanted !== null) this.stop(this.#unwanted);
  }

  /** From its start on, or from when it was taken up. */
  #follow(start: number): void {
    this.#start = start;
    this.#each(PULSE_EVERY_MS, () => {
      this.#acknowledge();
      this.#judge();
    });
    this.#each(COMMIT_EVERY_MS, () => {
      this.#commit();
    });
    const { duration, timeout } = this.job;
    // Of one that was taken up late, what has been told meanwhile is read first.
    this.#later(Math.max(0, start - processTime() + duration + timeout) + SILENCE_MS, () => {
      this.#loseAll('it did not end');
    });
  }

  // --- while it goes on

  async #listen(): Promise<void> {
    const { seal } = this.#tools;
    const { runId } = this.job;
    const from = { seal, box: ofWorkersBox(runId) };
    while (!this.#over) {
      const heard = await receive(this.#listening, from, this.#after, LISTEN_MS).catch(() => null);
      if (heard === null) {
        // Redis is away; whoever makes load ends by its lease.
        await sleep(LISTEN_MS);
        continue;
      }
      this.#safely(() => {
        for (const letter of heard.letters) this.#hear(letter);
        this.#after = heard.last;
        this.#noticeSilence();
      });
    }
    this.#listening.disconnect();
  }

  #hear({ epoch, workerId, mark, body }: Letter): void {
    const maker = this.#makers.get(workerId);
    if (this.#over || maker === undefined || epoch !== this.#epoch || maker.closed !== null) return;
    const message = this.#shape === null ? null : unpackMessage(body, this.#shape);
    if (message === null) {
      this.#lose(maker, 'it told something that nobody understands');
      return;
    }
    if (message.kind === 'pulse') {
      if (-mark <= maker.pulses) return;
      Object.assign(maker, { pulses: -mark, finished: message.finished, failed: message.failed });
      return;
    }
    // Sent once more, since nobody knew that it had arrived.
    if (mark < maker.next) return;
    if (mark > maker.next) {
      this.#lose(maker, 'something that it told did not arrive');
      return;
    }
    maker.next++;
    maker.heardAt = Math.max(maker.heardAt, processTime());
    this.#take(maker, message);
  }

  #take(maker: Maker, message: Exclude<OfWorker, { readonly kind: 'pulse' }>): void {
    switch (message.kind) {
      case 'ready':
        maker.ready = message;
        this.#changed();
        return;
      case 'refused':
        maker.refused = `refused: ${message.reason}`;
        this.#changed();
        return;
      case 'told':
        this.#add(maker, message);
        return;
      case 'closed':
        this.#closeLedger(maker, message);
        return;
    }
  }

  #add(maker: Maker, { slices, exchanges, done, lost, overloaded }: ToldMessage): void {
    const merger = this.#merger;
    if (merger === null || this.#start === null) return;
    for (const slice of slices) {
      if (!maker.part.shares.some(({ worker }) => worker === slice.worker)) {
        this.#lose(maker, 'it told of a part that is not its own');
        return;
      }
      addSlice(maker, slice, this.job.warmup);
      const progress = merger.add(slice);
      if (progress === null) continue;
      this.#told = progress;
      this.#onProgress(progress);
    }
    for (const exchange of exchanges) merger.keep(exchange);
    if (overloaded) {
      merger.overload();
      this.stop('partial');
    }
    for (const { share, time } of done) merger.close(share, time);
    for (const share of lost) {
      maker.lost ??= 'one of its threads died';
      merger.lose(share, 'aborted', processTime() - this.#start);
      this.stop('partial');
    }
    this.#endIfOver();
  }

  #closeLedger(maker: Maker, message: ClosedMessage): void {
    const whole = maker.part.shares.every(({ worker }) => this.#merger?.isClosed(worker) === true);
    if (!whole || !areEqual(message.sums, maker.sums) || message.endedBy !== null) {
      this.#lose(maker, whyNotWhole(whole, message.endedBy), message);
      return;
    }
    maker.closed = message;
    this.#endIfOver();
  }

  #noticeSilence(): void {
    if (this.#start === null) return;
    const now = processTime();
    for (const maker of this.#makers.values()) {
      if (maker.closed === null && now - maker.heardAt > SILENCE_MS)
        this.#lose(maker, `it said nothing for ${SILENCE_MS / 1000} s`);
    }
  }

  /** Nothing more is taken from it; what it had told stands. */
  #lose(maker: Maker, why: string, last: ClosedMessage | 'lost' = 'lost'): void {
    const { runId } = this.job;
    if (this.#over || maker.closed !== null) return;
    this.#tools.warn({ event: 'worker-lost', run: runId, worker: maker.name, reason: why });
    maker.closed = last;
    maker.lost ??= why;
    const elapsed = this.#start === null ? 0 : Math.max(0, processTime() - this.#start);
    for (const { worker } of maker.part.shares) this.#merger?.lose(worker, 'aborted', elapsed);
    this.stop('partial');
    this.#endIfOver();
  }

  #loseAll(why: string): void {
    for (const maker of this.#makers.values()) this.#lose(maker, why);
    if (!this.#over && this.#start === null) this.#endUnstarted(this.#unwanted ?? 'partial');
  }

  /** What is new of it alone: every worker reads what all of them are told. */
  #acknowledge(): void {
    const merged: Record<string, number> = {};
    for (const [id, maker] of this.#makers) {
      const newest = maker.next - 1;
      if (maker.closed !== null || newest === maker.acknowledged) continue;
      maker.acknowledged = newest;
      merged[id] = newest;
    }
    if (this.#stop === null && Object.keys(merged).length === 0) return;
    void this.#say({ kind: 'acknowledged', merged, stop: this.#stop }).then((said) => {
      if (!said) for (const maker of this.#makers.values()) maker.acknowledged = NOTHING_YET;
    });
  }

  #judge(): void {
    let finished = 0;
    let failed = 0;
    for (const maker of this.#makers.values()) {
      finished += maker.finished;
      failed += maker.failed;
    }
    if (this.#merger?.endsByErrors({ finished, failed }) === true) this.stop('error_threshold');
  }

  /** Keeps all that is known, and lets go in Redis of what it came from. Never throws. */
  #commit(): void {
    const { redis, keep, warn } = this.#tools;
    const { runId } = this.job;
    if (this.#merger === null) return;
    const head: KeptHead = {
      ...{
        job: this.job,
        makers: [...this.#makers.values()].map(keepMaker),
        after: this.#after,
        said: this.#said,
      },
      ...{ startAt: this.#startAt, stop: this.#stop, told: this.#told },
    };
    try {
      keep.put(runId, { epoch: this.#epoch, state: writeKept(head, this.#merger) });
    } catch (error) {
      // It goes on, and what was kept before still leads to the same figures.
      warn({ event: 'checkpoint-failed', run: runId, reason: error instanceof Error ? error.message : '' });
      return;
    }
    redis.xtrim(ofWorkersKey(runId), 'MINID', this.#after).catch(() => undefined);
  }

  /** Whether it has arrived. Never rejects: it is said again with the next acknowledgement, or the lease ends. */
  async #say(message: ToWorkers): Promise<boolean> {
    const { redis, seal } = this.#tools;
    const { runId } = this.job;
    const to = { seal, box: toWorkersBox(runId) };
    const about = { epoch: this.#epoch, workerId: '', mark: this.#said++ };
    return await send(redis, to, about, Buffer.from(JSON.stringify(message))).then(
      () => true,
      () => false,
    );
  }

  // --- the end

  /** A bug in adding up one run ends that run, with what is known, and nothing beside it. */
  #safely(act: () => void): void {
    try {
      act();
    } catch (error) {
      const { message } = errorOf(error);
      this.#tools.warn({ event: 'merge-failed', run: this.job.runId, reason: message });
      try {
        this.#loseAll('what it told could not be added up');
      } catch (again) {
        this.#fail(errorOf(again));
      }
    }
  }

  #surroundings(): Surroundings {
    const all = [...this.#makers.values()].flatMap(({ ready }) =>
      ready === null ? [] : [ready.surroundings],
    );
    const quotas = all.flatMap(({ quota }) => (quota === null ? [] : [quota]));
    return {
      version: this.#tools.version,
      cores: all.reduce((sum, { cores }) => sum + cores, 0),
      quota: quotas.length === 0 ? null : quotas.reduce((sum, quota) => sum + quota, 0),
      because: this.job.threads === null ? 'cores' : 'asked',
      node: all[0]?.node ?? '',
    };
  }

  #workers(): readonly WorkerReport[] {
    return [...this.#makers.values()].map(reportMaker);
  }

  #reportOf(merger: RunMerger): RunReport {
    return { ...merger.report(this.#surroundings()), workers: this.#workers() };
  }

  #endIfOver(): void {
    const merger = this.#merger;
    if (this.#over || merger?.isOver() !== true) return;
    if ([...this.#makers.values()].some(({ closed }) => closed === null)) return;
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
    for (const { part } of this.#makers.values()) {
      for (const { worker } of part.shares) merger.lose(worker, unstarted, 0);
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
    const { redis } = this.#tools;
    const { runId } = this.job;
    for (const key of [toWorkersKey(runId), ofWorkersKey(runId)]) {
      redis.pexpire(key, LIVES_FOR.piece).catch(() => undefined);
    }
    try {
      this.#resolve(report());
    } catch (error) {
      this.#reject(errorOf(error));
    }
  }

  #later(ms: number, act: () => void): void {
    this.#timers.later(ms, () => {
      this.#safely(act);
    });
  }

  #each(ms: number, act: () => void): void {
    this.#timers.each(ms, () => {
      this.#safely(act);
    });
  }
}

function errorOf(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}

/** All that must be known to go on, beside what the merger puts down. */
interface KeptHead {
  readonly job: LoadJob;
  readonly makers: readonly KeptMaker[];
  readonly after: string;
  readonly said: number;
  readonly startAt: number;
  readonly stop: StopOrder | null;
  readonly told: LoadProgress | null;
}

/** More than is said between two commits. */
const SAID_SINCE = 1_000_000;

const LENGTH_BYTES = 4;

function writeKept(head: KeptHead, merger: RunMerger): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, merger.putDown()]);
}

/** Null: nothing was kept yet, or by another version. */
function readKept(state: Uint8Array): { readonly head: KeptHead; readonly merger: RunMerger } | null {
  const bytes = Buffer.from(state);
  if (bytes.length < LENGTH_BYTES) return null;
  const until = LENGTH_BYTES + bytes.readUInt32BE();
  // Written by this service, in a database that it trusts.
  const head = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, until)) as KeptHead;
  const shares = sharesOf(head.makers.map(({ part }) => part));
  const merger = RunMerger.takenUp(head.job, shares, bytes.subarray(until));
  return merger === null ? null : { head, merger };
}

function whyNotWhole(whole: boolean, endedBy: ClosedMessage['endedBy']): string {
  if (endedBy !== null) return ENDED_BY[endedBy];
  return whole ? 'its own count differs from what it told' : 'it made no load, or not all of it';
}

/** Of all parts, by their numbers. */
function sharesOf(parts: readonly Part[]): readonly Share[] {
  return parts.flatMap(({ shares }) => shares).sort((one, other) => one.worker - other.worker);
}

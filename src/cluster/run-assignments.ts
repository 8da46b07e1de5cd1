/** Assignments of a run's shards to workers. Checks the messages of the workers and merges the measurements. */
import type { GeneratorEnvironment } from '../core/load/generator-totals.ts';
import type { LoadJob } from '../core/load/load-job.ts';
import { RunMerger } from '../core/load/run-merger.ts';
import type { LoadProgress, RunReport } from '../core/load/run-report.ts';
import { snapshotShapeOf, type SnapshotShape } from '../core/load/snapshot-codec.ts';
import { processTime } from '../engine/clock.ts';
import {
  LEASE_MS,
  MAX_SILENCE_MS,
  type FinalMessage,
  type ProgressMessage,
  type WorkerMessage,
} from './cluster-messages.ts';
import { decodeMessage } from './message-codec.ts';
import { listThreadShards, type WorkerShard } from './run-sharding.ts';
import type { SealedMessage } from './sealed-stream.ts';
import { areTotalsEqual } from './shard-totals.ts';
import { addSnapshot, NO_SEQUENCE, toWorkerReport, type WorkerAssignment } from './worker-assignment.ts';
import { sumOf } from '../core/sum.ts';

export interface AssignmentEvents {
  /** Called when a worker has accepted or refused its shard. */
  readonly onReply: () => void;
  readonly onProgress: (progress: LoadProgress) => void;
  /** Called if a worker is lost or ends with an incomplete shard. Further messages of the worker are ignored. */
  readonly onLost: (assignment: WorkerAssignment, reason: string) => void;
  /** Called when part of the load or of the measurements is missing. */
  readonly onIncomplete: () => void;
}

const INVALID_MESSAGE = 'sent an invalid message';

const EARLY_END_REASONS: Readonly<Record<Exclude<FinalMessage['endedBy'], null>, string>> = {
  lease: 'lease expired (no contact with the service)',
  signal: 'stopped by a signal',
};

export class RunAssignments {
  readonly merger: RunMerger;
  /** Start of the run on the process clock, in ms; null before the start command. */
  start: number | null = null;
  readonly #job: LoadJob;
  readonly #events: AssignmentEvents;
  readonly #shape: SnapshotShape;
  readonly #byWorker: ReadonlyMap<string, WorkerAssignment>;

  /** @param merger - Merger to continue; null to begin with an empty one. */
  constructor(
    job: LoadJob,
    assignments: readonly WorkerAssignment[],
    events: AssignmentEvents,
    merger: RunMerger | null,
  ) {
    const shards = listThreadShards(assignments.map(({ shard }) => shard));
    this.#job = job;
    this.#events = events;
    this.#shape = snapshotShapeOf(job, shards.length);
    this.#byWorker = new Map(assignments.map((assignment) => [assignment.shard.workerId, assignment]));
    this.merger = merger ?? new RunMerger(job, shards);
  }

  get hasStarted(): boolean {
    return this.start !== null;
  }

  list(): readonly WorkerAssignment[] {
    return [...this.#byWorker.values()];
  }

  shards(): readonly WorkerShard[] {
    return this.list().map(({ shard }) => shard);
  }

  /** True if a worker, even a lost one, may still be working on its shard. */
  occupies(workerId: string): boolean {
    const assignment = this.#byWorker.get(workerId);
    return (
      assignment !== undefined && (assignment.finalMessage === null || assignment.finalMessage === 'lost')
    );
  }

  haveReplied(): boolean {
    return this.list().every(({ ready, refusal }) => ready !== null || refusal !== null);
  }

  isOver(): boolean {
    return this.merger.isOver() && this.list().every(({ finalMessage }) => finalMessage !== null);
  }

  reachesErrorThreshold(): boolean {
    const counts = { finished: 0, failed: 0 };
    for (const { finished, failed } of this.list()) {
      counts.finished += finished;
      counts.failed += failed;
    }
    return this.merger.reachesErrorThreshold(counts);
  }

  /** Sets the start of the run, from which the silence of the workers is measured. */
  begin(start: number): void {
    this.start = start;
    for (const assignment of this.list()) assignment.lastHeardAt = start;
  }

  /**
   * Returns the latest merged sequence numbers by worker. Omits workers that have ended and numbers that the previous
   * call returned.
   */
  takeMergedSequences(): Readonly<Record<string, number>> {
    const merged: Record<string, number> = {};
    for (const [id, assignment] of this.#byWorker) {
      const newest = assignment.nextSequence - 1;
      if (assignment.finalMessage !== null || newest === assignment.acknowledged) continue;
      assignment.acknowledged = newest;
      merged[id] = newest;
    }
    return merged;
  }

  /** Marks all sequence numbers as unacknowledged, so that the next acknowledgment contains them again. */
  forgetAcknowledgements(): void {
    for (const assignment of this.list()) assignment.acknowledged = NO_SEQUENCE;
  }

  receive({ workerId, ordinal, body }: SealedMessage): void {
    const assignment = this.#byWorker.get(workerId);
    if (assignment === undefined || assignment.finalMessage !== null) return;
    const message = decodeMessage(body, this.#shape);
    if (message === null) {
      this.lose(assignment, INVALID_MESSAGE);
      return;
    }
    if (message.kind === 'counts') {
      if (-ordinal <= assignment.countsSequence) return;
      const { finished, failed } = message;
      Object.assign(assignment, { countsSequence: -ordinal, finished, failed });
      return;
    }
    // A worker repeats a message if it does not receive the reply of Redis.
    if (ordinal < assignment.nextSequence) return;
    if (ordinal > assignment.nextSequence) {
      this.lose(assignment, 'a message is missing');
      return;
    }
    assignment.nextSequence++;
    assignment.lastHeardAt = Math.max(assignment.lastHeardAt, processTime());
    this.#handle(assignment, message);
  }

  checkSilence(): void {
    if (this.start === null) return;
    const now = processTime();
    for (const assignment of this.list()) {
      if (now - assignment.lastHeardAt > MAX_SILENCE_MS)
        this.lose(assignment, `no message for ${MAX_SILENCE_MS / 1000} s`);
    }
  }

  /**
   * Ends an assignment whose load is incomplete or unknown. The snapshots that the worker has reported remain in the
   * result.
   * @param last - Last message of the worker; `lost` if the worker is treated as lost.
   */
  lose(assignment: WorkerAssignment, reason: string, last: FinalMessage | 'lost' = 'lost'): void {
    if (assignment.finalMessage !== null) return;
    const explained = last === 'lost' ? `${reason}${this.#missingText(assignment)}` : reason;
    this.#events.onLost(assignment, explained);
    assignment.finalMessage = last;
    assignment.lossReason ??= explained;
    const elapsed = this.start === null ? 0 : Math.max(0, processTime() - this.start);
    for (const { threadIndex } of assignment.shard.threadShards)
      this.merger.lose(threadIndex, 'aborted', elapsed);
    this.#events.onIncomplete();
  }

  report(version: string): RunReport {
    return this.#withWorkers(this.merger.report(this.#environment(version), this.#loadStartedAt()));
  }

  /** Returns a report on the run so far; null if no worker has reported anything. */
  partialReport(version: string): RunReport | null {
    const report = this.merger.partialReport(this.#environment(version), this.#loadStartedAt());
    return report && this.#withWorkers(report);
  }

  /**
   * Returns a message suffix with the maximum duration of the unreported load of a lost worker; empty if there is none.
   * A lost worker stops at most `LEASE_MS` after its latest reported second.
   */
  #missingText({ reportedSeconds = 0, shard }: WorkerAssignment): string {
    if (this.start === null) return '';
    if (shard.threadShards.every(({ threadIndex }) => this.merger.isClosed(threadIndex))) return '';
    const remaining = Math.max(0, this.#job.duration - reportedSeconds * 1000);
    const missing = Math.ceil(Math.min(LEASE_MS, remaining) / 1000);
    return missing === 0 ? '' : `; up to ${missing} s of its load is not counted`;
  }

  #handle(assignment: WorkerAssignment, message: Exclude<WorkerMessage, { readonly kind: 'counts' }>): void {
    switch (message.kind) {
      case 'ready':
        assignment.ready = message;
        this.#events.onReply();
        return;
      case 'refused':
        assignment.refusal = `refused the run: ${message.reason}`;
        this.#events.onReply();
        return;
      case 'progress':
        if (this.start !== null) this.#addProgress(assignment, message, this.start);
        return;
      case 'final':
        this.#closeLedger(assignment, message);
        return;
    }
  }

  #addProgress(
    assignment: WorkerAssignment,
    { snapshots, exchanges, done, lost, overloaded }: ProgressMessage,
    start: number,
  ): void {
    const own = new Set(assignment.shard.threadShards.map(({ threadIndex }) => threadIndex));
    const reported = [
      ...snapshots.map(({ threadIndex }) => threadIndex),
      ...done.map(({ shard }) => shard),
      ...lost,
    ];
    if (!reported.every((threadIndex) => own.has(threadIndex))) {
      this.lose(assignment, 'reported a shard of another worker');
      return;
    }
    const maxElapsed = (this.#shape.lastSecond + 1) * 1000;
    const isPlausible =
      done.every(({ time: { elapsed, loaded } }) => elapsed <= maxElapsed && loaded <= elapsed) &&
      (this.#job.trace !== null || exchanges.length === 0);
    if (!isPlausible) {
      this.lose(assignment, INVALID_MESSAGE);
      return;
    }
    for (const snapshot of snapshots) {
      if (!addSnapshot(assignment, snapshot, this.#job.warmup)) {
        this.lose(assignment, INVALID_MESSAGE);
        return;
      }
      this.merger.add(snapshot);
      this.#reportProgress();
    }
    for (const exchange of exchanges) this.merger.addExchange(exchange);
    if (overloaded) {
      this.merger.markOverloaded();
      this.#events.onIncomplete();
    }
    for (const { shard, time } of done) this.merger.close(shard, time);
    for (const shard of lost) {
      assignment.lossReason ??= 'one of its threads failed';
      this.merger.lose(shard, 'aborted', processTime() - start);
      this.#events.onIncomplete();
    }
    this.#reportProgress();
  }

  #reportProgress(): void {
    const progress = this.merger.progress();
    if (progress !== null) this.#events.onProgress(progress);
  }

  #closeLedger(assignment: WorkerAssignment, message: FinalMessage): void {
    const isComplete = assignment.shard.threadShards.every(({ threadIndex }) =>
      this.merger.isClosed(threadIndex),
    );
    if (!isComplete || !areTotalsEqual(message.totals, assignment.totals) || message.endedBy !== null) {
      this.lose(assignment, explainIncomplete(isComplete, message.endedBy), message);
      return;
    }
    assignment.finalMessage = message;
  }

  /** Returns the start of the load in milliseconds since the epoch; null before the start command. */
  #loadStartedAt(): number | null {
    return this.start === null ? null : Math.round(Date.now() - (processTime() - this.start));
  }

  #environment(version: string): GeneratorEnvironment {
    const all = this.list().flatMap(({ ready }) => (ready === null ? [] : [ready.environment]));
    const quotas = all.flatMap(({ quota }) => (quota === null ? [] : [quota]));
    return {
      version,
      cores: all.reduce((sum, { cores }) => sum + cores, 0),
      quota: quotas.length === 0 ? null : sumOf(quotas),
      threadReason: this.#job.threads === null ? 'cores' : 'asked',
      node: all[0]?.node ?? '',
    };
  }

  #withWorkers(report: RunReport): RunReport {
    return { ...report, workers: this.list().map(toWorkerReport) };
  }
}

function explainIncomplete(isComplete: boolean, endedBy: FinalMessage['endedBy']): string {
  if (endedBy !== null) return EARLY_END_REASONS[endedBy];
  return isComplete
    ? 'its final count does not match the counts it reported'
    : 'it generated none or only part of its load';
}

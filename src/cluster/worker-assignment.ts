/** One worker in one run: the part that it makes, what it has told so far, and what a result says of it. */
import { Histogram, type StoredHistogram } from '../core/load/histogram.ts';
import type { WorkerReport } from '../core/load/run-report.ts';
import type { Snapshot } from '../core/load/snapshot.ts';
import type { FinalMessage, ShardTotals, ReadyMessage } from './cluster-messages.ts';
import { EMPTY_TOTALS, withSnapshot } from './shard-totals.ts';
import type { WorkerShard } from './run-sharding.ts';

interface AssignmentState {
  readonly shard: WorkerShard;
  readonly name: string;
  ready: ReadyMessage | null;
  /** Why it will not. */
  refusal: string | null;
  /** The sequence that it tells next. */
  nextSequence: number;
  countsSequence: number;
  finished: number;
  failed: number;
  totals: ShardTotals;
  /** Its last word, or that there will be none. */
  finalMessage: FinalMessage | 'lost' | null;
  /** Why something of its part is missing; null: nothing is, so far. */
  lossReason: string | null;
}

/** Before the first sequence, which is 0. */
export const NO_SEQUENCE = -1;

export interface WorkerAssignment extends AssignmentState {
  /** How late its threads were, in µs, behind the warm-up. */
  readonly lag: Histogram;
  /** On the process's clock. */
  lastHeardAt: number;
  /** The newest sequence that it was told is merged. */
  acknowledged: number;
}

/** The same as JSON, for whoever goes on from there. */
export interface AssignmentCheckpoint extends AssignmentState {
  readonly lag: StoredHistogram | null;
}

export function createAssignment(shard: WorkerShard, name: string): WorkerAssignment {
  return {
    ...{
      shard,
      name,
      ready: null,
      refusal: null,
      nextSequence: 0,
      countsSequence: 0,
      finished: 0,
      failed: 0,
    },
    ...{
      totals: EMPTY_TOTALS,
      finalMessage: null,
      lossReason: null,
      lag: Histogram.createTotal(),
      lastHeardAt: 0,
    },
    acknowledged: NO_SEQUENCE,
  };
}

/** @param warmup of the run, in ms */
export function addSnapshot(assignment: WorkerAssignment, snapshot: Snapshot, warmup: number): void {
  assignment.totals = withSnapshot(assignment.totals, snapshot);
  if (snapshot.second * 1000 >= warmup) assignment.lag.add(snapshot.lag);
}

export function checkpointAssignment({
  lastHeardAt: _heardAt,
  acknowledged: _said,
  lag,
  ...known
}: WorkerAssignment): AssignmentCheckpoint {
  return { ...known, lag: lag.toStored() };
}

/** @param lastHeardAt when it counts as heard: nobody knows how long it has been silent meanwhile */
export function resumeAssignment(
  { lag, ...known }: AssignmentCheckpoint,
  lastHeardAt: number,
): WorkerAssignment {
  const kept = (lag && Histogram.fromStored(lag)) ?? Histogram.createTotal();
  return { ...known, lag: kept, lastHeardAt, acknowledged: NO_SEQUENCE };
}

export function toWorkerReport({
  shard,
  name,
  ready,
  totals,
  finalMessage,
  lossReason,
  lag,
}: WorkerAssignment): WorkerReport {
  const last = finalMessage === 'lost' ? null : finalMessage;
  const p99 = lag.quantile(0.99);
  return {
    ...{ name, threads: shard.threadShards.length, started: totals.started, finished: totals.finished },
    lagP99: p99 === null ? null : p99 / 1000,
    startSkew: last?.startLatenessMs ?? null,
    clockUncertainty: last?.startUncertaintyMs ?? ready?.uncertaintyMs ?? null,
    lossReason,
  };
}

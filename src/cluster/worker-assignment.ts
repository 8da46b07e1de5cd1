/** Assignment of a shard to one worker: the shard, the state of the worker's messages, and its entry in the result. */
import { Histogram } from '../core/load/histogram.ts';
import type { StoredHistogram } from '../core/model/sample.ts';
import type { WorkerReport } from '../core/load/run-report.ts';
import type { Snapshot } from '../core/load/snapshot.ts';
import type { FinalMessage, ShardTotals, ReadyMessage } from './cluster-messages.ts';
import { NO_SUMS, ReportedCounts, type ReportedSums } from './reported-counts.ts';
import { areCounts, EMPTY_TOTALS, withSnapshot } from './shard-totals.ts';
import type { WorkerShard } from './run-sharding.ts';

interface AssignmentState {
  readonly shard: WorkerShard;
  readonly name: string;
  ready: ReadyMessage | null;
  /** Reason why the worker does not run its shard; null if the worker has accepted the shard or has not replied. */
  refusal: string | null;
  nextSequence: number;
  countsSequence: number;
  finished: number;
  failed: number;
  totals: ShardTotals;
  /**
   * End of the latest second that the worker has reported, in seconds from the start of the run. Missing in checkpoints
   * of earlier versions.
   */
  reportedSeconds?: number;
  /** Last message of the worker; `lost` if the worker is lost; null while messages are expected. */
  finalMessage: FinalMessage | 'lost' | null;
  /** Reason why part of the shard is missing; null if no part is missing. */
  lossReason: string | null;
}

/** Sequence number before the first message, which has the sequence number 0. */
export const NO_SEQUENCE = -1;

export interface WorkerAssignment extends AssignmentState {
  /** Scheduling lag of the threads after the warm-up, in µs. */
  readonly lag: Histogram;
  readonly reported: ReportedCounts;
  /** Process time at which the last message other than counts arrived, in ms. */
  lastHeardAt: number;
  /** Latest sequence number that was acknowledged to the worker; `NO_SEQUENCE` if none. */
  acknowledged: number;
}

export interface AssignmentCheckpoint extends AssignmentState {
  readonly lag: StoredHistogram | null;
  /** Sums of the reported counts; missing in checkpoints of earlier versions. */
  readonly reported?: ReportedSums;
}

export function createAssignment(shard: WorkerShard, name: string): WorkerAssignment {
  return {
    shard,
    name,
    ready: null,
    refusal: null,
    nextSequence: 0,
    countsSequence: 0,
    finished: 0,
    failed: 0,
    totals: EMPTY_TOTALS,
    reportedSeconds: 0,
    finalMessage: null,
    lossReason: null,
    lag: Histogram.createTotal(),
    reported: new ReportedCounts(),
    lastHeardAt: 0,
    acknowledged: NO_SEQUENCE,
  };
}

/**
 * Returns false, and does not add the snapshot to the totals, if a total, a sum or the names would be out of bounds.
 * @param warmup - Warm-up of the run, in ms.
 */
export function addSnapshot(assignment: WorkerAssignment, snapshot: Snapshot, warmup: number): boolean {
  const totals = withSnapshot(assignment.totals, snapshot);
  if (!areCounts(totals) || !assignment.reported.add(snapshot)) return false;
  assignment.totals = totals;
  assignment.reportedSeconds = Math.max(assignment.reportedSeconds ?? 0, snapshot.second + 1);
  if (snapshot.second * 1000 >= warmup) assignment.lag.add(snapshot.lag);
  return true;
}

export function checkpointAssignment({
  lastHeardAt: _lastHeardAt,
  acknowledged: _acknowledged,
  lag,
  reported,
  ...state
}: WorkerAssignment): AssignmentCheckpoint {
  return { ...state, lag: lag.toStored(), reported: reported.sums };
}

/** @param lastHeardAt - Process time, in ms, to use as the time of the last message, which is unknown. */
export function resumeAssignment(
  { lag, reported = NO_SUMS, ...state }: AssignmentCheckpoint,
  lastHeardAt: number,
): WorkerAssignment {
  const histogram = (lag && Histogram.fromStored(lag)) ?? Histogram.createTotal();
  return {
    ...state,
    lag: histogram,
    reported: new ReportedCounts(reported),
    lastHeardAt,
    acknowledged: NO_SEQUENCE,
  };
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
  const final = finalMessage === 'lost' ? null : finalMessage;
  const p99 = lag.quantile(0.99);
  return {
    name,
    threads: shard.threadShards.length,
    started: totals.started,
    finished: totals.finished,
    lagP99: p99 === null ? null : p99 / 1000,
    startSkew: final?.startLatenessMs ?? null,
    clockUncertainty: final?.startUncertaintyMs ?? ready?.uncertaintyMs ?? null,
    lossReason,
  };
}

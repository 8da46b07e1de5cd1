/** Checkpoint of a distributed run: the state from which a restarted service resumes the run. */
import type { LoadJob } from '../core/load/load-job.ts';
import { RunMerger } from '../core/load/run-merger.ts';
import type { LoadProgress } from '../core/load/run-report.ts';
import type { StopCommand } from './cluster-messages.ts';
import { joinParts, splitParts } from './message-codec.ts';
import { listThreadShards } from './run-sharding.ts';
import type { AssignmentCheckpoint } from './worker-assignment.ts';

interface CheckpointHeader {
  readonly job: LoadJob;
  readonly assignments: readonly AssignmentCheckpoint[];
  readonly lastMessageId: string;
  readonly nextOrdinal: number;
  readonly startAt: number;
  readonly stop: StopCommand | null;
  readonly progress: LoadProgress | null;
  /** Encrypted data for the process that resumes the run; null if none was stored. */
  readonly kept: string | null;
}

export function encodeCheckpoint(header: CheckpointHeader, merger: RunMerger): Buffer {
  return joinParts(header, merger.toCheckpoint());
}

/** Returns null if the state is empty or has another format version. */
export function decodeCheckpoint(
  state: Uint8Array,
): { readonly header: CheckpointHeader; readonly merger: RunMerger } | null {
  const parts = splitParts(Buffer.from(state));
  if (parts === null) return null;
  // The content is trusted, because the service stores checkpoints only in its own database.
  const header = JSON.parse(parts.json.toString()) as CheckpointHeader;
  const shards = listThreadShards(header.assignments.map(({ shard }) => shard));
  const merger = RunMerger.fromCheckpoint(header.job, shards, parts.content);
  return merger === null ? null : { header, merger };
}

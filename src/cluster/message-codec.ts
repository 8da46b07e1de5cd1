/** Messages of workers as bytes: JSON, and behind it slices in the codec of their own. */
import { decodeSnapshots, encodeSnapshots, type SnapshotShape } from '../core/load/snapshot-codec.ts';
import type { WorkerMessage } from './cluster-messages.ts';
import { readWorkerMessage } from './message-validation.ts';

const LENGTH_BYTES = 4;

export function encodeMessage(message: WorkerMessage): Buffer {
  const told = message.kind === 'progress';
  const head = Buffer.from(JSON.stringify(told ? { ...message, slices: [] } : message));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, ...(told ? [encodeSnapshots(message.snapshots)] : [])]);
}

/**
 * Of one that was sealed by a worker of this protocol.
 *
 * Errors: null for bytes that are no such message of the expected shape, or hold slices of another run.
 */
export function decodeMessage(bytes: Buffer, shape: SnapshotShape): WorkerMessage | null {
  if (bytes.length < LENGTH_BYTES) return null;
  const until = LENGTH_BYTES + bytes.readUInt32BE();
  const message = readWorkerMessage(bytes.subarray(LENGTH_BYTES, until));
  if (message?.kind !== 'progress') return message;
  const snapshots = decodeSnapshots(bytes.subarray(until), shape);
  return snapshots === null ? null : { ...message, snapshots };
}

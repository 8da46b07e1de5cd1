/** Binary encoding of worker messages: JSON, followed by the encoded snapshots. */
import { decodeSnapshots, encodeSnapshots, type SnapshotShape } from '../core/load/snapshot-codec.ts';
import type { WorkerMessage } from './cluster-messages.ts';
import { readWorkerMessage } from './message-validation.ts';

const LENGTH_BYTES = 4;

export function encodeMessage(message: WorkerMessage): Buffer {
  const header = Buffer.from(
    JSON.stringify(message.kind === 'progress' ? { ...message, snapshots: [] } : message),
  );
  const snapshots = message.kind === 'progress' ? [encodeSnapshots(message.snapshots)] : [];
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(header.length);
  return Buffer.concat([length, header, ...snapshots]);
}

/**
 * Decodes a message that was sealed by a worker. Returns null if the message is malformed or contains
 * snapshots of another run.
 */
export function decodeMessage(bytes: Buffer, shape: SnapshotShape): WorkerMessage | null {
  if (bytes.length < LENGTH_BYTES) return null;
  const until = LENGTH_BYTES + bytes.readUInt32BE();
  const message = readWorkerMessage(bytes.subarray(LENGTH_BYTES, until));
  if (message?.kind !== 'progress') return message;
  const snapshots = decodeSnapshots(bytes.subarray(until), shape);
  return snapshots === null ? null : { ...message, snapshots };
}

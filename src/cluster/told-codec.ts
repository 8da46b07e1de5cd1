/** Messages of workers as bytes: JSON, and behind it slices in the codec of their own. */
import { decodeSlices, encodeSlices, type SliceShape } from '../core/load/slice-codec.ts';
import type { OfWorker } from './messages.ts';
import { readOfWorker } from './read-messages.ts';

const LENGTH_BYTES = 4;

export function packMessage(message: OfWorker): Buffer {
  const told = message.kind === 'told';
  const head = Buffer.from(JSON.stringify(told ? { ...message, slices: [] } : message));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, ...(told ? [encodeSlices(message.slices)] : [])]);
}

/**
 * Of one that was sealed by a worker of this protocol.
 *
 * Errors: null for bytes that are no such message of the expected shape, or hold slices of another run.
 */
export function unpackMessage(bytes: Buffer, shape: SliceShape): OfWorker | null {
  if (bytes.length < LENGTH_BYTES) return null;
  const until = LENGTH_BYTES + bytes.readUInt32BE();
  const message = readOfWorker(bytes.subarray(LENGTH_BYTES, until));
  if (message?.kind !== 'told') return message;
  const slices = decodeSlices(bytes.subarray(until), shape);
  return slices === null ? null : { ...message, slices };
}

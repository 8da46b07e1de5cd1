/** Messages of workers as bytes: JSON, and behind it the slices, each with its length. */
import { deserialize, serialize } from 'node:v8';
import type { Slice } from '../core/load/slice.ts';
import type { OfWorker } from './messages.ts';

const LENGTH_BYTES = 4;

export function packMessage(message: OfWorker): Buffer {
  const slices = message.kind === 'told' ? message.slices : [];
  const head = message.kind === 'told' ? { ...message, slices: [] } : message;
  return Buffer.concat([
    ...withLength(Buffer.from(JSON.stringify(head))),
    ...slices.flatMap((slice) => withLength(encodeSlice(slice))),
  ]);
}

/** Of one that was sealed by a worker of this protocol. Errors: throws for any other. */
export function unpackMessage(bytes: Buffer): OfWorker {
  const [head, ...rest] = pieces(bytes);
  if (head === undefined) throw new Error('a message without a beginning');
  // Sealed with the secret that both sides know, and of the protocol version that was asked for.
  const message = JSON.parse(head.toString('utf8')) as OfWorker;
  return message.kind === 'told' ? { ...message, slices: rest.map(decodeSlice) } : message;
}

function encodeSlice(slice: Slice): Buffer {
  return serialize(slice);
}

function decodeSlice(bytes: Buffer): Slice {
  return deserialize(bytes) as Slice; // written by encodeSlice
}

function withLength(piece: Uint8Array): readonly Uint8Array[] {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(piece.length);
  return [length, piece];
}

function pieces(bytes: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const from = at + LENGTH_BYTES;
    const until = from + bytes.readUInt32BE(at);
    if (until > bytes.length) throw new Error('a message that was cut off');
    found.push(bytes.subarray(from, until));
    at = until;
  }
  return found;
}

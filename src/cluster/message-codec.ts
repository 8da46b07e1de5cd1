/**
 * Encoding of messages, and validation of decrypted messages. Even a sender with the secret may be faulty or use
 * another version.
 */
import { decodeSnapshots, encodeSnapshots, type SnapshotShape } from '../core/load/snapshot-codec.ts';
import {
  validateHeartbeat,
  validateMailboxMessage,
  validateServiceMessage,
  validateShardOffer,
  validateWorkerHeader,
} from '../schema/generated/cluster-validators.js';
import type { Validator } from '../schema/validator.ts';
import type {
  ClusterMessage,
  Heartbeat,
  MailboxMessage,
  ServiceMessage,
  ShardOffer,
  WorkerHeader,
  WorkerMessage,
} from './cluster-messages.ts';

export const MALFORMED_MESSAGE =
  'malformed or unsupported message; use the same version of loadtests for the service and its workers';

/** Reader that returns null for a message that is not JSON or does not match its schema. */
type MessageReader<Message> = (body: Uint8Array) => Message | null;

export const readHeartbeat: MessageReader<Heartbeat> = createReader(validateHeartbeat);
export const readMailboxMessage: MessageReader<MailboxMessage> = createReader(validateMailboxMessage);
export const readOffer: MessageReader<ShardOffer> = createReader(validateShardOffer);
export const readServiceMessage: MessageReader<ServiceMessage> = createReader(validateServiceMessage);
const readWorkerHeader: MessageReader<WorkerHeader> = createReader(validateWorkerHeader);

export function encodeJson(message: ClusterMessage): Buffer {
  return Buffer.from(JSON.stringify(message));
}

export function encodeMessage(message: WorkerMessage): Buffer {
  const { snapshots, ...header } = message.kind === 'progress' ? message : { ...message, snapshots: null };
  return joinParts(header, snapshots === null ? Buffer.alloc(0) : encodeSnapshots(snapshots));
}

/** Returns null if the message is malformed or does not match the shape of the run. */
export function decodeMessage(bytes: Buffer, shape: SnapshotShape): WorkerMessage | null {
  const parts = splitParts(bytes);
  if (parts === null) return null;
  const message = readWorkerHeader(parts.json);
  if (message?.kind !== 'progress') return message;
  const snapshots = decodeSnapshots(parts.content, shape);
  const isOwn = message.exchanges.every(({ target }) => target < shape.targets);
  return snapshots === null || !isOwn ? null : { ...message, snapshots };
}

const LENGTH_BYTES = 4;

/** Returns the length of the JSON as a 32-bit integer, the JSON, and the content. */
export function joinParts(header: object, content: Uint8Array): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, content]);
}

/** Splits bytes from `joinParts`. Returns null if there are too few bytes. */
export function splitParts(bytes: Buffer): { readonly json: Buffer; readonly content: Buffer } | null {
  if (bytes.length < LENGTH_BYTES) return null;
  const until = LENGTH_BYTES + bytes.readUInt32BE();
  return { json: bytes.subarray(LENGTH_BYTES, until), content: bytes.subarray(until) };
}

function createReader<Message>(validator: Validator): MessageReader<Message> {
  return (body) => {
    const value = parseJsonOrNull(body);
    // The types are generated from the schemas that the validators check.
    return validator(value) ? (value as Message) : null;
  };
}

function parseJsonOrNull(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return null;
  }
}

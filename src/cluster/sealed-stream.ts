/** Redis streams of sealed messages. Messages that cannot be decrypted are ignored. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { RedisDataError } from './reply-limits.ts';
import { KEY_TTL_MS, fromWorkersKey, toWorkersKey } from './redis-keys.ts';
import type { Seal, SealBinding } from './seal.ts';

export interface SealedMessage {
  readonly id: string;
  readonly epoch: number;
  readonly workerId: string;
  readonly ordinal: number;
  readonly body: Buffer;
}

export interface SealedStream {
  readonly key: string;
  readonly purpose: SealBinding['purpose'];
  readonly runId: string;
  /** Approximate maximum number of messages in the stream; null if the reader trims the stream. */
  readonly maxLength: number | null;
  /** True if a message replaces a key of another type. Requires that the loss of earlier messages is harmless. */
  readonly isReplaceable: boolean;
  /** Time to live after the last message, in ms. */
  readonly ttlMs: number;
}

/** Maximum number of messages in the stream to workers: about one minute of acknowledgments. */
const MAX_KEPT_MESSAGES = 240;

export function toWorkersStream(runId: string): SealedStream {
  return {
    key: toWorkersKey(runId),
    purpose: 'to-workers',
    runId,
    maxLength: MAX_KEPT_MESSAGES,
    isReplaceable: false,
    ttlMs: KEY_TTL_MS.run,
  };
}

export function fromWorkersStream(runId: string): SealedStream {
  return {
    key: fromWorkersKey(runId),
    purpose: 'from-workers',
    runId,
    maxLength: null,
    isReplaceable: false,
    ttlMs: KEY_TTL_MS.run,
  };
}

/** ID for reading a stream from its start. */
export const STREAM_START = '0-0';

const MAX_MESSAGES_PER_READ = 16;

export type MessageBinding = Pick<SealBinding, 'epoch' | 'workerId' | 'ordinal'>;

export async function sendSealed(
  redis: Redis,
  { seal, stream }: { readonly seal: Seal; readonly stream: SealedStream },
  { epoch, workerId, ordinal }: MessageBinding,
  body: Uint8Array,
): Promise<void> {
  const sealed = seal.seal({ purpose: stream.purpose, runId: stream.runId, workerId, epoch, ordinal }, body);
  const trimming = stream.maxLength === null ? [] : (['MAXLEN', '~', stream.maxLength] as const);
  const add = async () =>
    await redis.xadd(stream.key, ...trimming, '*', 'e', epoch, 'w', workerId, 'n', ordinal, 's', sealed);
  if (stream.isReplaceable) await replaceOtherType(redis, stream.key, add);
  else await add();
  await redis.pexpire(stream.key, stream.ttlMs);
}

/**
 * Reads messages after an ID; `last` is the ID for the next read. If there are no messages, waits for one for at most
 * `blockMs`.
 */
export async function receiveSealed(
  redis: Redis,
  { seal, stream }: { readonly seal: Seal; readonly stream: SealedStream },
  after: string,
  blockMs: number,
): Promise<{ readonly messages: readonly SealedMessage[]; readonly last: string }> {
  const response = await redis.xreadBuffer(
    ...(['COUNT', MAX_MESSAGES_PER_READ, 'BLOCK', blockMs, 'STREAMS', stream.key, after] as const),
  );
  const entries = parseEntries(response);
  const messages = entries.flatMap(({ id, fields }) => {
    const message = openMessage(id, fields, { seal, stream });
    return message === null ? [] : [message];
  });
  return { messages, last: entries.at(-1)?.id ?? after };
}

/**
 * Like `receiveSealed`, but if reading fails, waits for `blockMs` and returns no messages.
 * @param onUnreadable - Called if the key has another type or its content is too large.
 */
export async function receiveOrEmpty(
  [redis, from, after, blockMs]: Parameters<typeof receiveSealed>,
  onUnreadable: (reason: string) => void = () => undefined,
): ReturnType<typeof receiveSealed> {
  return await receiveSealed(redis, from, after, blockMs).catch(async (error: unknown) => {
    const reason = reasonOfRedisError(error);
    if (reason !== null) onUnreadable(reason);
    await sleep(blockMs);
    return { messages: [], last: after };
  });
}

/** If a command fails because its key has another type, deletes the key and tries again. */
export async function replaceOtherType<T>(redis: Redis, key: string, command: () => Promise<T>): Promise<T> {
  try {
    return await command();
  } catch (error) {
    if (!isWrongType(error)) throw error;
    await redis.del(key);
    return await command();
  }
}

function isWrongType(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('WRONGTYPE');
}

/**
 * Returns the reason if a key has another type, Redis violates a reply limit, or its memory is full; null for other
 * errors.
 */
export function reasonOfRedisError(error: unknown): string | null {
  if (error instanceof RedisDataError) return error.message;
  if (isWrongType(error)) return 'another client has replaced a key of loadtests in Redis (WRONGTYPE)';
  const isFull = error instanceof Error && error.message.startsWith('OOM');
  return isFull ? 'its memory is full; increase maxmemory' : null;
}

interface StreamEntry {
  readonly id: string;
  readonly fields: ReadonlyMap<string, Buffer>;
}

/** Parses the reply to XREAD with one stream: `[[key, [[id, [name, value, …]], …]]]` or null. */
function parseEntries(response: unknown): readonly StreamEntry[] {
  const [stream] = toList(response);
  const [, entries] = toList(stream);
  return toList(entries).flatMap((entry) => {
    const [id, elements] = toList(entry);
    if (!Buffer.isBuffer(id)) return [];
    const fields = new Map<string, Buffer>();
    let name: unknown = null;
    for (const element of toList(elements)) {
      if (Buffer.isBuffer(name) && Buffer.isBuffer(element)) fields.set(name.toString('latin1'), element);
      name = Buffer.isBuffer(name) ? null : element;
    }
    return [{ id: id.toString('latin1'), fields }];
  });
}

function toList(response: unknown): readonly unknown[] {
  return Array.isArray(response) ? response : [];
}

function openMessage(
  id: string,
  fields: ReadonlyMap<string, Buffer>,
  { seal, stream }: { readonly seal: Seal; readonly stream: SealedStream },
): SealedMessage | null {
  const [epoch, ordinal] = [Number(fields.get('e')), Number(fields.get('n'))];
  const workerId = fields.get('w')?.toString('utf8');
  const sealed = fields.get('s');
  if (workerId === undefined || sealed === undefined) return null;
  const binding = { purpose: stream.purpose, runId: stream.runId, workerId, epoch, ordinal };
  const body = seal.open(binding, sealed);
  return body === null ? null : { id, epoch, workerId, ordinal, body };
}

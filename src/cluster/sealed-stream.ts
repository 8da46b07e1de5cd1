/** Streams of sealed messages. What is not sealed as it should be is passed over: it is none of ours. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { KEY_TTL_MS, fromWorkersKey, COMMANDS_KEY, toWorkersKey } from './redis-keys.ts';
import type { Seal, SealBinding } from './seal.ts';

export interface SealedMessage {
  /** Where it lies in the stream. */
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
  /** So many letters stay there at least, and not many more; null: until their reader lets go of them. */
  readonly maxLength: number | null;
}

/** In a minute's time nobody is left who waits for a letter that is older. */
const MAX_KEPT_MESSAGES = 240;

/** What the service tells the workers of a run. */
export function toWorkersStream(runId: string): SealedStream {
  return { key: toWorkersKey(runId), purpose: 'to', runId, maxLength: MAX_KEPT_MESSAGES };
}

/** What they tell of it. */
export function fromWorkersStream(runId: string): SealedStream {
  return { key: fromWorkersKey(runId), purpose: 'of', runId, maxLength: null };
}

/** What the service tells workers beside any run. */
export const COMMAND_STREAM: SealedStream = {
  key: COMMANDS_KEY,
  purpose: 'orders',
  runId: '',
  maxLength: MAX_KEPT_MESSAGES,
};

/** The beginning of a stream. */
export const STREAM_START = '0-0';

/** What one read gives at most. */
const MAX_MESSAGES_PER_READ = 1000;

type MessageBinding = Pick<SealBinding, 'epoch' | 'workerId' | 'ordinal'>;

export async function sendSealed(
  redis: Redis,
  { seal, box }: { readonly seal: Seal; readonly box: SealedStream },
  { epoch, workerId, ordinal }: MessageBinding,
  body: Uint8Array,
): Promise<void> {
  const sealed = seal.seal({ purpose: box.purpose, runId: box.runId, workerId, epoch, ordinal }, body);
  const trimmed = box.maxLength === null ? [] : (['MAXLEN', '~', box.maxLength] as const);
  await redis.xadd(box.key, ...trimmed, '*', 'e', epoch, 'w', workerId, 'n', ordinal, 's', sealed);
  await redis.pexpire(box.key, KEY_TTL_MS.streams);
}

/** Waits for letters behind one of them, but no longer than `blockMs`. */
export async function receiveSealed(
  redis: Redis,
  { seal, box }: { readonly seal: Seal; readonly box: SealedStream },
  after: string,
  blockMs: number,
): Promise<{ readonly letters: readonly SealedMessage[]; readonly last: string }> {
  const response = await redis.xreadBuffer(
    ...(['COUNT', MAX_MESSAGES_PER_READ, 'BLOCK', blockMs, 'STREAMS', box.key, after] as const),
  );
  const entries = parseEntries(response);
  const letters = entries.flatMap(({ id, fields }) => {
    const letter = openMessage(id, fields, { seal, box });
    return letter === null ? [] : [letter];
  });
  return { letters, last: entries.at(-1)?.id ?? after };
}

/** The same while Redis may be away: then nothing is heard for as long. */
export async function receiveOrEmpty(
  ...[redis, from, after, blockMs]: Parameters<typeof receiveSealed>
): ReturnType<typeof receiveSealed> {
  return await receiveSealed(redis, from, after, blockMs).catch(async () => {
    await sleep(blockMs);
    return { letters: [], last: after };
  });
}

interface StreamEntry {
  readonly id: string;
  readonly fields: ReadonlyMap<string, Buffer>;
}

/** Of XREAD with one stream: `[[key, [[id, [name, value, …]], …]]]`, or null. */
function parseEntries(response: unknown): readonly StreamEntry[] {
  const [stream] = toList(response);
  const [, entries] = toList(stream);
  return toList(entries).flatMap((entry) => {
    const [id, words] = toList(entry);
    if (!Buffer.isBuffer(id)) return [];
    const fields = new Map<string, Buffer>();
    let name: unknown = null;
    for (const word of toList(words)) {
      if (Buffer.isBuffer(name) && Buffer.isBuffer(word)) fields.set(name.toString('latin1'), word);
      name = Buffer.isBuffer(name) ? null : word;
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
  { seal, box }: { readonly seal: Seal; readonly box: SealedStream },
): SealedMessage | null {
  const [epoch, ordinal] = [Number(fields.get('e')), Number(fields.get('n'))];
  const workerId = fields.get('w')?.toString('utf8');
  const sealed = fields.get('s');
  if (workerId === undefined || sealed === undefined) return null;
  const about = { purpose: box.purpose, runId: box.runId, workerId, epoch, ordinal };
  const body = seal.open(about, sealed);
  return body === null ? null : { id, epoch, workerId, ordinal, body };
}

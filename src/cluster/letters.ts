/** Streams of sealed messages. What is not sealed as it should be is passed over: it is none of ours. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { LIVES_FOR, ofWorkersKey, ORDERS_KEY, toWorkersKey } from './keys.ts';
import type { Seal, SealedFor } from './seal.ts';

export interface Letter {
  /** Where it lies in the stream. */
  readonly id: string;
  readonly epoch: number;
  readonly workerId: string;
  readonly mark: number;
  readonly body: Buffer;
}

export interface LetterBox {
  readonly key: string;
  readonly purpose: SealedFor['purpose'];
  readonly runId: string;
  /** So many letters stay there at least, and not many more; null: until their reader lets go of them. */
  readonly most: number | null;
}

/** In a minute's time nobody is left who waits for a letter that is older. */
const MOST_KEPT = 240;

/** What the service tells the workers of a run. */
export function toWorkersBox(runId: string): LetterBox {
  return { key: toWorkersKey(runId), purpose: 'to', runId, most: MOST_KEPT };
}

/** What they tell of it. */
export function ofWorkersBox(runId: string): LetterBox {
  return { key: ofWorkersKey(runId), purpose: 'of', runId, most: null };
}

/** What the service tells workers beside any run. */
export const ORDERS_BOX: LetterBox = { key: ORDERS_KEY, purpose: 'orders', runId: '', most: MOST_KEPT };

/** The beginning of a stream. */
export const BEGINNING = '0-0';

/** What one read gives at most. */
const MOST_AT_ONCE = 1000;

type Marks = Pick<SealedFor, 'epoch' | 'workerId' | 'mark'>;

export async function send(
  redis: Redis,
  { seal, box }: { readonly seal: Seal; readonly box: LetterBox },
  { epoch, workerId, mark }: Marks,
  body: Uint8Array,
): Promise<void> {
  const sealed = seal.seal({ purpose: box.purpose, runId: box.runId, workerId, epoch, mark }, body);
  const trimmed = box.most === null ? [] : (['MAXLEN', '~', box.most] as const);
  await redis.xadd(box.key, ...trimmed, '*', 'e', epoch, 'w', workerId, 'n', mark, 's', sealed);
  await redis.pexpire(box.key, LIVES_FOR.streams);
}

/** Waits for letters behind one of them, but no longer than `blockMs`. */
export async function receive(
  redis: Redis,
  { seal, box }: { readonly seal: Seal; readonly box: LetterBox },
  after: string,
  blockMs: number,
): Promise<{ readonly letters: readonly Letter[]; readonly last: string }> {
  const answer = await redis.xreadBuffer(
    ...(['COUNT', MOST_AT_ONCE, 'BLOCK', blockMs, 'STREAMS', box.key, after] as const),
  );
  const entries = entriesOf(answer);
  const letters = entries.flatMap(({ id, fields }) => {
    const letter = letterOf(id, fields, { seal, box });
    return letter === null ? [] : [letter];
  });
  return { letters, last: entries.at(-1)?.id ?? after };
}

/** The same while Redis may be away: then nothing is heard for as long. */
export async function receivePatiently(
  ...[redis, from, after, blockMs]: Parameters<typeof receive>
): ReturnType<typeof receive> {
  return await receive(redis, from, after, blockMs).catch(async () => {
    await sleep(blockMs);
    return { letters: [], last: after };
  });
}

interface StreamEntry {
  readonly id: string;
  readonly fields: ReadonlyMap<string, Buffer>;
}

/** Of XREAD with one stream: `[[key, [[id, [name, value, …]], …]]]`, or null. */
function entriesOf(answer: unknown): readonly StreamEntry[] {
  const [stream] = listOf(answer);
  const [, entries] = listOf(stream);
  return listOf(entries).flatMap((entry) => {
    const [id, words] = listOf(entry);
    if (!Buffer.isBuffer(id)) return [];
    const fields = new Map<string, Buffer>();
    let name: unknown = null;
    for (const word of listOf(words)) {
      if (Buffer.isBuffer(name) && Buffer.isBuffer(word)) fields.set(name.toString('latin1'), word);
      name = Buffer.isBuffer(name) ? null : word;
    }
    return [{ id: id.toString('latin1'), fields }];
  });
}

function listOf(answer: unknown): readonly unknown[] {
  return Array.isArray(answer) ? answer : [];
}

function letterOf(
  id: string,
  fields: ReadonlyMap<string, Buffer>,
  { seal, box }: { readonly seal: Seal; readonly box: LetterBox },
): Letter | null {
  const [epoch, mark] = [Number(fields.get('e')), Number(fields.get('n'))];
  const workerId = fields.get('w')?.toString('utf8');
  const sealed = fields.get('s');
  if (workerId === undefined || sealed === undefined) return null;
  const about = { purpose: box.purpose, runId: box.runId, workerId, epoch, mark };
  const body = seal.open(about, sealed);
  return body === null ? null : { id, epoch, workerId, mark, body };
}

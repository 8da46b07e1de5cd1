/** Fetches the payload files of a test, as they are at that moment. Keeps nothing. */
import type { PayloadRows } from '../../core/load/job.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { EgressError } from '../../egress/egress-error.ts';
import { fetchCapped } from '../../egress/fetch.ts';
import type { Names } from '../../egress/names.ts';
import { resolveAllowed, type AddressPolicy } from '../../egress/resolve.ts';
import { unprocessable } from '../refusal.ts';
import type { OutsideHosts } from './outside-hosts.ts';
import { MOST_ROWS, readPayload, type Payload } from './payload-format.ts';

export interface PayloadParts {
  readonly policy: AddressPolicy;
  readonly names: Names;
  readonly hosts: OutsideHosts;
  readonly userAgent: string;
}

/** The rows of a test's files. */
export interface TestPayload {
  /** By the URL entry's place: rows for each of its requests. Null: none. */
  readonly requestRows: readonly (PayloadRows | null)[];
  readonly passRows: readonly PayloadRows[];
}

export interface PayloadFiles {
  /** Errors: Refusal 422 that names the entry and says what is wrong with its file. */
  load(spec: LoadTestSpec): Promise<TestPayload>;
}

/** Of all files of a test together. */
const MOST_BYTES = 64 * 1024 * 1024;
/** For resolving, connecting and reading one file. */
const DEADLINE_MS = 30_000;
/** Tests whose files are being read; others wait, so that memory is bounded. */
const AT_ONCE = 2;

type Usable = Exclude<Payload, { kind: 'unusable' }>;

export function openPayloadFiles(parts: PayloadParts): PayloadFiles {
  const turns = openTurns(AT_ONCE);
  return {
    async load(spec) {
      const files = new Map<string, Usable>();
      const urls = new Map(
        spec.targets.flatMap(({ payloadFileUrl: url }, index) => (url === null ? [] : [[url, index]])),
      );
      if (urls.size > 0) {
        await turns(async () => {
          const left = { bytes: MOST_BYTES, rows: MOST_ROWS };
          // One after the other, since they share the limits.
          for (const [url, index] of urls) {
            const file = await readFile(parts, url, left);
            if (file.kind === 'unusable') {
              throw unprocessable(`urls[${index}]: the file at "payload_file_url" ${file.reason}`);
            }
            files.set(url, file);
            left.bytes -= file.bytes;
            for (const { values } of listsOf(file)) left.rows -= values.length;
          }
        });
      }
      return {
        requestRows: spec.targets.map(({ payloadFileUrl: url }) => {
          const file = files.get(url ?? '');
          return file?.kind === 'classic' ? file.rows : null;
        }),
        passRows: [...files.values()].flatMap((file) => (file.kind === 'variable' ? file.lists : [])),
      };
    },
  };
}

function listsOf(file: Usable): readonly PayloadRows[] {
  return file.kind === 'classic' ? [file.rows] : file.lists;
}

async function readFile(
  parts: PayloadParts,
  url: string,
  left: { readonly bytes: number; readonly rows: number },
): Promise<(Usable & { readonly bytes: number }) | Extract<Payload, { kind: 'unusable' }>> {
  const unusable = (reason: string) => ({ kind: 'unusable', reason }) as const;
  // Looked at before each run: an app may have been deleted since.
  if (!parts.hosts.mayCallUrl(url)) return unusable('is no longer allowed');
  try {
    const answer = await fetchFile(parts, url, left.bytes);
    if (answer.status !== 200) return unusable(`responded with ${answer.status}; redirects are not followed`);
    if (answer.truncated)
      return unusable(`is too large: the limit for all files of a test is ${MOST_BYTES} bytes`);
    const coding = answer.headers['content-encoding'] ?? 'identity';
    if (coding.toLowerCase() !== 'identity') return unusable('has a content coding, which is not supported');
    if (!answer.wellFormed) return unusable('is not UTF-8');
    const payload = readPayload(answer.body, left.rows);
    return payload.kind === 'unusable' ? payload : { ...payload, bytes: Buffer.byteLength(answer.body) };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    // One text for all that may lie behind a name, so that nobody scans through us.
    return unusable(error.kind === 'timeout' ? 'timed out' : 'cannot be downloaded');
  }
}

async function fetchFile(parts: PayloadParts, text: string, capBytes: number) {
  const started = performance.now();
  const url = new URL(text);
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const addresses = await resolveAllowed(url.hostname, port, parts.policy, parts.names);
  return await fetchCapped({
    url: text,
    method: 'GET',
    headers: { 'User-Agent': parts.userAgent, Accept: 'application/json' },
    body: null,
    addresses,
    capBytes,
    deadlineMs: Math.max(1, DEADLINE_MS - (performance.now() - started)),
    tlsVerify: true,
  });
}

/** Lets so many go on at once; the others wait in the order in which they came. */
function openTurns(atOnce: number): (work: () => Promise<void>) => Promise<void> {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = waiting.shift();
      // Whoever waits gets this turn; nobody may come in between.
      if (next === undefined) free++;
      else next();
    }
  };
}

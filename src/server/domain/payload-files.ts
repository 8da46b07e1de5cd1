/** The payload files of a test: fetches them, as they are at that moment, or reads what was sent. Keeps nothing. */
import type { PayloadRows } from '../../core/load/job.ts';
import { MOST_PAYLOAD_BYTES } from '../../core/model/payload-file.ts';
import type { LoadTestSpec, TargetSpec } from '../../core/model/load-test.ts';
import { ROUTES } from '../../contract/routes.ts';
import { EgressError } from '../../egress/egress-error.ts';
import { fetchCapped } from '../../egress/fetch.ts';
import type { Names } from '../../egress/names.ts';
import { resolveAllowed, type AddressPolicy } from '../../egress/resolve.ts';
import { unprocessable } from '../refusal.ts';
import type { PayloadFileStore } from '../store/payload-files.ts';
import type { OutsideHosts } from './outside-hosts.ts';
import {
  countRows,
  MOST_ROWS,
  readPayload,
  readRowsFile,
  type Payload,
} from '../../core/load/payload-format.ts';

export interface PayloadParts {
  readonly policy: AddressPolicy;
  readonly names: Names;
  readonly hosts: OutsideHosts;
  /** Files that callers have sent. */
  readonly sent: Pick<PayloadFileStore, 'content'>;
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
      const named = new Map(
        spec.targets.flatMap((target, index) => {
          const key = keyOf(target);
          return key === null ? [] : [[key, { target, index }] as const];
        }),
      );
      if (named.size > 0) {
        await turns(async () => {
          const left = { bytes: MOST_PAYLOAD_BYTES, rows: MOST_ROWS };
          // One after the other, since they share the limits.
          for (const [key, { target, index }] of named) {
            const url = target.payloadFileUrl;
            const file = url === null ? readSent(parts, target, left) : await readFile(parts, url, left);
            if (file.kind === 'unusable') {
              const what = url === null ? 'the "payload_file"' : 'the file at "payload_file_url"';
              throw unprocessable(`urls[${index}]: ${what} ${file.reason}`);
            }
            files.set(key, file);
            left.bytes -= file.bytes;
            left.rows -= countRows(file);
          }
        });
      }
      return {
        requestRows: spec.targets.map((target) => {
          const file = files.get(keyOf(target) ?? '');
          return file?.kind === 'classic' ? file.rows : null;
        }),
        passRows: [...files.values()].flatMap((file) => (file.kind === 'variable' ? file.lists : [])),
      };
    },
  };
}

/** What tells the files of a test apart; null: the URL has none. */
function keyOf({ payloadFileUrl, payloadFile }: TargetSpec): string | null {
  return payloadFileUrl ?? payloadFile?.sha256 ?? null;
}

interface Left {
  readonly bytes: number;
  readonly rows: number;
}

type Read = (Usable & { readonly bytes: number }) | Extract<Payload, { kind: 'unusable' }>;

/** It was read when it was sent. */
function readSent({ sent }: PayloadParts, { payloadFile }: TargetSpec, left: Left): Read {
  const sha256 = payloadFile?.sha256 ?? '';
  const content = sent.content(sha256);
  if (content === null) {
    const route = `PUT ${ROUTES.putPayloadFile.path.replace(':sha256', sha256)}`;
    return { kind: 'unusable', reason: `is not here; send its content first, with ${route}` };
  }
  if (content.length > left.bytes) return { kind: 'unusable', reason: TOO_LARGE };
  const payload = readRowsFile(content.toString('utf8'), left.rows);
  return payload.kind === 'unusable' ? payload : { ...payload, bytes: content.length };
}

const TOO_LARGE = `is too large: the limit for all files of a test is ${MOST_PAYLOAD_BYTES} bytes`;

async function readFile(parts: PayloadParts, url: string, left: Left): Promise<Read> {
  const unusable = (reason: string) => ({ kind: 'unusable', reason }) as const;
  // Looked at before each run: an app may have been deleted since.
  if (!parts.hosts.mayCallUrl(url)) return unusable('is no longer allowed');
  try {
    const answer = await fetchFile(parts, url, left.bytes);
    if (answer.status !== 200) return unusable(`responded with ${answer.status}; redirects are not followed`);
    if (answer.truncated) return unusable(TOO_LARGE);
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

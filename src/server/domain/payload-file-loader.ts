/** The payload files of a test: fetches them, as they are at that moment, or reads what was sent. Keeps nothing. */
import type { PayloadRows } from '../../core/load/load-job.ts';
import { MAX_PAYLOAD_BYTES } from '../../core/model/payload-file.ts';
import type { LoadTestSpec, TargetSpec } from '../../core/model/load-test.ts';
import { ROUTES } from '../../contract/routes.ts';
import { EgressError } from '../../egress/egress-error.ts';
import { fetchCapped } from '../../egress/capped-fetch.ts';
import type { NameResolver } from '../../egress/name-resolver.ts';
import { resolveAllowed, type AddressPolicy } from '../../egress/allowed-addresses.ts';
import { unprocessable } from '../refusal.ts';
import type { PayloadFileStore } from '../store/payload-file-store.ts';
import type { ExternalHosts } from './external-hosts.ts';
import {
  countRows,
  MAX_PAYLOAD_ROWS,
  readPayload,
  readRowsFile,
  type Payload,
} from '../../core/load/payload-format.ts';

export interface PayloadFileLoaderDeps {
  readonly policy: AddressPolicy;
  readonly names: NameResolver;
  readonly hosts: ExternalHosts;
  /** Files that callers have sent. */
  readonly uploaded: Pick<PayloadFileStore, 'content'>;
  readonly userAgent: string;
}

/** The rows of a test's files. */
export interface TestPayload {
  /** By the URL entry's place: rows for each of its requests. Null: none. */
  readonly requestRows: readonly (PayloadRows | null)[];
  readonly iterationRows: readonly PayloadRows[];
}

export interface PayloadFileLoader {
  /** Errors: Refusal 422 that names the entry and says what is wrong with its file. */
  load(spec: LoadTestSpec): Promise<TestPayload>;
}

/** For resolving, connecting and reading one file. */
const DEADLINE_MS = 30_000;
/** Tests whose files are being read; others wait, so that memory is bounded. */
const MAX_CONCURRENT_TESTS = 2;

type UsablePayload = Exclude<Payload, { kind: 'unusable' }>;

export function createPayloadFileLoader(parts: PayloadFileLoaderDeps): PayloadFileLoader {
  const turns = createSemaphore(MAX_CONCURRENT_TESTS);
  return {
    async load(spec) {
      const files = new Map<string, UsablePayload>();
      const named = new Map(
        spec.targets.flatMap((target, index) => {
          const key = keyOf(target);
          return key === null ? [] : [[key, { target, index }] as const];
        }),
      );
      if (named.size > 0) {
        await turns(async () => {
          const left = { bytes: MAX_PAYLOAD_BYTES, rows: MAX_PAYLOAD_ROWS };
          // One after the other, since they share the limits.
          for (const [key, { target, index }] of named) {
            const url = target.payloadFileUrl;
            const file =
              url === null ? readUploaded(parts, target, left) : await loadRemoteFile(parts, url, left);
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
        iterationRows: [...files.values()].flatMap((file) => (file.kind === 'variable' ? file.lists : [])),
      };
    },
  };
}

/** What tells the files of a test apart; null: the URL has none. */
function keyOf({ payloadFileUrl, payloadFile }: TargetSpec): string | null {
  return payloadFileUrl ?? payloadFile?.sha256 ?? null;
}

interface RemainingCapacity {
  readonly bytes: number;
  readonly rows: number;
}

type LoadedFile = (UsablePayload & { readonly bytes: number }) | Extract<Payload, { kind: 'unusable' }>;

/** It was read when it was sent. */
function readUploaded(
  { uploaded }: PayloadFileLoaderDeps,
  { payloadFile }: TargetSpec,
  left: RemainingCapacity,
): LoadedFile {
  const sha256 = payloadFile?.sha256 ?? '';
  const content = uploaded.content(sha256);
  if (content === null) {
    const route = `PUT ${ROUTES.putPayloadFile.path.replace(':sha256', sha256)}`;
    return { kind: 'unusable', reason: `is not here; send its content first, with ${route}` };
  }
  if (content.length > left.bytes) return { kind: 'unusable', reason: TOO_LARGE };
  const payload = readRowsFile(content.toString('utf8'), left.rows);
  return payload.kind === 'unusable' ? payload : { ...payload, bytes: content.length };
}

const TOO_LARGE = `is too large: the limit for all files of a test is ${MAX_PAYLOAD_BYTES} bytes`;

async function loadRemoteFile(
  parts: PayloadFileLoaderDeps,
  url: string,
  left: RemainingCapacity,
): Promise<LoadedFile> {
  const unusable = (reason: string) => ({ kind: 'unusable', reason }) as const;
  // Looked at before each run: an app may have been deleted since.
  if (!parts.hosts.isUrlAllowed(url)) return unusable('is no longer allowed');
  try {
    const response = await fetchFile(parts, url, left.bytes);
    if (response.status !== 200)
      return unusable(`responded with ${response.status}; redirects are not followed`);
    if (response.isTruncated) return unusable(TOO_LARGE);
    const coding = response.headers['content-encoding'] ?? 'identity';
    if (coding.toLowerCase() !== 'identity') return unusable('has a content coding, which is not supported');
    if (!response.isWellFormed) return unusable('is not UTF-8');
    const payload = readPayload(response.body, left.rows);
    return payload.kind === 'unusable' ? payload : { ...payload, bytes: Buffer.byteLength(response.body) };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    // One text for all that may lie behind a name, so that nobody scans through us.
    return unusable(error.kind === 'timeout' ? 'timed out' : 'cannot be downloaded');
  }
}

async function fetchFile(parts: PayloadFileLoaderDeps, text: string, maxBodyBytes: number) {
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
    maxBodyBytes,
    deadlineMs: Math.max(1, DEADLINE_MS - (performance.now() - started)),
    tlsVerify: true,
  });
}

/** Lets so many go on at once; the others wait in the order in which they came. */
function createSemaphore(atOnce: number): (work: () => Promise<void>) => Promise<void> {
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

/** Loads the payload files and body files of a test before a run: downloads them or reads uploaded files. */
import { startLength } from '../../core/model/iteration.ts';
import type { JobFile, PayloadRows } from '../../core/load/load-job.ts';
import type { FieldPath } from '../../core/field-reference.ts';
import { keyOfRows, MAX_PAYLOAD_BYTES } from '../../core/model/payload-file.ts';
import type { LoadTestSpec, TargetSpec } from '../../core/model/load-test.ts';
import { filesOfBody } from '../../core/model/request-body.ts';
import { ROUTES } from '../../contract/routes.ts';
import { URL_FIELDS } from '../../core/model/test-fields.ts';
import { EgressError } from '../../egress/egress-error.ts';
import { fetchResolved } from '../../egress/capped-fetch.ts';
import type { NameResolver } from '../../egress/name-resolver.ts';
import type { AddressPolicy } from '../../egress/allowed-addresses.ts';
import { unusableUrl } from '../refusal.ts';
import { readUploadedRows } from './uploaded-files.ts';
import type { PayloadFileStore } from '../store/payload-file-store.ts';
import type { ExternalHosts } from './external-hosts.ts';
import { countRows, MAX_PAYLOAD_ROWS, readPayload, type Payload } from '../../core/load/payload-format.ts';

export interface PayloadFileLoaderDeps {
  readonly policy: AddressPolicy;
  readonly names: NameResolver;
  readonly hosts: ExternalHosts;
  readonly uploaded: Pick<PayloadFileStore, 'content'>;
  readonly userAgent: string;
}

export interface TestPayload {
  /** Rows for each request, by index of the URL entry; null if the entry has none. */
  readonly requestRows: readonly (PayloadRows | null)[];
  readonly iterationRows: readonly PayloadRows[];
  /** Number of lists at the beginning of `iterationRows` that requests of `on_start` use. */
  readonly clientRows: number;
  readonly bodyFiles: readonly JobFile[];
}

export interface PayloadFileLoader {
  /**
   * @param pathOf - Converts a path in `spec` to the path in the whole test.
   * @throws Refusal 422 if a file is unusable. The refusal names the URL entry in the test.
   */
  load(spec: LoadTestSpec, pathOf: (path: FieldPath) => FieldPath): Promise<TestPayload>;
}

/** Time limit for a download in ms, including name resolution and connecting. */
const DEADLINE_MS = 30_000;
/** Maximum number of tests whose files are loaded at the same time, which limits memory use. */
const MAX_CONCURRENT_TESTS = 2;

type UsablePayload = Exclude<Payload, { kind: 'unusable' }>;

export function createPayloadFileLoader(deps: PayloadFileLoaderDeps): PayloadFileLoader {
  const withPermit = createSemaphore(MAX_CONCURRENT_TESTS);
  return {
    async load(spec, pathOf) {
      const files = new Map<string, UsablePayload>();
      const targetsByFile = new Map(
        spec.targets.flatMap((target, index) => {
          const key = keyOf(target);
          return key === null ? [] : [[key, { target, index }] as const];
        }),
      );
      const contents = new Map<string, string>();
      const bodies = spec.targets.flatMap(({ body }, index) =>
        filesOfBody(body).map(({ sha256 }) => ({ sha256, index, field: fieldOfBody(body) })),
      );
      if (targetsByFile.size > 0 || bodies.length > 0) {
        await withPermit(async () => {
          const remaining = { bytes: MAX_PAYLOAD_BYTES, rows: MAX_PAYLOAD_ROWS };
          // The files share the limits, so they are loaded one after another.
          for (const [key, { target, index }] of targetsByFile) {
            const url = target.payloadFileUrl;
            const file =
              url === null
                ? readUploaded(deps, target, remaining)
                : await loadRemoteFile(deps, url, remaining);
            if (file.kind === 'unusable') {
              const subject = url === null ? 'the file in "payload_file"' : 'the file at "payload_file_url"';
              const { payloadFile, payloadFileUrl } = URL_FIELDS;
              const field = url === null ? payloadFile : payloadFileUrl;
              throw unusableUrl(pathOf(['urls', index]), field.name, `${subject} ${file.reason}`);
            }
            files.set(key, file);
            remaining.bytes -= file.bytes;
            remaining.rows -= countRows(file);
          }
          for (const { sha256, index, field } of bodies) {
            if (contents.has(sha256)) continue;
            const content = deps.uploaded.content(sha256);
            const reason =
              content === null ? notUploaded(sha256) : content.length > remaining.bytes ? TOO_LARGE : null;
            if (content === null || reason !== null)
              throw unusableUrl(pathOf(['urls', index]), field, `the file in "${field}" ${reason ?? ''}`);
            contents.set(sha256, content.toString('base64'));
            remaining.bytes -= content.length;
          }
        });
      }
      const startKeys = new Set(spec.targets.slice(0, startLength(spec)).map(keyOf));
      const listsWhere = (isOfStart: boolean) =>
        [...files].flatMap(([key, file]) =>
          file.kind === 'variable' && startKeys.has(key) === isOfStart ? file.lists : [],
        );
      const ofStart = listsWhere(true);
      return {
        requestRows: spec.targets.map((target) => {
          const file = files.get(keyOf(target) ?? '');
          return file?.kind === 'classic' ? file.rows : null;
        }),
        iterationRows: [...ofStart, ...listsWhere(false)],
        clientRows: ofStart.length,
        bodyFiles: [...contents].map(([sha256, content]) => ({ sha256, content })),
      };
    },
  };
}

function keyOf({ payloadFileUrl, payloadFile }: TargetSpec): string | null {
  return payloadFileUrl ?? (payloadFile && keyOfRows(payloadFile));
}

interface RemainingCapacity {
  readonly bytes: number;
  readonly rows: number;
}

type LoadedFile = (UsablePayload & { readonly bytes: number }) | Extract<Payload, { kind: 'unusable' }>;

function fieldOfBody(body: TargetSpec['body']): string {
  return (body?.kind === 'file' ? URL_FIELDS.bodyFile : URL_FIELDS.multipart).name;
}

function notUploaded(sha256: string): string {
  const route = `PUT ${ROUTES.putPayloadFile.path.replace(':sha256', sha256)}`;
  return `has not been uploaded; upload it first, with ${route}`;
}

function readUploaded(
  { uploaded }: PayloadFileLoaderDeps,
  { payloadFile }: TargetSpec,
  remaining: RemainingCapacity,
): LoadedFile {
  const sha256 = payloadFile?.sha256 ?? '';
  const content = uploaded.content(sha256);
  if (content === null) {
    return { kind: 'unusable', reason: notUploaded(sha256) };
  }
  if (content.length > remaining.bytes) return { kind: 'unusable', reason: TOO_LARGE };
  const payload = readUploadedRows(content, remaining.rows, payloadFile?.options);
  if (payload.kind !== 'unusable') return { ...payload, bytes: content.length };
  const { place, reason } = payload;
  const location = place === undefined ? '' : ` (line ${place.line}, column ${place.column})`;
  return { kind: 'unusable', reason: `${reason}${location}` };
}

const TOO_LARGE = `is too large: the limit for all files of a test is ${MAX_PAYLOAD_BYTES} bytes`;

async function loadRemoteFile(
  deps: PayloadFileLoaderDeps,
  url: string,
  remaining: RemainingCapacity,
): Promise<LoadedFile> {
  const unusable = (reason: string) => ({ kind: 'unusable', reason }) as const;
  // The app may have been deleted since the test was created.
  if (!deps.hosts.isUrlAllowed(url)) return unusable('is on a host that is no longer allowed');
  try {
    const headers = { 'User-Agent': deps.userAgent, Accept: 'application/json' };
    const limits = { maxBodyBytes: remaining.bytes, deadlineMs: DEADLINE_MS };
    const response = await fetchResolved({ url, method: 'GET', headers, body: null, ...limits }, deps);
    if (response.status !== 200)
      return unusable(
        `could not be downloaded: the server responded with status ${response.status}, not 200 (redirects are not followed)`,
      );
    if (response.isTruncated) return unusable(TOO_LARGE);
    const encoding = response.headers['content-encoding'] ?? 'identity';
    if (encoding.toLowerCase() !== 'identity')
      return unusable('has a content encoding, which is not supported; serve the file uncompressed');
    if (!response.isWellFormed) return unusable('is not UTF-8');
    const payload = readPayload(response.body, remaining.rows);
    return payload.kind === 'unusable' ? payload : { ...payload, bytes: Buffer.byteLength(response.body) };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    // All network errors except timeouts have the same message, so that callers cannot use the service to scan hosts.
    return unusable(error.kind === 'timeout' ? 'could not be downloaded in time' : 'could not be downloaded');
  }
}

/** Waiting callers are served in order of arrival. */
function createSemaphore(permits: number): (work: () => Promise<void>) => Promise<void> {
  let free = permits;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = waiting.shift();
      // Passes the permit directly to the next caller, so that no new caller can acquire it first.
      if (next === undefined) free++;
      else next();
    }
  };
}

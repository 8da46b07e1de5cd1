/** A stored test and the addresses of its verified hosts as a job for a generator of load. Pure. */
import type { TestCreate, UrlEntry } from '../../contract/generated/test-create.ts';
import type { JobField, JobTarget, LoadJob, PayloadRows } from '../../core/load/job.ts';
import { SPEC_DEFAULTS } from '../../core/model/load-test.ts';
import { milliseconds, seconds } from '../../core/units.ts';
import type { TestPayload } from './payload-files.ts';
import { readUrl, type ReadUrl } from './test-rules.ts';

export interface JobSettings {
  readonly runId: string;
  readonly userAgent: string;
  readonly seed: number;
  readonly threads: number;
  readonly payload: TestPayload;
}

/** A URL of a test with the addresses that it may be sent to. */
export interface PinnedUrl {
  readonly entry: UrlEntry;
  readonly read: ReadUrl;
  readonly addresses: readonly string[];
}

/** @param test one that `errorsOfTest` found no fault in */
export function createLoadJob(test: TestCreate, urls: readonly PinnedUrl[], settings: JobSettings): LoadJob {
  return {
    runId: settings.runId,
    testType: test.test_type,
    initial: test.initial ?? SPEC_DEFAULTS.initial,
    total: test.total ?? SPEC_DEFAULTS.total,
    duration: seconds(test.duration),
    timeout: milliseconds(test.timeout ?? SPEC_DEFAULTS.timeout),
    errorThreshold: test.error_threshold ?? SPEC_DEFAULTS.errorThreshold,
    targets: urls.map((url, index) => targetOf(url, settings.payload.requestRows[index] ?? null)),
    passRows: settings.payload.passRows,
    tlsVerify: test.tls_verify ?? true,
    userAgent: settings.userAgent,
    seed: settings.seed,
    threads: settings.threads,
    trace: false,
  };
}

function targetOf(url: PinnedUrl, rows: PayloadRows | null): JobTarget {
  const { entry, read } = url;
  return {
    url: entry.url,
    secure: read.secure,
    hostname: read.bareHost.replace(/^\[|\]$/g, ''),
    port: read.port,
    authority: read.authority,
    addresses: url.addresses,
    method: entry.request_type ?? SPEC_DEFAULTS.method,
    path: read.path,
    params: fieldsOf(entry.request_params),
    headers: fieldsOf(entry.headers),
    credentials: entry.credentials ?? null,
    body: entry.raw_post_body ?? null,
    variables: (entry.variables ?? []).map(({ name, property }) => ({ name, header: property })),
    rows,
  };
}

function fieldsOf(map: Readonly<Record<string, string>> | undefined): readonly JobField[] {
  return Object.entries(map ?? {}).map(([name, value]) => ({ name, value }));
}

/** Reads the URLs of a test that was accepted. */
export function readUrls(test: TestCreate): readonly { readonly entry: UrlEntry; readonly read: ReadUrl }[] {
  return test.urls.map((entry) => {
    const read = readUrl(entry.url);
    if (read === null) throw new Error('Bug: an accepted test has a URL that cannot be read');
    return { entry, read };
  });
}

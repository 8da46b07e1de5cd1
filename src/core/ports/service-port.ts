/** What is asked of a service, in the words of the model: `apply` needs it, `client` fills it. */
import type { RunProgress } from '../load/run-report.ts';
import type { ObservedApp } from '../model/app.ts';
import type { AppId, ResultId, TestId } from '../model/ids.ts';
import type { RunVerdict } from '../model/run-verdict.ts';
import type { LoadTestSpec, ObservedTest } from '../model/load-test.ts';
import type { RunResult } from '../model/run-result.ts';
import type { RegisteredWorker } from '../model/worker.ts';

/** A whole list; `maybeTruncated` when its length or headers suggest that it is one page of several. */
export interface Listing<T> {
  readonly items: readonly T[];
  readonly maybeTruncated: boolean;
}

export interface CreateRequest {
  readonly spec: LoadTestSpec;
  /** The user's notes with our mark below. */
  readonly notes: string;
  /** Also sent as Idempotency-Key. */
  readonly nonce: string;
}

export interface StartedRun {
  readonly resultId: ResultId | null;
  readonly status: string | null;
}

/** What bounds the tries of one read, however long the service asks to wait. */
export interface RetryBounds {
  /** No other try begins so many ms after the first one. */
  readonly within: number;
}

export type VerifyResult =
  | { readonly verified: true }
  | { readonly verified: false; readonly errors: readonly string[] };

/**
 * One function per row of the API document.
 *
 * Errors: every function rejects with a CallError, and with nothing else but bugs. Reads are tried again within a
 *         budget before they reject; writes are sent once, on a fresh connection.
 */
export interface ServicePort {
  listApps(): Promise<Listing<ObservedApp>>;
  registerApp(host: string): Promise<{ readonly id: AppId; readonly verificationId: string | null }>;
  getApp(id: AppId): Promise<ObservedApp>;
  /** A check that fails is an answer, not an error. */
  verifyApp(id: AppId, method: string): Promise<VerifyResult>;
  /** With all its tests and results. */
  deleteApp(id: AppId): Promise<void>;
  listTests(): Promise<Listing<ObservedTest>>;
  /** Whether the service has the payload file with this content; asked before it is sent. */
  hasPayloadFile(sha256: string): Promise<boolean>;
  putPayloadFile(sha256: string, content: Uint8Array): Promise<void>;
  createTest(request: CreateRequest): Promise<StartedRun & { readonly id: TestId }>;
  /** `progress` where the service tells it. */
  getTest(
    id: TestId,
    bounds?: RetryBounds,
  ): Promise<{ readonly test: ObservedTest; readonly progress: RunProgress | null }>;
  runTest(id: TestId, nonce: string): Promise<StartedRun>;
  stopTest(id: TestId): Promise<StartedRun>;
  /** Newest first. Null where the service, as far as was seen, has no results; an unknown test is an error. */
  listResults(id: TestId, bounds?: RetryBounds): Promise<readonly RunResult[] | null>;
  /** Null where there is no such result. */
  getResult(id: TestId, result: ResultId, bounds?: RetryBounds): Promise<RunResult | null>;
  /** Keeps a verdict with the result, for show; only where the service names the extension `verdict`. */
  saveVerdict(id: TestId, result: ResultId, verdict: RunVerdict): Promise<void>;
  listServers(): Promise<readonly string[]>;
  /** Who makes its load elsewhere; none where the service, as far as was heard, makes it itself. */
  listWorkers(): Promise<readonly RegisteredWorker[]>;
  /** Names of what the service says it has beyond the API document: see extensions.ts. None: it does not say. */
  listExtensions(bounds?: RetryBounds): Promise<ReadonlySet<string>>;
  /** Known after the first answer: a create or run with the same nonce may be sent again. */
  supportsIdempotency(): boolean;
  /** The clock of the service, in ms since the epoch, going by its last answer; null: it does not tell. */
  serviceTime(): number | null;
}

/** Port to a load testing service, with the types of the model. */
import type { RunProgress } from '../load/run-report.ts';
import type { ObservedApp } from '../model/app.ts';
import type { ConnectionOptions } from '../model/connection.ts';
import type { AppId, ResultId, TestId } from '../model/ids.ts';
import type { RunVerdict } from '../model/run-verdict.ts';
import type { LoadTestSpec, ObservedTest } from '../model/load-test.ts';
import type { RunResult } from '../run-record/run-result.ts';
import type { RegisteredWorker } from '../model/worker.ts';

/**
 * `maybeTruncated` is true if the number of items or the response headers suggest that the list is one page of several.
 */
export interface Listing<T> {
  readonly items: readonly T[];
  readonly maybeTruncated: boolean;
}

export interface CreateRequest {
  readonly spec: LoadTestSpec;
  /** The user's notes, followed by the ownership marker. */
  readonly notes: string;
  /** Nonce of the request, which is also the value of the Idempotency-Key header. */
  readonly nonce: string;
}

export interface StartedRun {
  readonly resultId: ResultId | null;
  readonly status: string | null;
}

export interface CreatedRun extends StartedRun {
  readonly id: TestId;
  /** True if an earlier request with the same ownership marker created the test. */
  readonly isExisting: boolean;
}

/** Bounds for the retries of one read operation, which apply even if the service requests a longer delay. */
export interface RetryBounds {
  /** Maximum time in ms from the start of the first attempt to the start of a retry. */
  readonly within: number;
}

export type VerifyResult =
  | { readonly verified: true }
  | { readonly verified: false; readonly errors: readonly string[] };

/**
 * @remarks The asynchronous functions reject with a CallError; any other error is a bug. Reads are retried after
 * transient failures, within a limited time. Writes are sent once, on a new connection.
 */
export interface ServicePort {
  listApps(): Promise<Listing<ObservedApp>>;
  registerApp(host: string): Promise<{ readonly id: AppId; readonly verificationId: string | null }>;
  getApp(id: AppId): Promise<ObservedApp>;
  /**
   * Verifies the host of an app. Resolves even if the verification fails.
   * @param connection - Connection settings for the host; null for the defaults.
   */
  verifyApp(id: AppId, method: string, connection?: ConnectionOptions | null): Promise<VerifyResult>;
  /** Deletes an app with all its tests and results. */
  deleteApp(id: AppId): Promise<void>;
  listTests(): Promise<Listing<ObservedTest>>;
  hasPayloadFile(sha256: string): Promise<boolean>;
  putPayloadFile(sha256: string, content: Uint8Array): Promise<void>;
  createTest(request: CreateRequest): Promise<CreatedRun>;
  /** Returns a test and the progress of its run; `progress` is null if the service does not return it. */
  getTest(
    id: TestId,
    bounds?: RetryBounds,
  ): Promise<{ readonly test: ObservedTest; readonly progress: RunProgress | null }>;
  runTest(id: TestId, nonce: string): Promise<StartedRun>;
  stopTest(id: TestId): Promise<StartedRun>;
  /**
   * Returns results newest first, or null if the service appears not to support them. Rejects if the test is unknown.
   */
  listResults(id: TestId, bounds?: RetryBounds): Promise<readonly RunResult[] | null>;
  /** Returns a result; null if it does not exist. */
  getResult(id: TestId, result: ResultId, bounds?: RetryBounds): Promise<RunResult | null>;
  /** Stores a verdict with the result, for display; requires the extension `verdict`. */
  saveVerdict(id: TestId, result: ResultId, verdict: RunVerdict): Promise<void>;
  /**
   * Returns the workers; empty if the service generates the load itself or does not list workers.
   * @throws CallError with status 503 while the service does not know the state of its workers.
   */
  listWorkers(): Promise<readonly RegisteredWorker[]>;
  /** Returns the names of the extensions that the service lists; empty if it lists none. */
  listExtensions(bounds?: RetryBounds): Promise<ReadonlySet<string>>;
  /** Reports, based on earlier responses, whether a create or run request may be sent again with the same nonce. */
  supportsIdempotency(): boolean;
  /** Returns the current time of the service in ms since the epoch; null if no response has contained a time. */
  serviceTime(): number | null;
}

/** Dependencies and settings for the execution of a plan. */
import type { Sha256 } from '../core/canonical.ts';
import type { DeclaredApp } from '../core/model/app.ts';
import type { FieldReference } from '../core/field-reference.ts';
import type { Address, AppId, TestId } from '../core/model/ids.ts';
import type { BodyFile, PayloadFile } from '../core/model/payload-file.ts';
import type { RunStop } from '../core/model/run-stop.ts';
import type { ServicePort } from '../core/ports/service-port.ts';
import type { SourceRange } from '../core/source-location.ts';
import type { Milliseconds } from '../core/units.ts';
import type { Emit } from './events.ts';
import type { Journal } from './uncertainty/journal.ts';

export interface ApplyContext {
  readonly service: ServicePort;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly sha256: Sha256;
  /** Returns a new nonce: 8 characters from `A-Z`, `a-z` and `0-9`. */
  readonly nonce: () => string;
  readonly emit: Emit;
  /**
   * Returns the content of a declared payload file or body file.
   * @throws ProblemError if the file has changed since planning.
   */
  readonly contentOf: (file: PayloadFile | BodyFile) => Uint8Array;
  /** @throws ProblemError if the token cannot be published. */
  readonly publish: (
    app: DeclaredApp,
    token: { readonly appId: AppId; readonly verificationId: string },
  ) => Promise<void>;
  readonly isEmbedded: boolean;
  /**
   * Reports whether a loopback host refuses connections. Returns false for any other host, and for a service on another
   * machine.
   */
  readonly isSilent: (host: string) => Promise<boolean>;
  /**
   * Returns the reason why the name of a host cannot be resolved; null if it can be resolved or the service is not
   * embedded.
   */
  readonly resolutionFailure: (host: string) => Promise<string | null>;
  /**
   * Returns the first logged stop request for a test at or after a time in ms since the epoch; null if there is none.
   */
  readonly findStop: (id: TestId, since: number) => RunStop | null;
  /** Returns the source location of a field; null if there is none. */
  readonly locateField: (address: Address, field: FieldReference) => SourceRange | null;
  /** Returns the verification ID (`<prefix>-<app_id>`) of a listed app. */
  readonly verificationIdOf: (appId: string) => string;
  /** Time during which the service may still execute a request that received no response. */
  readonly settle: Milliseconds;
  /** Returns false if runs end with this process. */
  readonly loadOutlivesCommand: () => boolean;
  /** Aborts at the first signal. */
  readonly interrupted: AbortSignal;
}

export interface Clock {
  /** Returns the time in ms since the epoch. */
  now(): number;
  /** Returns the time since the machine started, in ms. Unlike the wall clock, this clock does not jump. */
  monotonic(): number;
  /** Resolves after the given time, or as soon as the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
}

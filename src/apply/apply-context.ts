/** Dependencies and settings of the functions that execute a plan. */
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
  /** Publishes the token at the location that the service checks. Rejects with a ProblemError if this fails. */
  readonly publish: (
    app: DeclaredApp,
    token: { readonly appId: AppId; readonly verificationId: string },
  ) => Promise<void>;
  /** True if the service is embedded in commands on this machine. */
  readonly isEmbedded: boolean;
  /** Reports whether a host is local and no process listens on its port. */
  readonly isSilent: (host: string) => Promise<boolean>;
  /**
   * Returns the reason why the embedded service cannot resolve the name of a host. Returns null if the name
   * resolves, and for other services, because they use different name servers.
   */
  readonly resolutionFailure: (host: string) => Promise<string | null>;
  /**
   * Returns the first stop request for a test at or after a time (ms since the epoch); null if no command has
   * recorded one.
   */
  readonly findStop: (id: TestId, since: number) => RunStop | null;
  /** Returns the location of a field of a declared test; null if the file does not contain the test. */
  readonly locateField: (address: Address, field: FieldReference) => SourceRange | null;
  /** Returns the verification ID (`<prefix>-<app_id>`) of a listed app. */
  readonly verificationIdOf: (appId: string) => string;
  /** Time after an unanswered request during which the service may still execute it. */
  readonly settle: Milliseconds;
  /**
   * Reports whether a run continues after this command ends. Returns false if this process generates the load.
   */
  readonly loadOutlivesCommand: () => boolean;
  /** Aborts at the first signal from the user. No new action starts afterward. */
  readonly interrupted: AbortSignal;
}

/** A clock, which tests can simulate. */
export interface Clock {
  /** Returns the time in milliseconds since the epoch. */
  now(): number;
  /**
   * Returns the milliseconds since the start of the machine. Waits use this clock, because the wall clock may
   * jump.
   */
  monotonic(): number;
  /** Resolves after the given time, or as soon as the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive), for jitter. */
  random(): number;
}

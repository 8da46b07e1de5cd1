/** Dependencies and settings of all steps that execute a plan. */
import type { Sha256 } from '../core/canonical.ts';
import type { DeclaredApp } from '../core/model/app.ts';
import type { FieldReference } from '../core/field-reference.ts';
import type { Address, AppId, TestId } from '../core/model/ids.ts';
import type { PayloadFile } from '../core/model/payload-file.ts';
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
  /** A new nonce: 8 characters of [A-Za-z0-9]. */
  readonly nonce: () => string;
  readonly emit: Emit;
  /**
   * Returns the content of a declared payload file.
   * @throws ProblemError if the file has changed since planning.
   */
  readonly contentOf: (file: PayloadFile) => Uint8Array;
  /** Publishes the token at the place that the service checks. Rejects with a ProblemError if that fails. */
  readonly publish: (
    app: DeclaredApp,
    token: { readonly appId: AppId; readonly verificationId: string },
  ) => Promise<void>;
  /** True if the service is embedded in the commands on this machine. */
  readonly isEmbedded: boolean;
  /** Reports whether a host is local and no process listens on its port. */
  readonly isSilent: (host: string) => Promise<boolean>;
  /**
   * Returns the stop request for a run since a time (ms since the epoch); null if none was made on this
   * machine.
   */
  readonly findStop: (id: TestId, since: number) => RunStop | null;
  /** Returns the location of a field of a declared test; null if the address is not a test of the file. */
  readonly locateField: (address: Address, field: FieldReference) => SourceRange | null;
  /** Returns `<prefix>-<app_id>` for an app that was found in the list. */
  readonly verificationIdOf: (appId: string) => string;
  /** Time during which the service may still act on a request without a response. */
  readonly settle: Milliseconds;
  /**
   * Reports whether a run continues after this command ends. False if the load generator is in this process.
   */
  readonly loadOutlivesCommand: () => boolean;
  /** Fires at the first signal of the user. No new action starts afterwards. */
  readonly interrupted: AbortSignal;
}

/** Clock, which tests can simulate. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Milliseconds since the start of the machine. Waiting uses this clock, because the wall clock may jump.
   */
  monotonic(): number;
  /** Resolves after the time, or immediately when the signal fires. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Random number from 0 (inclusive) to 1 (exclusive), for jitter. */
  random(): number;
}

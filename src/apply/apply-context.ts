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
  /** Publishes the token at the location that the service checks. @throws ProblemError */
  readonly publish: (
    app: DeclaredApp,
    token: { readonly appId: AppId; readonly verificationId: string },
  ) => Promise<void>;
  /** True for the embedded service, which runs in the process of a command on this machine. */
  readonly isEmbedded: boolean;
  /**
   * Reports whether a loopback host refuses connections. Returns false for other hosts, and if the service is on
   * another machine.
   */
  readonly isSilent: (host: string) => Promise<boolean>;
  /** Returns the reason why a host name cannot be resolved; null if it can be, or if the service is not embedded. */
  readonly resolutionFailure: (host: string) => Promise<string | null>;
  /**
   * Returns the first recorded stop request for a test at or after a time in ms since the epoch; null if
   * there is none.
   */
  readonly findStop: (id: TestId, since: number) => RunStop | null;
  /** Returns the location of a field of a declaration; null if it is unknown. */
  readonly locateField: (address: Address, field: FieldReference) => SourceRange | null;
  /** Returns the verification ID (`<prefix>-<app_id>`) of a listed app. */
  readonly verificationIdOf: (appId: string) => string;
  /** Time after an unanswered request during which the service may still execute it. */
  readonly settle: Milliseconds;
  /** Reports whether runs continue after the command ends; false if this process generates the load. */
  readonly loadOutlivesCommand: () => boolean;
  /** Aborts at the first signal from the user. No new action starts afterward. */
  readonly interrupted: AbortSignal;
}

export interface Clock {
  /** Returns the time in ms since the epoch. */
  now(): number;
  /** Returns the time since the machine started, in ms. Waits use this clock, because the wall clock may jump. */
  monotonic(): number;
  /** Resolves after the given time, or as soon as the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
}

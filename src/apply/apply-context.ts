/** What every step of carrying out a plan is given. */
import type { Sha256 } from '../core/canonical.ts';
import type { DeclaredApp } from '../core/model/app.ts';
import type { AppId, TestId } from '../core/model/ids.ts';
import type { PayloadFile } from '../core/model/payload-file.ts';
import type { RunStop } from '../core/model/run-stop.ts';
import type { ServicePort } from '../core/ports/service-port.ts';
import type { Milliseconds } from '../core/units.ts';
import type { Emit } from './events.ts';
import type { Journal } from './journal.ts';

export interface ApplyContext {
  readonly service: ServicePort;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly sha256: Sha256;
  /** A new nonce: 8 characters of [A-Za-z0-9]. */
  readonly nonce: () => string;
  readonly emit: Emit;
  /** The content of a declared payload file. Errors: ProblemError where it is no longer what was planned. */
  readonly contentOf: (file: PayloadFile) => Uint8Array;
  /** Puts the token where the service looks for it. Rejects with a ProblemError when it cannot. */
  readonly publish: (
    app: DeclaredApp,
    token: { readonly appId: AppId; readonly verificationId: string },
  ) => Promise<void>;
  /** Whether the service is the one that lives in commands of this machine. */
  readonly isEmbedded: boolean;
  /** Whether a host is on this machine, as the service is, and nothing listens there. */
  readonly isSilent: (host: string) => Promise<boolean>;
  /** Who asked for the end of a run since then (ms since the epoch), as far as this machine knows. */
  readonly findStop: (id: TestId, since: number) => RunStop | null;
  /** `<prefix>-<app_id>` for apps that were found by listing. */
  readonly verificationIdOf: (appId: string) => string;
  /** How long the service may still act on a request that went unanswered. */
  readonly settle: Milliseconds;
  /** Whether a run goes on when this command ends: not where its load lives in this process. */
  readonly loadOutlivesCommand: () => boolean;
  /** Fires at the first signal of the user: nothing new begins. */
  readonly interrupted: AbortSignal;
}

/** Time, so that waiting can be played in tests. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since the machine began: what is waited for counts by it, since the wall clock may leap. */
  monotonic(): number;
  /** Resolves after the time, or at once when the signal fires. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** 0 up to 1, for jitter. */
  random(): number;
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { AppCheck, AppDetail } from '../../contract/app-codec.ts';
import { isLoopback } from '../../core/model/app.ts';
import { authorityOf, readAppHost } from '../../core/model/url.ts';
import type { JobConnection } from '../../core/load/load-job.ts';
import type { VerifiedHost } from '../../core/ports/runner.ts';
import { txtRecordOf, type HostVerifier } from '../../egress/host-verifier.ts';
import type { ServiceLog } from '../log.ts';
import { NotVerified, Refusal, notFound, unprocessable } from '../refusal.ts';
import type { AppStore, StoredApp } from '../store/app-store.ts';
import type { Runs } from './runs.ts';

export interface AppsDeps {
  readonly store: AppStore;
  readonly runs: Runs;
  readonly verification: HostVerifier;
  readonly log: ServiceLog;
  readonly now: () => number;
  readonly randomHex: () => string;
  /**
   * Maximum number of verify calls and failed checks per app and minute, because each check can connect to the host.
   */
  readonly attemptsPerMinute: number;
  readonly totalAttemptsPerMinute: number;
  /**
   * Delay step for failed verifications, in ms; 0 disables the delay. Failures are reported at multiples of this time
   * after the call. The actual duration would reveal whether a port is closed, filtered or used by another service.
   */
  readonly refusalDelayStepMs: number;
}

interface VerifyAttempt {
  readonly id: string;
  readonly at: number;
  failed: boolean;
}

const MINUTE_MS = 60_000;

export class Apps {
  readonly #deps: AppsDeps;
  readonly #checks = new Map<string, Promise<unknown>>();
  /** Recent verify calls, and recent failed checks before runs, oldest first. */
  #attempts: VerifyAttempt[] = [];

  constructor(deps: AppsDeps) {
    this.#deps = deps;
  }

  list(): readonly StoredApp[] {
    return this.#deps.store.list();
  }

  /** @throws Refusal 404 if the app does not exist. */
  get(id: string): StoredApp {
    const app = this.#deps.store.get(id);
    if (app === null) throw notFound();
    return app;
  }

  /** @throws Refusal 404 if the app does not exist. */
  detailOf(id: string): AppDetail {
    const { host, method } = this.get(id);
    const verificationId = verificationIdOf(id);
    return {
      verificationId,
      record: txtRecordOf(verificationId),
      method,
      checks: this.#deps.store.checks(id).map((check) => ({ ...check, reason: reasonOf(check, host) })),
    };
  }

  /**
   * Returns the existing app if the host is already registered.
   * @throws Refusal 422 if the host is invalid.
   */
  register(text: string): StoredApp {
    const read = readAppHost(text);
    if ('fault' in read) {
      const reason = hintOf(text);
      throw unprocessable(`We are unable to register this app: ${reason}`);
    }
    const { store, randomHex, now } = this.#deps;
    return store.register({ id: randomHex(), host: read.host, at: now() });
  }

  /**
   * Verifies a host. Later checks before runs use the method that was last successful.
   *
   * @param connection - Connection settings for the host; null for the defaults.
   * @throws Refusal 404 if the app does not exist, 422 if the method is unknown or the verification fails, 429 after
   * too many attempts.
   */
  async verify(id: string, method: string, connection: JobConnection | null): Promise<StoredApp> {
    const app = this.get(id);
    if (method !== 'http' && method !== 'dns') {
      const text = `can't verify domain ${app.host}: the method must be "http" or "dns"`;
      throw new Refusal(422, [text], { appId: id });
    }
    this.#refuseIfLimited(id, this.#recentAttempts());
    await this.#runCheck({ id, method, purpose: 'verify' }, this.#recordAttempt(id), async () => {
      if (method === 'http') await this.#verifyForLoad({ ...app, method }, connection);
      else await this.#verifyByRecord(app);
    });
    return app;
  }

  /**
   * Verifies a host before a run, and stores the outcome.
   *
   * @param connection - Connection settings of the run for the host; null for the defaults.
   * @returns Addresses that may receive load.
   * @throws NotVerified if the check fails. The message omits the cause, so that callers cannot scan hosts.
   * @throws Refusal 429 after too many failed checks.
   */
  async confirm(app: StoredApp, connection: JobConnection | null): Promise<readonly string[]> {
    const failed = this.#recentAttempts().filter((attempt) => attempt.failed);
    this.#refuseIfLimited(app.id, failed);
    const check = { id: app.id, method: app.method, purpose: 'run' } as const;
    return await this.#runCheck(check, null, async () => await this.#verifyForLoad(app, connection));
  }

  async #verifyForLoad(app: StoredApp, connection: JobConnection | null): Promise<readonly string[]> {
    const { store, verification } = this.#deps;
    const candidate = candidateOf(app, connection);
    const outcome = await this.#shareCheck(
      `${app.id} load ${app.method} ${JSON.stringify(connection)}`,
      async () => await verification.check(candidate),
    );
    if (outcome === 'file_missing') {
      // The app stays verified, because its TXT record exists.
      throw new FileMissing([fileMissingText(app.host)], { appId: app.id });
    }
    // A failure with the connection settings of a test does not revoke the verification of the app.
    if (outcome === 'unverified') throw this.#refusalOf(app, connection === null);
    store.setVerified(app.id, { method: app.method, addresses: outcome.addresses });
    return outcome.addresses;
  }

  async #verifyByRecord(app: StoredApp): Promise<void> {
    const { store, verification } = this.#deps;
    const candidate: VerifiedHost = { ...candidateOf(app), method: 'dns' };
    const found = await this.#shareCheck(
      `${app.id} record`,
      async () => await verification.hasTxtRecord(candidate),
    );
    if (!found) throw this.#refusalOf({ ...app, method: 'dns' });
    store.setVerified(app.id, { method: 'dns', addresses: [] });
  }

  /**
   * Returns the error for a failed check. If `losesStatus` is true and the app was last verified by the same method,
   * also marks the app as unverified.
   */
  #refusalOf(app: StoredApp, losesStatus = true): NotVerified {
    const { store } = this.#deps;
    if (losesStatus && store.get(app.id)?.method === app.method) store.setUnverified(app.id);
    const reason = unverifiedText(app.method, app.host);
    return new NotVerified([`can't verify domain ${app.host}: ${reason}`], { appId: app.id });
  }

  /** Concurrent calls with the same key share one check. */
  async #shareCheck<T>(key: string, check: () => Promise<T>): Promise<T> {
    // Each key is used for only one kind of check, and therefore for only one type of result.
    const open = this.#checks.get(key) as Promise<T> | undefined;
    if (open !== undefined) return await open;
    const started = check().finally(() => this.#checks.delete(key));
    this.#checks.set(key, started);
    return await started;
  }

  /**
   * Deletes an app and stops all runs that send load to it.
   * @param client - Client that sent the request; null if the request does not name the client.
   * @throws Refusal 404 if the app does not exist.
   */
  remove(id: string, client: string | null): void {
    if (!this.#deps.store.remove(id)) throw notFound();
    this.#deps.runs.stopRunsOn(id, { at: this.#deps.now(), cause: 'app_deleted', client });
    this.#deps.log.info({ event: 'app-removed', app_id: id });
  }

  /**
   * If the check fails, counts the attempt and delays the error.
   * @param attempt - The attempt, if it is already counted; otherwise null.
   */
  async #runCheck<T>(
    { id, ...trigger }: { readonly id: string } & Pick<AppCheck, 'method' | 'purpose'>,
    attempt: VerifyAttempt | null,
    check: () => Promise<T>,
  ): Promise<T> {
    const { store, now, refusalDelayStepMs: stepMs } = this.#deps;
    const started = performance.now();
    try {
      const found = await check();
      store.addCheck(id, { ...trigger, at: now(), outcome: 'verified' });
      return found;
    } catch (error) {
      if (!(error instanceof NotVerified)) throw error;
      (attempt ?? this.#recordAttempt(id)).failed = true;
      const outcome = error instanceof FileMissing ? 'file_missing' : 'unverified';
      store.addCheck(id, { ...trigger, at: now(), outcome });
      if (stepMs > 0)
        await sleep(stepMs - ((performance.now() - started) % stepMs), undefined, { ref: false });
      throw error;
    }
  }

  #recordAttempt(id: string): VerifyAttempt {
    const attempt = { id, at: this.#deps.now(), failed: false };
    this.#attempts.push(attempt);
    return attempt;
  }

  #recentAttempts(): readonly VerifyAttempt[] {
    const since = this.#deps.now() - MINUTE_MS;
    this.#attempts = this.#attempts.filter(({ at }) => at > since);
    return this.#attempts;
  }

  /** @throws Refusal 429 after too many attempts. */
  #refuseIfLimited(id: string, attempts: readonly VerifyAttempt[]): void {
    const { now, attemptsPerMinute, totalAttemptsPerMinute } = this.#deps;
    const refuse = (oldest: VerifyAttempt | undefined, text: string) => {
      const at = now();
      const retryAfter = Math.max(1, Math.ceil(((oldest?.at ?? at) + MINUTE_MS - at) / 1000));
      throw new Refusal(429, [text], { appId: id, retryAfter });
    };
    const own = attempts.filter((attempt) => attempt.id === id);
    if (own.length >= attemptsPerMinute)
      refuse(own[0], 'too many verification attempts for this app within a minute; try again later');
    if (attempts.length >= totalAttemptsPerMinute) {
      refuse(attempts[0], 'too many verification attempts within a minute; try again later');
    }
  }
}

/** Error for a host whose name is verified but whose addresses are not. */
class FileMissing extends NotVerified {}

function fileMissingText(host: string): string {
  return `${host} is verified by its TXT record; to receive load, its addresses must serve the verification file as well`;
}

/**
 * Returns the reason why a check failed; null if it succeeded. The reason omits the network error, so that callers
 * cannot use the service to scan hosts.
 */
function reasonOf({ method, outcome }: AppCheck, host: string): string | null {
  switch (outcome) {
    case 'verified':
      return null;
    case 'file_missing':
      return fileMissingText(host);
    case 'unverified':
      return unverifiedText(method, host);
  }
}

function unverifiedText(method: StoredApp['method'], host: string): string {
  if (method === 'dns')
    return 'possible causes: no TXT record with the token exists at the host or a domain above it; the host name cannot be resolved; an IP address is not allowed to receive load';
  const text =
    'possible causes: the host name cannot be resolved; no IP address responds; an IP address does not serve the verification file, or serves it under other names too; an IP address is not allowed to receive load';
  return isLoopback(host) ? `${text}; the file is required even on the same machine` : text;
}

function hintOf(text: string): string {
  const host = readAppHost(authorityOf(text) ?? '');
  if (!('fault' in host)) return `use the host "${host.host}", not a URL`;
  return (
    'use a host with an optional port, such as "www.example.com" or "127.0.0.1:8080", without scheme, user, path ' +
    'or spaces'
  );
}

/** Returns the verification ID of an app, which the API defines as `<prefix>-<app_id>`. */
export function verificationIdOf(appId: string): string {
  return `service-${appId}`;
}

/** @param connection - Connection settings for the host; null for the defaults. */
export function candidateOf(app: StoredApp, connection: JobConnection | null = null): VerifiedHost {
  return { host: app.host, verificationId: verificationIdOf(app.id), method: app.method, connection };
}

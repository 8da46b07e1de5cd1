/** Apps: registering hosts, verifying them, removing them with all that is theirs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { authorityOf, readAppHost } from '../../core/model/url.ts';
import type { VerifiedHost } from '../../core/ports/runner.ts';
import { txtRecordOf, type HostVerifier } from '../../egress/host-verifier.ts';
import type { ServiceLog } from '../log.ts';
import { NotVerified, Refusal, notFound, unprocessable } from '../refusal.ts';
import type { AppCheck, AppStore, StoredApp } from '../store/app-store.ts';
import type { Runs } from './runs.ts';

export interface AppsDeps {
  readonly store: AppStore;
  readonly runs: Runs;
  readonly verification: HostVerifier;
  readonly log: ServiceLog;
  readonly now: () => number;
  readonly randomHex: () => string;
  /** Verify calls in a minute, for one app, and checks before runs that failed. Each makes the service call a host. */
  readonly attemptsPerMinute: number;
  /** The same of all apps together. */
  readonly totalAttemptsPerMinute: number;
  /**
   * In ms. That a host did not verify is told at multiples of this after the call: else the time would tell whether
   * its port is closed, filtered or something else's. 0: at once.
   */
  readonly refusalDelayStepMs: number;
}

/** A check of an app that somebody asked for, and when. */
interface VerifyAttempt {
  readonly id: string;
  readonly at: number;
  failed: boolean;
}

/** What is told of one app alone. */
export interface AppDetail {
  /** Name and content of the file. */
  readonly verificationId: string;
  /** Content of the TXT record. */
  readonly record: string;
  /** By which it was verified last. */
  readonly method: StoredApp['method'];
  /** The newest first. */
  readonly checks: readonly (AppCheck & { readonly reason: string | null })[];
}

const MINUTE_MS = 60_000;

export class Apps {
  readonly #deps: AppsDeps;
  /** Checks that are going on. */
  readonly #checks = new Map<string, Promise<unknown>>();
  /** The verify calls of the last minute, and the checks before runs that failed, the earliest first. */
  #attempts: VerifyAttempt[] = [];

  constructor(parts: AppsDeps) {
    this.#deps = parts;
  }

  list(): readonly StoredApp[] {
    return this.#deps.store.list();
  }

  /** Errors: Refusal 404. */
  get(id: string): StoredApp {
    const app = this.#deps.store.get(id);
    if (app === null) throw notFound();
    return app;
  }

  /** What is to be published for an app, and how its last checks went. Errors: Refusal 404. */
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
   * Registers a host; again gives the same app.
   *
   * Errors: Refusal 422.
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
   * Verifies a host by a method. The one that succeeded last is the one that is asked again before runs.
   *
   * Errors: Refusal 404, 422 when the host does not verify, 429 when it was tried too often.
   */
  async verify(id: string, method: string): Promise<StoredApp> {
    const app = this.get(id);
    if (method !== 'http' && method !== 'dns') {
      const text = `can't verify domain ${app.host}: the method must be "http" or "dns"`;
      throw new Refusal(422, [text], { appId: id });
    }
    this.#refuseIfLimited(id, this.#recentAttempts());
    await this.#runCheck({ id, method, purpose: 'verify' }, this.#recordAttempt(id), async () => {
      if (method === 'http') await this.#verifyForLoad({ ...app, method });
      else await this.#verifyByRecord(app);
    });
    return app;
  }

  /**
   * Verifies a host now, before a run, and keeps the outcome.
   *
   * Shape:  the addresses that load may go to.
   * Errors: NotVerified: the same text for every reason, so that nobody scans through us. Refusal 429 when too many
   *         checks of it failed.
   */
  async confirm(app: StoredApp): Promise<readonly string[]> {
    const failed = this.#recentAttempts().filter((one) => one.failed);
    this.#refuseIfLimited(app.id, failed);
    const asked = { id: app.id, method: app.method, purpose: 'run' } as const;
    return await this.#runCheck(asked, null, async () => await this.#verifyForLoad(app));
  }

  async #verifyForLoad(app: StoredApp): Promise<readonly string[]> {
    const { store, verification } = this.#deps;
    const candidate = candidateOf(app);
    const consent = await this.#shareCheck(
      `${app.id} load ${app.method}`,
      async () => await verification.check(candidate),
    );
    if (consent === 'file_missing') {
      // It stays verified in the API's sense: its name is.
      throw new FileMissing([fileMissingText(app.host)], app.id);
    }
    if (consent === 'unverified') throw this.#refusalOf(app);
    store.setVerified(app.id, { method: app.method, addresses: consent.addresses });
    return consent.addresses;
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

  /** What one method has proven, another one's failure does not take back. */
  #refusalOf(app: StoredApp): NotVerified {
    const { store } = this.#deps;
    if (store.get(app.id)?.method === app.method) store.setUnverified(app.id);
    return new NotVerified([`can't verify domain ${app.host}`], app.id);
  }

  /** Callers at the same time share one check. */
  async #shareCheck<T>(key: string, check: () => Promise<T>): Promise<T> {
    // Each key is of one kind of check, and so of one type.
    const open = this.#checks.get(key) as Promise<T> | undefined;
    if (open !== undefined) return await open;
    const started = check().finally(() => this.#checks.delete(key));
    this.#checks.set(key, started);
    return await started;
  }

  /** @param client what the request says of who sent it. Errors: Refusal 404. */
  remove(id: string, client: string | null): void {
    if (!this.#deps.store.remove(id)) throw notFound();
    this.#deps.runs.stopRunsOn(id, { at: this.#deps.now(), cause: 'app_deleted', client });
    this.#deps.log.info({ event: 'app-removed', app_id: id });
  }

  /** Does a check whose failure counts, slow to tell of it, and keeps how it went. @param counted the try that it is already, if any */
  async #runCheck<T>(
    { id, ...asked }: { readonly id: string } & Pick<AppCheck, 'method' | 'purpose'>,
    counted: VerifyAttempt | null,
    check: () => Promise<T>,
  ): Promise<T> {
    const { store, now, refusalDelayStepMs: grain } = this.#deps;
    const started = performance.now();
    try {
      const found = await check();
      store.addCheck(id, { ...asked, at: now(), outcome: 'verified' });
      return found;
    } catch (error) {
      if (!(error instanceof NotVerified)) throw error;
      (counted ?? this.#recordAttempt(id)).failed = true;
      const outcome = error instanceof FileMissing ? 'file_missing' : 'unverified';
      store.addCheck(id, { ...asked, at: now(), outcome });
      if (grain > 0) await sleep(grain - ((performance.now() - started) % grain), undefined, { ref: false });
      throw error;
    }
  }

  #recordAttempt(id: string): VerifyAttempt {
    const one = { id, at: this.#deps.now(), failed: false };
    this.#attempts.push(one);
    return one;
  }

  #recentAttempts(): readonly VerifyAttempt[] {
    const since = this.#deps.now() - MINUTE_MS;
    this.#attempts = this.#attempts.filter(({ at }) => at > since);
    return this.#attempts;
  }

  /** Errors: Refusal 429. */
  #refuseIfLimited(id: string, tries: readonly VerifyAttempt[]): void {
    const { now, attemptsPerMinute, totalAttemptsPerMinute } = this.#deps;
    const refuse = (oldest: VerifyAttempt | undefined, text: string) => {
      const at = now();
      const retryAfter = Math.max(1, Math.ceil(((oldest?.at ?? at) + MINUTE_MS - at) / 1000));
      throw new Refusal(429, [text], { appId: id, retryAfter });
    };
    const own = tries.filter((one) => one.id === id);
    if (own.length >= attemptsPerMinute)
      refuse(own[0], 'too many verify requests for this app within a minute');
    if (tries.length >= totalAttemptsPerMinute) {
      refuse(tries[0], 'too many verify requests within a minute');
    }
  }
}

/** Its name is proven, and not its addresses. */
class FileMissing extends NotVerified {}

function fileMissingText(host: string): string {
  return `${host} is verified by its TXT record; to receive load, its addresses must serve the file as well`;
}

/** Null: it went well. One text for all that can go wrong with a method, so that nobody scans through us. */
function reasonOf({ method, outcome }: AppCheck, host: string): string | null {
  switch (outcome) {
    case 'verified':
      return null;
    case 'file_missing':
      return fileMissingText(host);
    case 'unverified':
      return method === 'dns'
        ? `no TXT record with the token was found at ${host} or a domain above it`
        : `not every address of ${host} answers with the file, or one answers so to any name`;
  }
}

/** What to register in place of a text that is no host. */
function hintOf(text: string): string {
  const host = readAppHost(authorityOf(text) ?? '');
  if (!('fault' in host)) return `give the host alone, "${host.host}", not a URL`;
  return (
    'give a host with an optional port, such as "www.example.com" or "127.0.0.1:8080", without scheme, user, path ' +
    'or spaces'
  );
}

/** The document's `<prefix>-<app_id>`. */
export function verificationIdOf(appId: string): string {
  return `service-${appId}`;
}

export function candidateOf(app: StoredApp): VerifiedHost {
  return { host: app.host, verificationId: verificationIdOf(app.id), method: app.method };
}

/**
 * What must hold at the moment a run starts: its hosts are registered and consent, at addresses that may be loaded,
 * and its payload files can be used.
 */
import type { LoadJob } from '../../core/load/load-job.ts';
import type { Capabilities } from '../../core/model/capabilities.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { faultsOfRows } from '../../core/model/test-rules.ts';
import type { ReadUrl } from '../../core/model/url.ts';
import type { HostVerifier } from '../../egress/host-verifier.ts';
import { NotVerified, refuseFaults, unprocessable } from '../refusal.ts';
import type { AppStore, StoredApp } from '../store/app-store.ts';
import { candidateOf, type Apps } from './apps.ts';
import { createLoadJob, readUrls, type PinnedUrl } from './load-job.ts';
import type { PayloadFileLoader } from './payload-file-loader.ts';
import type { HostUnderLoad } from './runs.ts';

export interface PreparationDeps {
  readonly appStore: AppStore;
  readonly apps: Apps;
  readonly verification: HostVerifier;
  readonly payloads: PayloadFileLoader;
  readonly abilities: () => Capabilities;
  readonly randomSeed: () => number;
  readonly userAgent: string;
  /** Engine threads that the operator wants for each run; null: as many as its load needs. */
  readonly threads: number | null;
}

/** What is ready to start: verified hosts and the job for their addresses. */
export interface PreparedRun {
  readonly job: LoadJob;
  readonly hosts: readonly HostUnderLoad[];
}

export interface Preparation {
  /**
   * Asks every host of a test whether it consents, and fetches its payload files, now.
   *
   * Errors: Refusal 422; as NotVerified where a host is not registered, was never verified, or does not verify
   *         now.
   */
  prepare(spec: LoadTestSpec, runId: string): Promise<PreparedRun>;
  /** Errors: NotVerified where an app was deleted while its host was asked. */
  refuseIfAppsDeleted(hosts: readonly HostUnderLoad[]): void;
  /** The hosts of a job that an earlier process prepared; null where an app is gone. */
  hostsOf(job: LoadJob): readonly HostUnderLoad[] | null;
  /** The app that a prepared test belongs to. */
  appOfFirstUrl(spec: LoadTestSpec): string;
}

export function createPreparation(parts: PreparationDeps): Preparation {
  const { appStore, apps, verification, payloads, abilities, randomSeed, userAgent, threads } = parts;

  /** The app of the URL's host and port, else of its bare host. */
  const appOf = (url: Pick<ReadUrl, 'authority' | 'bareHost'>): StoredApp | null =>
    appStore.byHost(url.authority) ?? appStore.byHost(url.bareHost);

  return {
    async prepare(spec, runId) {
      const urls = readUrls(spec).map((url) => ({ ...url, app: appOf(url.read) }));
      const missing = urls.flatMap(({ app, read }, index) =>
        app?.verified === true
          ? []
          : [`urls[${index}]: ${read.authority} is not ${app === null ? 'a registered' : 'a verified'} app`],
      );
      if (missing.length > 0) throw new NotVerified(missing);
      const used = new Map(urls.flatMap(({ app }) => (app === null ? [] : [[app.id, app] as const])));
      const hosts = await Promise.all(
        [...used.values()].map(async (app) => ({
          ...candidateOf(app),
          appId: app.id,
          addresses: await apps.confirm(app),
        })),
      );
      const pinned: PinnedUrl[] = [];
      for (const { target, read: parsed, app } of urls) {
        const addresses = hosts.find((host) => host.appId === app?.id)?.addresses ?? [];
        // A host without a port in its name is verified on the default ports; this URL may use another one.
        if (addresses.some((address) => verification.refusalOf(address, parsed.port) !== null)) {
          throw unprocessable(`${parsed.authority} is an address that load must not be sent to`);
        }
        pinned.push({
          target,
          parsed,
          addresses: await verification.selectListening(addresses, parsed.port),
        });
      }
      const payload = await payloads.load(spec);
      const rows = {
        variables: payload.iterationRows.flatMap(({ names }) => names),
        requests: payload.requestRows.map((own) => own !== null),
      };
      refuseFaults(faultsOfRows(spec, rows, abilities()));
      const settings = { runId, userAgent, seed: randomSeed(), threads, payload };
      return { job: createLoadJob(spec, pinned, settings), hosts };
    },
    refuseIfAppsDeleted(hosts) {
      const gone = hosts.filter((host) => appStore.get(host.appId) === null);
      if (gone.length > 0) throw new NotVerified(gone.map((host) => `${host.host} is not a registered app`));
    },
    hostsOf(job) {
      const hosts = new Map<string, HostUnderLoad>();
      for (const { authority, hostname, addresses } of job.targets) {
        const app = appOf({ authority, bareHost: hostname.includes(':') ? `[${hostname}]` : hostname });
        if (app === null) return null;
        const known = hosts.get(app.id)?.addresses ?? [];
        const all = [...new Set([...known, ...addresses])];
        hosts.set(app.id, { ...candidateOf(app), appId: app.id, addresses: all });
      }
      return [...hosts.values()];
    },
    appOfFirstUrl(spec) {
      const [first] = readUrls(spec);
      const app = first && appOf(first.read);
      if (app === undefined || app === null) throw new Error('Bug: a prepared test without an app');
      return app.id;
    },
  };
}

/** Prepares a run: verifies its hosts, selects allowed addresses, and loads its payload files. */
import type { LoadJob } from '../../core/load/load-job.ts';
import type { Capabilities } from '../../core/model/capabilities.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import type { FieldPath, FieldReference } from '../../core/field-reference.ts';
import { pathInPhase, type PhaseName } from '../../core/model/phase.ts';
import { phaseTestsOf } from '../../core/model/phase-test.ts';
import { URL_FIELDS } from '../../core/model/test-fields.ts';
import type { Fault } from '../../core/model/rules/fault.ts';
import { checkSetupRows, faultsOfRows } from '../../core/model/test-rules.ts';
import type { ReadUrl } from '../../core/model/url.ts';
import type { HostVerifier } from '../../egress/host-verifier.ts';
import { NotVerified, entryText, refuseFaults, unprocessable } from '../refusal.ts';
import type { AppStore, StoredApp } from '../store/app-store.ts';
import { candidateOf, type Apps } from './apps.ts';
import { createLoadJob, jobConnectionOf, readUrls, type PinnedUrl } from './load-job.ts';
import type { PayloadFileLoader } from './payload-file-loader.ts';
import type { PhaseJobs } from './phased-run.ts';
import type { AbortSpec, HostUnderLoad } from './runs.ts';

export interface PreparationDeps {
  readonly appStore: AppStore;
  readonly apps: Apps;
  readonly verification: HostVerifier;
  readonly payloads: PayloadFileLoader;
  readonly abilities: () => Capabilities;
  readonly randomSeed: () => number;
  readonly userAgent: string;
  readonly threads: number | null;
}

export interface PreparedRun {
  readonly job: LoadJob;
  readonly phases: PhaseJobs;
  readonly hosts: readonly HostUnderLoad[];
  /** Test whose abort rules apply to the run; null if none apply. */
  readonly abortSpec: AbortSpec | null;
}

export interface Preparation {
  /** @throws Refusal 422 or 429; NotVerified if a host is not a verified app, or its verification has just failed. */
  prepare(spec: LoadTestSpec, runId: string): Promise<PreparedRun>;
  /** @throws NotVerified if an app was deleted during the preparation. */
  refuseIfAppsDeleted(hosts: readonly HostUnderLoad[]): void;
  /** Returns the hosts of a job that an earlier process prepared; null if an app was deleted. */
  hostsOf(job: LoadJob): readonly HostUnderLoad[] | null;
  /** Returns the ID of the app of the first URL, which owns the test. */
  appOfFirstUrl(spec: LoadTestSpec): string;
}

interface RunPart {
  /** Name of the phase; null for the load. */
  readonly phase: PhaseName | null;
  readonly spec: LoadTestSpec;
  /** Converts a path in `spec` to the path in the whole test. */
  readonly pathOf: (path: FieldPath) => FieldPath;
}

function partsOf(spec: LoadTestSpec): readonly [RunPart, ...RunPart[]] {
  const phases = phaseTestsOf(spec).map(({ name, spec: phase }): RunPart => ({
    phase: name,
    spec: phase,
    pathOf: (path) => pathInPhase(name, path),
  }));
  return [{ phase: null, spec, pathOf: (path) => path }, ...phases];
}

export function createPreparation(deps: PreparationDeps): Preparation {
  const { appStore, apps, verification, payloads, abilities, randomSeed, userAgent, threads } = deps;

  /** Returns the app for the host and port of a URL, or else the app for the bare host; null if neither exists. */
  const appOf = (url: Pick<ReadUrl, 'authority' | 'bareHost'>): StoredApp | null =>
    appStore.byHost(url.authority) ?? appStore.byHost(url.bareHost);

  return {
    async prepare(spec, runId) {
      const parts = partsOf(spec);
      const urls = parts.flatMap((part) =>
        readUrls(part.spec).map((url, index) => ({
          ...url,
          part,
          app: appOf(url.read),
          path: part.pathOf(['urls', index]),
        })),
      );
      const missing = urls.flatMap(({ app, read, path }) => {
        if (app?.verified === true) return [];
        const state = app === null ? 'a registered' : 'a verified';
        const field: FieldReference = { path: [...path, URL_FIELDS.url.name], about: 'value' };
        return [{ error: `${entryText(path) ?? ''}: ${read.authority} is not ${state} app`, field }];
      });
      if (missing.length > 0) {
        const fields = missing.map(({ field }) => field);
        throw new NotVerified(
          missing.map(({ error }) => error),
          { fields },
        );
      }
      const used = new Map(urls.flatMap(({ app }) => (app === null ? [] : [[app.id, app] as const])));
      const hosts = await Promise.all(
        [...used.values()].map(async (app) => {
          const connection = jobConnectionOf(spec, { authority: app.host, bareHost: app.host });
          return {
            ...candidateOf(app, connection),
            appId: app.id,
            addresses: await apps.confirm(app, connection),
          };
        }),
      );
      const pinned = new Map<RunPart, PinnedUrl[]>(parts.map((part) => [part, []]));
      for (const { target, read: parsed, app, part } of urls) {
        const addresses = hosts.find((host) => host.appId === app?.id)?.addresses ?? [];
        // If the app has no port, its host was verified only for the default ports.
        if (addresses.some((address) => verification.refusalOf(address, parsed.port) !== null)) {
          throw unprocessable(`${parsed.authority} has an address that must not receive load`);
        }
        pinned.get(part)?.push({
          target,
          parsed,
          addresses: await verification.selectListening(addresses, parsed.port),
        });
      }
      const seed = randomSeed();
      const jobOf = async (part: RunPart, setup: LoadJob | null = null): Promise<LoadJob> => {
        const payload = await payloads.load(part.spec, part.pathOf);
        if (part.phase === 'setup') {
          const found: Fault[] = [];
          const [ofRequest = null] = payload.requestRows;
          const { values } = ofRequest ?? payload.iterationRows[0] ?? {};
          const variables = ofRequest === null ? [] : null;
          checkSetupRows(found, values === undefined ? null : { rows: values.length, variables });
          refuseFaults(found.map((fault) => ({ ...fault, path: part.pathOf(fault.path) })));
        }
        if (part.phase === null) {
          const rows = {
            variables: payload.iterationRows.flatMap(({ names }) => names),
            requests: payload.requestRows.map((rows) => rows !== null),
            setup: setup?.iterationRows.flatMap(({ names }) => names) ?? [],
          };
          refuseFaults(faultsOfRows(spec, rows, abilities()));
        }
        return createLoadJob(part.spec, pinned.get(part) ?? [], {
          runId,
          userAgent,
          seed,
          threads,
          payload,
          setupRows: setup?.iterationRows ?? [],
        });
      };
      const jobOfPhase = async (name: PhaseName) => {
        const part = parts.find(({ phase }) => phase === name);
        return part === undefined ? null : await jobOf(part);
      };
      const phases = {
        setup: await jobOfPhase('setup'),
        teardown: await jobOfPhase('teardown'),
        refresh: spec.setup?.refresh ?? null,
      };
      return { job: await jobOf(parts[0], phases.setup), phases, hosts, abortSpec: spec };
    },
    refuseIfAppsDeleted(hosts) {
      const deleted = hosts.filter((host) => appStore.get(host.appId) === null);
      if (deleted.length > 0)
        throw new NotVerified(deleted.map((host) => `${host.host} is not a registered app`));
    },
    hostsOf(job) {
      const hosts = new Map<string, HostUnderLoad>();
      for (const { authority, hostname, addresses, connection } of job.targets) {
        const app = appOf({ authority, bareHost: hostname.includes(':') ? `[${hostname}]` : hostname });
        if (app === null) return null;
        const known = hosts.get(app.id)?.addresses ?? [];
        const all = [...new Set([...known, ...addresses])];
        hosts.set(app.id, { ...candidateOf(app, connection), appId: app.id, addresses: all });
      }
      return [...hosts.values()];
    },
    appOfFirstUrl(spec) {
      const [first] = readUrls(spec);
      const app = first && appOf(first.read);
      if (app === undefined || app === null)
        throw new Error('Bug: the first URL of a prepared test has no app');
      return app.id;
    },
  };
}

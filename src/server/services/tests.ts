/** Tests: accepting, listing, running and stopping them. */
import type { ResultRecord } from '../../contract/generated/result-record.ts';
import type { TestCreate } from '../../contract/generated/test-create.ts';
import { encodeResult } from '../../contract/result-codec.ts';
import type { Json } from '../../core/canonical.ts';
import type { LoadJob } from '../../core/load/job.ts';
import type { RunProgress } from '../../core/load/report.ts';
import { Refusal, notFound, unprocessable } from '../refusal.ts';
import type { AppStore, StoredApp } from '../store/apps.ts';
import type { Database } from '../store/open.ts';
import type { ResultStore, StoredRun } from '../store/results.ts';
import type { StoredTest, TestStore } from '../store/tests.ts';
import { candidateOf, type Apps } from './apps.ts';
import type { Idempotency, Keep } from './idempotency.ts';
import { createLoadJob, readUrls, type PinnedUrl } from './load-job.ts';
import type { LoadedHost, Runs } from './runs.ts';
import { errorsOfTest, type ReadUrl } from './test-rules.ts';
import type { Verification } from './verification.ts';

export interface TestsParts {
  readonly database: Database;
  readonly appStore: AppStore;
  readonly store: TestStore;
  readonly results: ResultStore;
  readonly apps: Apps;
  readonly runs: Runs;
  readonly verification: Verification;
  readonly idempotency: Idempotency;
  readonly now: () => number;
  readonly randomHex: () => string;
  readonly randomSeed: () => number;
  readonly userAgent: string;
  /** Engine threads of a run. */
  readonly threads: number;
}

/** What is ready to start: verified hosts and the job for their addresses. */
interface PreparedRun {
  readonly job: LoadJob;
  readonly hosts: readonly LoadedHost[];
}

export class Tests {
  readonly #parts: TestsParts;

  constructor(parts: TestsParts) {
    this.#parts = parts;
  }

  list(): readonly StoredTest[] {
    return this.#parts.store.list();
  }

  /** Errors: Refusal 404. */
  get(id: string): StoredTest {
    const test = this.#parts.store.get(id);
    if (test === null) throw notFound();
    return test;
  }

  /** How far the run of a test has come; null when none goes on, or none has told yet. */
  progressOf(id: string): RunProgress | null {
    return this.#parts.runs.progressOf(id);
  }

  /**
   * Stores a test and starts its first run.
   *
   * Shape:  the test, its run and the answer to its key are on disk before the answer is given.
   * Errors: Refusal 422, 429, 503.
   */
  async create(definition: TestCreate, key: string | null): Promise<Json> {
    // Plain JSON: it was parsed from a body.
    const content = { route: 'create', body: definition as unknown as Json };
    return await this.#parts.idempotency.once({ key, content }, async (keep) => {
      const errors = errorsOfTest(definition);
      if (errors.length > 0) throw unprocessable(...errors);
      const testId = this.#parts.randomHex();
      const run = await this.#prepare(definition);
      return this.#startRun(testId, run, keep, () => {
        const appId = this.#appOfFirstUrl(definition);
        this.#parts.store.insert({ id: testId, appId, definition, status: 'running' }, this.#parts.now());
      });
    });
  }

  /** Errors: Refusal 404; 422 when it runs already or its hosts do not verify; 429, 503. */
  async run(id: string, key: string | null): Promise<Json> {
    const content = { route: 'run', test_id: id };
    return await this.#parts.idempotency.once({ key, content }, async (keep) => {
      const test = this.get(id);
      refuseIfRunning(test);
      const run = await this.#prepare(test.definition);
      return this.#startRun(id, run, keep, () => {
        // Looked at again: another request may have come while the hosts were asked.
        refuseIfRunning(this.get(id));
        this.#parts.store.setStatus(id, 'running');
      });
    });
  }

  /** Stopping a test that does not run changes nothing and says so. Errors: Refusal 404. */
  stop(id: string): Json {
    this.get(id);
    this.#parts.runs.stop(id);
    return {
      message: 'success',
      test_id: id,
      status: this.get(id).status,
      result_id: this.#parts.results.latest(id)?.id ?? null,
    };
  }

  /** Newest first. Errors: Refusal 404. */
  results(id: string): readonly ResultRecord[] {
    this.get(id);
    return this.#parts.results.list(id).map(recordOf);
  }

  /** Errors: Refusal 404. */
  result(id: string, resultId: string): ResultRecord {
    const run = this.#parts.results.get(id, resultId);
    if (run === null) throw notFound();
    return recordOf(run);
  }

  /** Errors: Refusal 422 when a host is not registered, was never verified, or does not verify now. */
  async #prepare(definition: TestCreate): Promise<PreparedRun> {
    const { apps, verification, userAgent, threads, randomSeed, randomHex } = this.#parts;
    const urls = readUrls(definition).map((url) => ({ ...url, app: this.#appOf(url.read) }));
    const missing = urls.flatMap(({ app, read }, index) =>
      app?.verified === true
        ? []
        : [`urls[${index}]: ${read.authority} is not ${app === null ? 'a registered' : 'a verified'} app`],
    );
    if (missing.length > 0) throw unprocessable(...missing);
    const used = new Map(urls.flatMap(({ app }) => (app === null ? [] : [[app.id, app] as const])));
    const hosts = await Promise.all(
      [...used.values()].map(async (app) => ({
        ...candidateOf(app),
        appId: app.id,
        addresses: await apps.confirm(app),
      })),
    );
    const pinned: PinnedUrl[] = [];
    for (const { entry, read, app } of urls) {
      const addresses = hosts.find((host) => host.appId === app?.id)?.addresses ?? [];
      // A host without a port in its name is verified on the default ports; this URL may use another one.
      if (addresses.some((address) => verification.refusalOf(address, read.port) !== null)) {
        throw unprocessable(`${read.authority} is an address that load may not go to`);
      }
      pinned.push({ entry, read, addresses: await verification.answering(addresses, read.port) });
    }
    const job = createLoadJob(definition, pinned, {
      runId: randomHex(),
      userAgent,
      seed: randomSeed(),
      threads,
    });
    return { job, hosts };
  }

  /** Everything from here to the answer is synchronous: nothing comes between the checks and the write. */
  #startRun(testId: string, run: PreparedRun, keep: Keep, writeTest: () => void): Json {
    const { database, results, runs, now } = this.#parts;
    runs.refuseUnlessPossible(run.job);
    const resultId = run.job.runId;
    const startedAt = now();
    const answer = { message: 'success', test_id: testId, status: 'running', result_id: resultId };
    database.transact(() => {
      this.#refuseIfAppsWent(run.hosts);
      writeTest();
      results.insert({ id: resultId, testId, startedAt });
      keep(answer);
    });
    runs.start({ testId, startedAt, job: run.job, hosts: run.hosts });
    return answer;
  }

  /** An app may have been deleted while its host was asked. */
  #refuseIfAppsWent(hosts: readonly LoadedHost[]): void {
    const gone = hosts.filter((host) => this.#parts.appStore.get(host.appId) === null);
    if (gone.length > 0) throw unprocessable(...gone.map((host) => `${host.host} is not a registered app`));
  }

  #appOfFirstUrl(definition: TestCreate): string {
    const [first] = readUrls(definition);
    const app = first && this.#appOf(first.read);
    if (app === undefined || app === null) throw new Error('Bug: a prepared test without an app');
    return app.id;
  }

  /** The app of the URL's host and port, else of its bare host. */
  #appOf(url: ReadUrl): StoredApp | null {
    return this.#parts.appStore.byHost(url.authority) ?? this.#parts.appStore.byHost(url.bareHost);
  }
}

function refuseIfRunning(test: StoredTest): void {
  if (test.status === 'running') throw new Refusal(422, ['the test is already running']);
}

function recordOf(run: StoredRun): ResultRecord {
  return (
    run.record ?? encodeResult({ id: run.id, startedAt: run.startedAt, publicUrl: null, report: null }, false)
  );
}

/** Tests: accepting, listing, running and stopping them. */
import { encodeTestAnswer } from '../../contract/answers.ts';
import type { PassRequest } from '../../contract/request-codec.ts';
import type { Json } from '../../core/canonical.ts';
import type { Exchange, RunProgress } from '../../core/load/report.ts';
import type { Abilities } from '../../core/model/abilities.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { faultsOfTest } from '../../core/model/test-rules.ts';
import { seconds } from '../../core/units.ts';
import { Refusal, notFound, refuseFaults } from '../refusal.ts';
import type { Database } from '../store/open.ts';
import type { ResultStore, StoredRun } from '../store/results.ts';
import type { StoredTest, TestStatus, TestStore } from '../store/tests.ts';
import type { Idempotency, Keep, KeyedRequest } from './idempotency.ts';
import type { PreparedRun, Preparation } from './preparation.ts';
import type { Runs } from './runs.ts';
import type { Schedules } from './schedules.ts';

export interface TestsParts {
  readonly database: Database;
  readonly store: TestStore;
  readonly results: ResultStore;
  readonly runs: Runs;
  /** Null: tests cannot wait, since the service lives no longer than a command. */
  readonly schedules: Schedules | null;
  readonly preparation: Preparation;
  /** What this service can do, at this moment. */
  readonly abilities: () => Abilities;
  readonly idempotency: Idempotency;
  readonly now: () => number;
  readonly randomHex: () => string;
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
   * Stores a test and starts its first run, or lets it wait for its time.
   *
   * Shape:  the test, its run and the answer to its key are on disk before the answer is given.
   * Errors: Refusal 422, 429, 503.
   */
  async create(spec: LoadTestSpec, request: KeyedRequest): Promise<Json> {
    return await this.#parts.idempotency.once(request, async (keep) => {
      const { preparation, abilities, now, randomHex } = this.#parts;
      refuseFaults(faultsOfTest(spec, abilities()));
      const testId = randomHex();
      const run = await preparation.prepare(spec, randomHex());
      const insert = (status: TestStatus, dueAt: number | null) => {
        const appId = preparation.appOfFirstUrl(spec);
        this.#parts.store.insert({ id: testId, appId, spec, status, dueAt }, now());
      };
      const dueAt = spec.scheduledAt;
      if (dueAt === null) {
        return await this.#startRun(testId, run, keep, () => {
          insert('running', null);
        });
      }
      const answer = encodeTestAnswer({ testId, status: 'pending' });
      this.#parts.database.transact(() => {
        preparation.refuseIfAppsWent(run.hosts);
        insert('pending', dueAt);
        keep(answer);
      });
      return answer;
    });
  }

  /**
   * Lets one client make one pass of a test that is not stored, and tells each exchange.
   *
   * Errors: Refusal 422, 429, 503.
   */
  async pass({ spec, secrets }: PassRequest): Promise<readonly Exchange[]> {
    const { preparation, runs, abilities, randomHex } = this.#parts;
    refuseFaults(faultsOfTest(spec, abilities()));
    const { job } = await preparation.prepare(spec, randomHex());
    const single = { testType: 'non-cycling', total: 1, duration: seconds(1), errorThreshold: 100 } as const;
    const report = await runs.once({ ...job, ...single, threads: 1, trace: { secrets } });
    return report.exchanges;
  }

  /**
   * Runs a test now. One that waits for its time has had its run then: it waits no longer.
   *
   * Errors: Refusal 404; 422 when it runs already or its hosts do not verify; 429, 503.
   */
  async run(id: string, key: string | null): Promise<Json> {
    // eslint-disable-next-line no-restricted-syntax -- its digest lies in the stores of earlier versions
    const content = { route: 'run', test_id: id };
    return await this.#parts.idempotency.once({ key, content }, async (keep) => {
      const test = this.get(id);
      refuseIfRunning(test);
      const run = await this.#parts.preparation.prepare(test.spec, this.#parts.randomHex());
      return await this.#startRun(id, run, keep, () => {
        // Looked at again: another request, or its time, may have come while the hosts were asked.
        refuseIfRunning(this.get(id));
        this.#parts.store.setStatus(id, 'running');
      });
    });
  }

  /**
   * Stops a test, or takes it off the schedule. One that neither runs nor waits is left as it is.
   *
   * Errors: Refusal 404.
   */
  stop(id: string): Json {
    const { store, results, runs, schedules } = this.#parts;
    if (this.get(id).status === 'pending') store.setStatus(id, 'complete');
    else if (schedules?.stop(id) !== true) runs.stop(id);
    const resultId = results.latest(id)?.id ?? null;
    return encodeTestAnswer({ testId: id, status: this.get(id).status, resultId });
  }

  /** Newest first. Errors: Refusal 404. */
  results(id: string): readonly StoredRun[] {
    this.get(id);
    return this.#parts.results.list(id);
  }

  /** Errors: Refusal 404. */
  result(id: string, resultId: string): StoredRun {
    const run = this.#parts.results.get(id, resultId);
    if (run === null) throw notFound();
    return run;
  }

  #startRun(testId: string, run: PreparedRun, keep: Keep, writeTest: () => void): Promise<Json> {
    const { database, results, runs, preparation, now } = this.#parts;
    const resultId = run.job.runId;
    return runs.admit(run.job, () => {
      const startedAt = now();
      const answer = encodeTestAnswer({ testId, status: 'running', resultId });
      database.transact(() => {
        preparation.refuseIfAppsWent(run.hosts);
        writeTest();
        results.insert({ id: resultId, testId, startedAt });
        keep(answer);
      });
      runs.start({ testId, startedAt, job: run.job, hosts: run.hosts });
      return answer;
    });
  }
}

function refuseIfRunning(test: StoredTest): void {
  if (test.status === 'running') throw new Refusal(422, ['the test is already running']);
}

/** Tests: accepting, listing, running and stopping them. */
import type { ResultRecord } from '../../contract/generated/result-record.ts';
import type { TestCreate } from '../../contract/generated/test-create.ts';
import { encodeResult } from '../../contract/result-codec.ts';
import type { Json } from '../../core/canonical.ts';
import { parseInstant } from '../../core/instant.ts';
import type { Exchange, RunProgress } from '../../core/load/report.ts';
import { seconds } from '../../core/units.ts';
import { Refusal, notFound, unprocessable } from '../refusal.ts';
import type { Database } from '../store/open.ts';
import type { ResultStore, StoredRun } from '../store/results.ts';
import type { StoredTest, TestStatus, TestStore } from '../store/tests.ts';
import type { Idempotency, Keep } from './idempotency.ts';
import type { MailRecipients } from './mail-recipients.ts';
import type { OutsideHosts } from './outside-hosts.ts';
import type { PreparedRun, Preparation } from './preparation.ts';
import type { Runs } from './runs.ts';
import type { Schedules } from './schedules.ts';
import { errorsOfTest } from './test-rules.ts';

export interface TestsParts {
  readonly database: Database;
  readonly store: TestStore;
  readonly results: ResultStore;
  readonly runs: Runs;
  /** Null: tests cannot wait, since the service lives no longer than a command. */
  readonly schedules: Schedules | null;
  readonly preparation: Preparation;
  /** Who may be called when a run has ended. */
  readonly outside: OutsideHosts;
  /** Who may get mail when a run has ended; null: nobody, since there is no relay. */
  readonly mail: MailRecipients | null;
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
  async create(definition: TestCreate, key: string | null): Promise<Json> {
    // Plain JSON: it was parsed from a body.
    const content = { route: 'create', body: definition as unknown as Json };
    return await this.#parts.idempotency.once({ key, content }, async (keep) => {
      const { preparation, schedules, outside, mail, now, randomHex } = this.#parts;
      const errors = errorsOfTest(definition, { now: now(), schedules: schedules !== null, outside, mail });
      if (errors.length > 0) throw unprocessable(...errors);
      const testId = randomHex();
      const run = await preparation.prepare(definition, randomHex());
      const insert = (status: TestStatus, dueAt: number | null) => {
        const appId = preparation.appOfFirstUrl(definition);
        this.#parts.store.insert({ id: testId, appId, definition, status, dueAt }, now());
      };
      const dueAt = parseInstant(definition.scheduled_at ?? '');
      if (dueAt === null) {
        return await this.#startRun(testId, run, keep, () => {
          insert('running', null);
        });
      }
      const answer = { message: 'success', test_id: testId, status: 'pending' };
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
  async pass(definition: TestCreate): Promise<readonly Exchange[]> {
    const { preparation, runs, schedules, outside, mail, now, randomHex } = this.#parts;
    const errors = errorsOfTest(definition, { now: now(), schedules: schedules !== null, outside, mail });
    if (errors.length > 0) throw unprocessable(...errors);
    const { job } = await preparation.prepare(definition, randomHex());
    const single = { testType: 'non-cycling', total: 1, duration: seconds(1), errorThreshold: 100 } as const;
    const report = await runs.once({ ...job, ...single, threads: 1, trace: true });
    return report.exchanges;
  }

  /**
   * Runs a test now. One that waits for its time has had its run then: it waits no longer.
   *
   * Errors: Refusal 404; 422 when it runs already or its hosts do not verify; 429, 503.
   */
  async run(id: string, key: string | null): Promise<Json> {
    const content = { route: 'run', test_id: id };
    return await this.#parts.idempotency.once({ key, content }, async (keep) => {
      const test = this.get(id);
      refuseIfRunning(test);
      const run = await this.#parts.preparation.prepare(test.definition, this.#parts.randomHex());
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
    return {
      message: 'success',
      test_id: id,
      status: this.get(id).status,
      result_id: results.latest(id)?.id ?? null,
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

  #startRun(testId: string, run: PreparedRun, keep: Keep, writeTest: () => void): Promise<Json> {
    const { database, results, runs, preparation, now } = this.#parts;
    const resultId = run.job.runId;
    return runs.admit(run.job, () => {
      const startedAt = now();
      const answer = { message: 'success', test_id: testId, status: 'running', result_id: resultId };
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

function recordOf(run: StoredRun): ResultRecord {
  return run.record ?? encodeResult({ id: run.id, startedAt: run.startedAt, report: null }, false);
}

import type { RunReport } from '../../core/load/run-report.ts';
import type { RunStop } from '../../core/model/run-stop.ts';
import { messageOf } from '../../core/unknown-value.ts';
import type { ServiceLog } from '../log.ts';
import { NotVerified, outOfFiles, Refusal } from '../refusal.ts';
import type { Database } from '../store/database.ts';
import type { RunIdentity, ResultStore } from '../store/result-store.ts';
import { failureOf } from '../store/storage-failure.ts';
import type { DueTest, TestStore } from '../store/test-store.ts';
import { createEmptyReport } from './empty-report.ts';
import type { Preparation } from './preparation.ts';
import type { RunEndRecorder } from './run-end-recorder.ts';
import type { Runs } from './runs.ts';

export interface SchedulesDeps {
  readonly database: Database;
  readonly tests: TestStore;
  readonly results: ResultStore;
  readonly preparation: Preparation;
  readonly runs: Runs;
  readonly ends: RunEndRecorder;
  readonly log: ServiceLog;
  readonly version: string;
  readonly now: () => number;
  readonly randomHex: () => string;
}

/** Maximum delay after the due time, in ms. A test that has not started by then is missed. */
const MAX_START_DELAY_MS = 5 * 60_000;

const MAX_CONCURRENT_STARTS = 32;

const MISSED_BATCH_SIZE = 1000;

const SCHEDULE = 'the schedule';

/**
 * Starts scheduled tests when they are due. A test is stored as `running` before its preparation, so that it never
 * starts twice, even if the clock is set back. If the process is killed before the load starts, the run ends as
 * `partial`.
 */
export class Schedules {
  readonly #deps: SchedulesDeps;
  /** Runs of due tests whose load has not started yet, by test ID. */
  readonly #starting = new Map<string, RunIdentity>();
  #closing = false;

  constructor(deps: SchedulesDeps) {
    this.#deps = deps;
  }

  endMissedTests(): void {
    const { tests, results, ends, log, now, version, randomHex } = this.#deps;
    for (;;) {
      const missed = tests
        .listDue(now() - MAX_START_DELAY_MS - 1, MISSED_BATCH_SIZE)
        .map((test) => ({ id: randomHex(), testId: test.id, startedAt: test.dueAt, startedBy: SCHEDULE }));
      if (missed.length === 0) return;
      const report = createEmptyReport('missed', version);
      ends.write(
        missed.map((run) => ({ run, report })),
        () => {
          for (const run of missed) results.insert(run);
        },
      );
      log.warn({ event: 'schedules-missed', count: missed.length });
    }
  }

  /** Starts due tests and ends missed tests. Never throws: failures are logged. */
  tick(): void {
    if (this.#closing) return;
    try {
      this.endMissedTests();
      const { tests, now } = this.#deps;
      const capacity = MAX_CONCURRENT_STARTS - this.#starting.size;
      if (capacity > 0) for (const test of tests.listDue(now(), capacity)) this.#fire(test);
    } catch (error) {
      // If the disk is full, tests stay due until they are missed.
      const reason = messageOf(error);
      this.#deps.log.error({ event: 'schedule-failed', reason });
    }
  }

  /** Stops a due test whose load has not started yet. Returns false for any other test. */
  stop(testId: string, stop: RunStop): boolean {
    const run = this.#starting.get(testId);
    if (run === undefined) return false;
    this.#end(run, createEmptyReport('stopped', this.#deps.version), stop);
    return true;
  }

  /** Stops the due tests whose load has not started yet. Safe to call twice. */
  close(): void {
    this.#closing = true;
    const stop: RunStop = { at: this.#deps.now(), cause: 'closed', client: null };
    for (const testId of [...this.#starting.keys()]) this.stop(testId, stop);
  }

  #fire(test: DueTest): void {
    const { database, tests, results, log, now, randomHex } = this.#deps;
    const run: RunIdentity = { id: randomHex(), testId: test.id, startedAt: now() };
    database.transact(() => {
      tests.setStatus(test.id, 'running');
      results.insert({ ...run, startedBy: SCHEDULE });
    });
    log.info({ event: 'schedule-fired', test_id: test.id, result_id: run.id });
    this.#starting.set(test.id, run);
    void this.#startFired(test, run);
  }

  async #startFired(test: DueTest, run: RunIdentity): Promise<void> {
    const { preparation, tests, runs, version } = this.#deps;
    try {
      const prepared = await preparation.prepare(test.spec, run.id);
      await runs.admit(prepared.job, () => {
        // During the preparation, the run may have been stopped or its app deleted.
        if (!this.#isStarting(run)) return;
        if (tests.get(test.id) === null) throw new NotVerified(['the test was deleted']);
        preparation.refuseIfAppsDeleted(prepared.hosts);
        this.#starting.delete(test.id);
        runs.start({ ...prepared, testId: test.id, startedAt: run.startedAt });
      });
    } catch (error) {
      if (this.#isStarting(run)) this.#end(run, createFailureReport(test, error, version));
    }
  }

  #isStarting(run: RunIdentity): boolean {
    return this.#starting.get(run.testId)?.id === run.id;
  }

  #end(run: RunIdentity, report: RunReport, stop: RunStop | null = null): void {
    this.#starting.delete(run.testId);
    this.#deps.ends.writeEventually({ run, report, stop });
  }
}

function createFailureReport(test: DueTest, error: unknown, version: string): RunReport {
  if (error instanceof NotVerified) return createEmptyReport('verification_lost', version);
  const refusal = failureOf(error) === 'files' ? outOfFiles() : error;
  const reason = refusal instanceof Refusal ? refusal.message : 'the run could not be started';
  const report = createEmptyReport('partial', version);
  return { ...report, errorSamples: [{ url: test.spec.targets[0]?.url ?? '', error: reason, count: 1 }] };
}

/** Tests that wait for their time: each fires once, or is missed, or is taken off before. */
import type { RunReport } from '../../core/load/report.ts';
import type { RunStop } from '../../core/model/run-stop.ts';
import type { ServiceLog } from '../log.ts';
import { NotVerified, Refusal } from '../refusal.ts';
import type { Database } from '../store/database.ts';
import type { EndedRun, ResultStore } from '../store/results.ts';
import type { DueTest, TestStore } from '../store/tests.ts';
import { emptyReport } from './empty-report.ts';
import type { Preparation } from './preparation.ts';
import type { RunEnds } from './run-ends.ts';
import type { Runs } from './runs.ts';

export interface SchedulesParts {
  readonly database: Database;
  readonly tests: TestStore;
  readonly results: ResultStore;
  readonly preparation: Preparation;
  readonly runs: Runs;
  readonly ends: RunEnds;
  readonly log: ServiceLog;
  readonly version: string;
  readonly now: () => number;
  readonly randomHex: () => string;
}

/** A test that came due longer ago than this does not start any more. */
const MISSED_AFTER_MS = 5 * 60_000;

/** So many hosts are asked for their consent at once, at most; the others' turn comes with the next ticks. */
const FIRING_AT_ONCE = 32;

/** Missed tests of one transaction. */
const MISSED_AT_ONCE = 1000;

/**
 * A test is marked as fired, on disk, before anything is asked or started for it. So whatever happens then (the
 * process is killed, the clock is set back) it never fires a second time; its run ends as `partial`.
 */
export class Schedules {
  readonly #parts: SchedulesParts;
  /** Runs that are marked as fired and whose load has not started yet, by test id. */
  readonly #firings = new Map<string, EndedRun>();
  #closing = false;

  constructor(parts: SchedulesParts) {
    this.#parts = parts;
  }

  /** Ends the tests that came due too long ago: they are complete, and their result says `missed`. */
  settleMissed(): void {
    const { tests, results, ends, log, now, version, randomHex } = this.#parts;
    for (;;) {
      const missed = tests
        .due(now() - MISSED_AFTER_MS - 1, MISSED_AT_ONCE)
        .map((test) => ({ id: randomHex(), testId: test.id, startedAt: test.dueAt }));
      if (missed.length === 0) return;
      const report = emptyReport('missed', version);
      ends.write(
        missed.map((run) => ({ run, report })),
        () => {
          for (const run of missed) results.insert(run);
        },
      );
      log.warn({ event: 'schedules-missed', count: missed.length });
    }
  }

  /** Fires what is due. Never throws: nobody waits for it. */
  tick(): void {
    if (this.#closing) return;
    try {
      this.settleMissed();
      const { tests, now } = this.#parts;
      const room = FIRING_AT_ONCE - this.#firings.size;
      if (room > 0) for (const test of tests.due(now(), room)) this.#fire(test);
    } catch (error) {
      // A full disk: what is due stays due, until it is missed.
      const reason = error instanceof Error ? error.message : '';
      this.#parts.log.error({ event: 'schedule-failed', reason });
    }
  }

  /** Ends a test that has fired and whose load has not started. Gives whether there was one. */
  stop(testId: string, stop: RunStop): boolean {
    const run = this.#firings.get(testId);
    if (run === undefined) return false;
    this.#end(run, emptyReport('stopped', this.#parts.version), stop);
    return true;
  }

  /** Ends what has fired and not started. Safe to call twice. */
  close(): void {
    this.#closing = true;
    const stop: RunStop = { at: this.#parts.now(), cause: 'closed', client: null };
    for (const testId of [...this.#firings.keys()]) this.stop(testId, stop);
  }

  #fire(test: DueTest): void {
    const { database, tests, results, log, now, randomHex } = this.#parts;
    const run: EndedRun = { id: randomHex(), testId: test.id, startedAt: now() };
    database.transact(() => {
      tests.setStatus(test.id, 'running');
      results.insert(run);
    });
    log.info({ event: 'schedule-fired', test_id: test.id, result_id: run.id });
    this.#firings.set(test.id, run);
    void this.#carryOut(test, run);
  }

  async #carryOut(test: DueTest, run: EndedRun): Promise<void> {
    const { preparation, tests, runs, version } = this.#parts;
    try {
      const { job, hosts } = await preparation.prepare(test.spec, run.id);
      await runs.admit(job, () => {
        // Stopped, or deleted with its app, while its hosts and the runner were asked.
        if (!this.#isOpen(run)) return;
        if (tests.get(test.id) === null) throw new NotVerified(['the test was deleted']);
        preparation.refuseIfAppsWent(hosts);
        this.#firings.delete(test.id);
        runs.start({ testId: test.id, startedAt: run.startedAt, job, hosts });
      });
    } catch (error) {
      if (this.#isOpen(run)) this.#end(run, reportOf(test, error, version));
    }
  }

  #isOpen(run: EndedRun): boolean {
    return this.#firings.get(run.testId)?.id === run.id;
  }

  #end(run: EndedRun, report: RunReport, stop: RunStop | null = null): void {
    this.#firings.delete(run.testId);
    this.#parts.ends.settle({ run, report, stop });
  }
}

/** A run that could not start, as a result without samples. */
function reportOf(test: DueTest, error: unknown, version: string): RunReport {
  if (error instanceof NotVerified) return emptyReport('consent_withdrawn', version);
  const reason = error instanceof Refusal ? error.message : 'the run could not be started';
  const report = emptyReport('partial', version);
  return { ...report, errorSamples: [{ url: test.spec.targets[0]?.url ?? '', error: reason, count: 1 }] };
}

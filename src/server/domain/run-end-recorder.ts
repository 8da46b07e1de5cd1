/** How a run's end is kept: its result, the state of its test and what is to be told of it, all or nothing. */
import { createResultDocument, createUnknownResultDocument } from '../../contract/result-codec.ts';
import type { AbortReason, RunReport } from '../../core/load/run-report.ts';
import type { RunStop } from '../../core/model/run-stop.ts';
import type { ServiceLog } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Database } from '../store/database.ts';
import type { RunIdentity, ResultStore } from '../store/result-store.ts';
import type { TestStore } from '../store/test-store.ts';
import type { Notices } from './notices.ts';

export interface RunEndRecorderDeps {
  readonly database: Database;
  readonly tests: TestStore;
  readonly results: ResultStore;
  readonly log: ServiceLog;
  readonly metrics: Metrics;
  /** Who tells of ends. */
  readonly notices: Notices;
}

/** A run of which no report will come: what it had counted until its last checkpoint is its result. */
export interface LostRun {
  readonly lost: true;
  readonly abortReason: AbortReason;
}

export interface RunEnd {
  readonly run: RunIdentity;
  readonly report: RunReport | LostRun;
  /** Who ended it before its time, if that is known. */
  readonly stop?: RunStop | null;
}

export interface RunEndRecorder {
  /** Keeps the ends of runs. `before` is done in the same transaction. Errors: those of the database. */
  write(ends: readonly RunEnd[], before?: () => void): void;
  /**
   * The same for one run that nobody waits for. Never throws: an end that cannot be written now (a full disk) is kept
   * in memory and tried again with each tick.
   */
  writeEventually(end: RunEnd): void;
  /** Keeps what a run has counted so far, for the case that it is lost. Never throws. */
  checkpoint(run: RunIdentity, report: RunReport): void;
  /** Tries again what could not be written. Never throws. */
  tick(): void;
  /** Whether the end of a run is known and not written yet. */
  isPending(resultId: string): boolean;
  /** Whether that is so of a run of a test: it goes on no longer, whatever is written. */
  isPendingForTest(testId: string): boolean;
  /** Tries for the last time: what cannot be written then is closed at the next start, as partial. */
  close(): void;
}

export function createRunEndRecorder(parts: RunEndRecorderDeps): RunEndRecorder {
  const { database, tests, results, notices, metrics, log } = parts;
  /** By result id. */
  const waiting = new Map<string, RunEnd>();
  const write: RunEndRecorder['write'] = (ends, before) => {
    database.transact(() => {
      before?.();
      for (const { run, report, stop } of ends) {
        const kept =
          'lost' in report
            ? (results.getCheckpoint(run.id) ?? createUnknownResultDocument(run, report.abortReason))
            : createResultDocument(run, report, stop);
        results.finish(run.id, kept);
        tests.setStatus(run.testId, 'complete');
        const test = tests.get(run.testId);
        // A test that was deleted in the meantime has nothing to tell.
        if (test !== null) notices.add(run, test.spec);
      }
    });
    for (const { report } of ends) metrics.countRunEnd(report.abortReason);
    notices.tick();
  };
  /** Null, or why it could not be written. */
  const tryWrite = (end: RunEnd): string | null => {
    const { run, report } = end;
    try {
      write([end]);
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
    waiting.delete(run.id);
    const { testId, id } = run;
    log.info({ event: 'run-ended', test_id: testId, result_id: id, abort_reason: report.abortReason });
    return null;
  };
  const tick = () => {
    // What holds back one of them holds back the others too.
    for (const end of waiting.values()) if (tryWrite(end) !== null) return;
  };
  return {
    write,
    writeEventually(end) {
      const { run } = end;
      const reason = tryWrite(end);
      if (reason === null) return;
      waiting.set(run.id, end);
      log.error({ event: 'result-waiting', result_id: run.id, reason });
    },
    tick,
    isPending: (resultId) => waiting.has(resultId),
    isPendingForTest: (testId) => [...waiting.values()].some(({ run }) => run.testId === testId),
    close() {
      tick();
      for (const id of waiting.keys()) log.error({ event: 'result-lost', result_id: id });
    },
    checkpoint(run, report) {
      try {
        results.putCheckpoint(run.id, createResultDocument(run, report));
      } catch (error) {
        const reason = error instanceof Error ? error.message : '';
        log.warn({ event: 'checkpoint-failed', result_id: run.id, reason });
      }
    },
  };
}

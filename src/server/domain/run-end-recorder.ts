/** Records the ends of runs. Stores the result, the status of the test and the notices in one transaction. */
import { createResultDocument, createUnknownResultDocument } from '../../contract/result-codec.ts';
import type { RunReport } from '../../core/load/run-report.ts';
import type { LostRun, RunObserver } from '../../core/ports/run-observer.ts';
import type { RunStop } from '../../core/model/run-stop.ts';
import { messageOf } from '../../core/unknown-value.ts';
import type { ServiceLog } from '../log.ts';
import type { Database } from '../store/database.ts';
import type { RunIdentity, ResultStore } from '../store/result-store.ts';
import type { TestStore } from '../store/test-store.ts';
import type { Notices } from './notices.ts';

export interface RunEndRecorderDeps {
  readonly database: Database;
  readonly tests: TestStore;
  readonly results: ResultStore;
  readonly log: ServiceLog;
  readonly observers: readonly RunObserver[];
  readonly notices: Notices;
}

export interface RunEnd {
  readonly run: RunIdentity;
  readonly report: RunReport | LostRun;
  /** Cause of an early stop; null or undefined if the cause is unknown or the run was not stopped. */
  readonly stop?: RunStop | null;
}

export interface RunEndRecorder {
  /**
   * Calls `before` first, in the same transaction.
   * @throws Errors of the database.
   */
  write(ends: readonly RunEnd[], before?: () => void): void;
  /**
   * Stores the result of an ended run. Never throws. If the write fails, the result stays in memory, and later ticks
   * retry the write.
   */
  writeEventually(end: RunEnd): void;
  /** Stores the current counts of a run, which become its result if the run is lost. Never throws. */
  checkpoint(run: RunIdentity, report: RunReport): void;
  /** Retries pending writes. Never throws. */
  tick(): void;
  /** Reports whether the result of a run is known but not yet stored. */
  isPending(resultId: string): boolean;
  isPendingForTest(testId: string): boolean;
  /**
   * Retries pending writes for the last time. If the result of a run still cannot be stored, the run is recorded as
   * `partial` at the next start, unless it can be resumed.
   */
  close(): void;
}

export function createRunEndRecorder(deps: RunEndRecorderDeps): RunEndRecorder {
  const { database, tests, results, notices, observers, log } = deps;
  const waiting = new Map<string, RunEnd>();
  const observe = ({ run, report }: RunEnd) => {
    for (const observer of observers) observer.ended(run, report);
  };
  const store: RunEndRecorder['write'] = (ends, before) => {
    database.transact(() => {
      before?.();
      for (const { run, report, stop } of ends) {
        const document =
          'lost' in report
            ? (results.getCheckpoint(run.id) ?? createUnknownResultDocument(run, report.abortReason))
            : createResultDocument(run, report, stop);
        results.finish(run.id, document);
        tests.setStatus(run.testId, 'complete');
        const test = tests.get(run.testId);
        // The test may have been deleted in the meantime.
        if (test !== null) notices.add(run, test.spec);
      }
    });
    notices.tick();
  };
  /** Tries to store the end of a run. Returns the cause of a failure; null on success. */
  const tryWrite = (end: RunEnd): string | null => {
    const { run, report } = end;
    try {
      store([end]);
    } catch (error) {
      return messageOf(error);
    }
    waiting.delete(run.id);
    const { testId, id } = run;
    log.info({ event: 'run-ended', test_id: testId, result_id: id, abort_reason: report.abortReason });
    return null;
  };
  const tick = () => {
    // Stops at the first failed write, because later writes would probably fail for the same reason.
    for (const end of waiting.values()) if (tryWrite(end) !== null) return;
  };
  return {
    write(ends, before) {
      store(ends, before);
      ends.forEach(observe);
    },
    writeEventually(end) {
      const { run } = end;
      observe(end);
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
        const reason = messageOf(error);
        log.warn({ event: 'checkpoint-failed', result_id: run.id, reason });
      }
    },
  };
}

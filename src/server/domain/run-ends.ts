/** How a run's end is kept: its result, the state of its test and what is to be told of it, all or nothing. */
import { keepResult, keepUnknownResult } from '../../contract/result-codec.ts';
import type { AbortReason, RunReport } from '../../core/load/report.ts';
import type { ServiceLog } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Database } from '../store/open.ts';
import type { EndedRun, ResultStore } from '../store/results.ts';
import type { TestStore } from '../store/tests.ts';
import type { Notices } from './notices.ts';

export interface RunEndsParts {
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
  readonly run: EndedRun;
  readonly report: RunReport | LostRun;
}

export interface RunEnds {
  /** Keeps the ends of runs. `before` is done in the same transaction. Errors: those of the database. */
  write(ends: readonly RunEnd[], before?: () => void): void;
  /**
   * The same for one run that nobody waits for. Never throws: a result that cannot be written now (a full disk)
   * is closed at the next start.
   */
  settle(run: EndedRun, report: RunReport | LostRun): void;
  /** Keeps what a run has counted so far, for the case that it is lost. Never throws. */
  checkpoint(run: EndedRun, report: RunReport): void;
}

export function openRunEnds(parts: RunEndsParts): RunEnds {
  const { database, tests, results, notices, metrics, log } = parts;
  const write: RunEnds['write'] = (ends, before) => {
    database.transact(() => {
      before?.();
      for (const { run, report } of ends) {
        const kept =
          'lost' in report
            ? (results.checkpointOf(run.id) ?? keepUnknownResult(run, report.abortReason))
            : keepResult(run, report);
        results.finish(run.id, kept);
        tests.setStatus(run.testId, 'complete');
        const test = tests.get(run.testId);
        // A test that was deleted in the meantime has nothing to tell.
        if (test !== null) notices.add(run, test.spec);
      }
    });
    for (const { report } of ends) metrics.runEnded(report.abortReason);
    notices.tick();
  };
  return {
    write,
    settle(run, report) {
      const { testId, id } = run;
      try {
        write([{ run, report }]);
        log.info({
          event: 'run-ended',
          test_id: testId,
          result_id: id,
          abort_reason: report.abortReason,
        });
      } catch (error) {
        const reason = error instanceof Error ? error.message : '';
        log.error({ event: 'result-lost', result_id: id, reason });
      }
    },
    checkpoint(run, report) {
      try {
        results.checkpoint(run.id, keepResult(run, report));
      } catch (error) {
        const reason = error instanceof Error ? error.message : '';
        log.warn({ event: 'checkpoint-failed', result_id: run.id, reason });
      }
    },
  };
}

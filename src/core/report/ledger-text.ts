/** Text of the request ledger: the outcome of each request of a run. */
import { hasMinimumCounts, type Counts, type RunRecord } from '../run-record/run-record.ts';
import { TIMEOUT_PHASES } from '../run-record/failure-text.ts';
import { NOT_STARTED, positiveCounts, UNEXPECTED_RESPONSES } from './result-text.ts';
import { sumOf } from '../sum.ts';

export interface LedgerLine {
  readonly count: number;
  readonly text: string;
}

export interface LedgerDescription {
  readonly planned: number;
  readonly started: number;
  /** Outcomes of the started requests, without outcomes that did not occur. */
  readonly outcomes: readonly LedgerLine[];
  /** State of the requests that were not started: `not started`, or a reason why the state is unknown. */
  readonly rest: string;
  readonly reasons: readonly LedgerLine[];
  /** True if the outcomes add up to `started`, and the reasons to the remaining planned requests. */
  readonly balanced: boolean;
}

/** Describes the ledger of a run; null if the record lacks the ledger or its number of planned or started requests. */
export function describeLedger(record: RunRecord): LedgerDescription | null {
  const { ledger, knownUntil } = record;
  const { planned = null, started = null } = ledger ?? {};
  if (ledger === null || planned === null || started === null) return null;
  const outcomes = [
    { count: ledger.success ?? 0, text: 'succeeded' },
    ...lines(ledger.httpError, (status) => `received status ${status}`),
    ...lines(
      ledger.unexpected,
      (what) => `received a response ${UNEXPECTED_RESPONSES.get(what) ?? `that was unexpected: ${what}`}`,
    ),
    ...lines(ledger.timeout, (phase) => `timed out ${TIMEOUT_PHASES.get(phase) ?? phase}`),
    ...lines(ledger.network, (code) => `failed with ${code}`),
    ...lines(ledger.protocol, (fault) => `received an invalid response: ${fault}`),
    ...lines({ open: ledger.abandoned ?? 0 }, () => 'were still in flight at the end'),
  ];
  // If counts are lower bounds, more requests may have been sent.
  if (hasMinimumCounts(record)) {
    const cause = knownUntil === null ? 'a worker or thread was lost' : 'the service was interrupted';
    return { planned, started, outcomes, rest: `unknown, because ${cause}`, reasons: [], balanced: false };
  }
  const reasons = lines(ledger.notStarted, (why) => `because ${NOT_STARTED.get(why) ?? `of ${why}`}`);
  const balanced = countIn(outcomes) === started && countIn(reasons) === planned - started;
  return { planned, started, outcomes, rest: 'not started', reasons, balanced };
}

/** Returns a line for each positive count, the largest first. */
function lines(counts: Counts, textOf: (name: string) => string): readonly LedgerLine[] {
  return positiveCounts(counts).map(([name, count]) => ({ count, text: textOf(name) }));
}

function countIn(lines: readonly LedgerLine[]): number {
  return sumOf(lines.map(({ count }) => count));
}

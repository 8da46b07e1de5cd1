/** Text of the request ledger: the outcome of each request of a run. */
import type { Json } from '../canonical.ts';
import { objectOf } from '../unknown-value.ts';
import { countsOf, numberOf, type ResultRecord } from './record.ts';
import { NOT_STARTED, TIMEOUT_PHASES, UNEXPECTED_RESPONSES } from './result-text.ts';

export interface LedgerLine {
  readonly count: number;
  readonly text: string;
}

export interface LedgerDescription {
  readonly planned: number;
  readonly started: number;
  /** Outcomes of the requests that were started. Outcomes that did not occur are absent. */
  readonly outcomes: readonly LedgerLine[];
  /** Reasons why requests were not started. */
  readonly reasons: readonly LedgerLine[];
  /** True if each planned request is counted in exactly one line. */
  readonly balanced: boolean;
}

/** Describes the ledger of a record; null if the record has none. */
export function describeLedger(record: ResultRecord): LedgerDescription | null {
  const ledger = objectOf(record?.['ledger']);
  const [planned, started] = [numberOf(ledger['planned']), numberOf(ledger['started'])];
  if (planned === null || started === null) return null;
  const outcomes = [
    { count: numberOf(ledger['success']) ?? 0, text: 'succeeded' },
    ...lines(ledger['http_error'], (status) => `received status ${status}`),
    ...lines(
      ledger['unexpected'],
      (what) => `received a response ${UNEXPECTED_RESPONSES.get(what) ?? `that was unexpected: ${what}`}`,
    ),
    ...lines(ledger['timeout'], (phase) => `timed out ${TIMEOUT_PHASES.get(phase) ?? phase}`),
    ...lines(ledger['network'], (code) => `failed with ${code}`),
    ...lines(ledger['protocol'], (fault) => `received an invalid response: ${fault}`),
    ...lines({ open: ledger['abandoned'] ?? 0 }, () => 'were still in flight at the end'),
  ];
  const reasons = lines(ledger['not_started'], (why) => `because ${NOT_STARTED.get(why) ?? `of ${why}`}`);
  const balanced = sumOf(outcomes) === started && sumOf(reasons) === planned - started;
  return { planned, started, outcomes, reasons, balanced };
}

function lines(counts: Json | undefined, textOf: (name: string) => string): readonly LedgerLine[] {
  return [...countsOf(counts)]
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => ({ count, text: textOf(name) }));
}

function sumOf(lines: readonly LedgerLine[]): number {
  return lines.reduce((sum, { count }) => sum + count, 0);
}

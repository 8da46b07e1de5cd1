/** The ledger of a run in words: what became of each request. */
import type { Json } from '../canonical.ts';
import { countsOf, numberOf, objectOf, type ResultRecord } from './record.ts';
import { NOT_STARTED, TIMEOUT_PHASES, UNEXPECTED_RESPONSES } from './result-text.ts';

export interface LedgerLine {
  readonly count: number;
  readonly text: string;
}

export interface LedgerDescription {
  readonly planned: number;
  readonly started: number;
  /** What became of those that were started. What did not occur is left out. */
  readonly outcomes: readonly LedgerLine[];
  /** Why others were not. */
  readonly reasons: readonly LedgerLine[];
  /** Whether each planned request stands in exactly one line. */
  readonly balanced: boolean;
}

/** Null for a record without a ledger. */
export function describeLedger(record: ResultRecord): LedgerDescription | null {
  const ledger = objectOf(record?.['ledger']);
  const [planned, started] = [numberOf(ledger['planned']), numberOf(ledger['started'])];
  if (planned === null || started === null) return null;
  const outcomes = [
    { count: numberOf(ledger['success']) ?? 0, text: 'succeeded' },
    ...lines(ledger['http_error'], (status) => `were answered with status ${status}`),
    ...lines(
      ledger['unexpected'],
      (what) => `were answered ${UNEXPECTED_RESPONSES.get(what) ?? `unexpectedly: ${what}`}`,
    ),
    ...lines(ledger['timeout'], (phase) => `timed out ${TIMEOUT_PHASES.get(phase) ?? phase}`),
    ...lines(ledger['network'], (code) => `failed with ${code}`),
    ...lines(ledger['protocol'], (fault) => `had an unusable answer: ${fault}`),
    ...lines({ open: ledger['abandoned'] ?? 0 }, () => 'were still open at the end'),
  ];
  const reasons = lines(ledger['not_started'], (why) => NOT_STARTED.get(why) ?? why);
  const balanced = sumOf(outcomes) === started && sumOf(reasons) === planned - started;
  return { planned, started, outcomes, reasons, balanced };
}

function lines(counts: Json | undefined, say: (what: string) => string): readonly LedgerLine[] {
  return [...countsOf(counts)]
    .sort((a, b) => b[1] - a[1])
    .map(([what, count]) => ({ count, text: say(what) }));
}

function sumOf(lines: readonly LedgerLine[]): number {
  return lines.reduce((sum, { count }) => sum + count, 0);
}

/** How a run ended, as whoever started it has told; nothing is judged here. */
import type { RunSummary } from '../../contract/generated/key-list.ts';
import { withCommas } from '../../core/counted.ts';
import { earlyEndText } from '../../core/model/early-end.ts';
import { figureText } from '../../core/figure-text.ts';
import { Verdict } from '../verdict.tsx';

type Word = 'pass' | 'fail' | 'inconclusive' | 'none' | 'running';

const WORDS: readonly string[] = ['pass', 'fail', 'inconclusive', 'none'] satisfies readonly Word[];

/** A verdict that this page does not know is none. */
export function verdictOf({ status, verdict }: RunSummary): Word {
  if (status === 'not_ready') return 'running';
  return verdict !== null && WORDS.includes(verdict) ? (verdict as Word) : 'none'; // one of the words
}

/** Ended before its time, and nobody wished it to. */
export function endedEarly({ abort_reason: reason }: RunSummary): boolean {
  return reason !== null && reason !== 'stopped';
}

export function needsAttention(run: RunSummary): boolean {
  const verdict = verdictOf(run);
  return verdict === 'fail' || verdict === 'inconclusive' || (verdict === 'none' && endedEarly(run));
}

export function RunOutcome({ run }: { readonly run: RunSummary }) {
  return (
    <>
      <Verdict verdict={verdictOf(run)} />
      {run.abort_reason === null ? null : <span class="note"> {earlyText(run.abort_reason)}</span>}
    </>
  );
}

/** `stopped`, `ended early: the error threshold was reached` */
export function earlyText(reason: string): string {
  return reason === 'stopped' ? 'stopped' : `ended early: ${earlyEndText(reason)}`;
}

/** `9.06 ms`; a dash where nothing is known. */
export function figureOf(metric: string, value: number | null): string {
  return value === null ? '–' : figureText(metric, value);
}

export function countOf(value: number | null): string {
  return value === null ? '–' : withCommas(value);
}

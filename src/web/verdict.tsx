/** A verdict as a word and a symbol, so that the verdict is recognizable without color. */
import type { Verdict as VerdictWord } from '../core/report/generated/documents.ts';

const VERDICT_SIGNS = { pass: '✓', fail: '✗', inconclusive: '?', none: '–', running: '…' } as const;
const VERDICT_WORDS = {
  pass: 'pass',
  fail: 'fail',
  inconclusive: 'inconclusive',
  none: 'no verdict',
  running: 'running',
} as const;

export function Verdict({ verdict }: { readonly verdict: VerdictWord | 'running' }) {
  return (
    <span class={`verdict ${verdict}`}>
      <span aria-hidden="true">{VERDICT_SIGNS[verdict]}</span> {VERDICT_WORDS[verdict]}
    </span>
  );
}

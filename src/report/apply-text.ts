/** Text of `apply` and `run`: the runs, followed by the outcome of the actions. */
import { printable } from '../core/printable.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import { counted } from '../core/counted.ts';
import { isStoppable } from '../core/model/test-state.ts';
import { isChange } from '../core/reconcile/action.ts';
import type { DoneAction, Outcome } from '../core/report/generated/documents.ts';
import type { ApplyOutcome } from '../core/report/plan-document.ts';
import type { Paint } from './paint.ts';
import { roundsText } from './rounds-text.ts';
import { runText } from './run-text.ts';

export interface ApplyTextContext {
  /** In ms since the epoch. */
  readonly now: number;
  /** Command that runs the unchanged tests; null for `run` and with `--no-run`. */
  readonly rerunCommand: string | null;
}

export function applyText(
  { actions, runs, pins }: ApplyOutcome,
  { now, rerunCommand }: ApplyTextContext,
  paint: Paint,
): string {
  const unchanged = actions.filter(({ verb, state }) => verb === 'no-op' && !isStoppable(state));
  const earlier = new Set(unchanged.map(({ address }) => address));
  const changes = actions.filter(isChange);
  const count = (how: Outcome) => changes.filter(({ outcome }) => outcome === how).length;
  const parts = [
    `${count('done')} done`,
    `${count('failed')} failed`,
    `${count('not_attempted')} not attempted`,
  ];
  if (count('unknown') > 0) parts.push(`${count('unknown')} unknown`);
  const pinLines = pins
    .map(({ address, test_id: id }) => `  ${printable(keyOfAddress(address))}:\n    id: ${printable(id)}\n`)
    .join('');
  return [
    separateBlocks(
      runs.map((run) => runText(run, paint, !run.started_by_us && earlier.has(run.address) ? { now } : null)),
    ),
    roundsText(runs),
    pins.length === 0 ? '' : `The service does not store notes. Add these lines to the file:\n${pinLines}`,
    runs.some(({ state, verdict }) => state === 'running' && verdict === 'none') ? RESULTS_HINT : '',
    changes.length === 0 ? '' : `Actions: ${parts.join(', ')}.\n`,
    rerunCommand === null ? '' : nothingRunText(actions, rerunCommand),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** Joins texts. An empty line separates a text with several lines from other texts. */
function separateBlocks(texts: readonly string[]): string {
  const isLong = (text: string | undefined): boolean => text?.slice(0, -1).includes('\n') === true;
  return texts
    .map((text, index) => (index > 0 && (isLong(text) || isLong(texts[index - 1])) ? `\n${text}` : text))
    .join('');
}

const RESULTS_HINT = 'For a verdict, run "loadtests results" after the end of the test.\n';

/** Returns a note that no tests were run; empty unless all planned tests are unchanged and inactive. */
function nothingRunText(actions: readonly DoneAction[], rerunCommand: string): string {
  const tests = actions.filter(({ address }) => address.startsWith('test.'));
  if (tests.length === 0 || !tests.every(({ verb, state }) => verb === 'no-op' && !isStoppable(state)))
    return '';
  const [verb, pronoun] = tests.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return `No tests were run: ${counted(tests.length, 'test')} ${verb} unchanged. To run ${pronoun} again: ${rerunCommand}\n`;
}

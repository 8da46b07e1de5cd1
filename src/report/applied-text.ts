/** What came of a plan, for people: the runs first, then how the actions ended. */
import { printable } from '../core/printable.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import { changesSomething } from '../core/reconcile/action.ts';
import type { Outcome } from '../core/report/generated/documents.ts';
import type { Applied } from '../core/report/plan.ts';
import type { Paint } from './paint.ts';
import { runText } from './run-text.ts';

export function appliedText({ actions, runs, pins }: Applied, paint: Paint): string {
  const changes = actions.filter(changesSomething);
  const count = (how: Outcome) => changes.filter(({ outcome }) => outcome === how).length;
  const parts = [`${count('done')} done`, `${count('failed')} failed`, `${count('not_tried')} not tried`];
  if (count('unknown') > 0) parts.push(`${count('unknown')} unknown`);
  const pinLines = pins
    .map(({ address, test_id: id }) => `  ${printable(keyOfAddress(address))}:\n    id: ${printable(id)}\n`)
    .join('');
  return [
    runs.map((run) => runText(run, paint)).join(''),
    pins.length === 0 ? '' : `The service does not store notes. Add these lines to the file:\n${pinLines}`,
    changes.length === 0 ? '' : `Actions: ${parts.join(', ')}.\n`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

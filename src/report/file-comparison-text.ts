/** Text of `plan --against`: the comparison of two versions of the configuration file. */
import type { Json } from '../core/canonical.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import { splitPointer } from '../core/pointer.ts';
import { printable } from '../core/printable.ts';
import type { Against, FileChange, LimitChange, Load } from '../core/report/generated/documents.ts';
import type { PlanMembers } from '../core/report/plan-document.ts';
import { formatDuration, milliseconds } from '../core/units.ts';
import type { Paint } from './paint.ts';
import { consequenceText, planText } from './plan-text.ts';

export function fileComparisonText(
  plan: PlanMembers & { readonly against: Against },
  options: { readonly verbose: boolean },
  paint: Paint,
): string {
  const { revision, commit, old_file: oldFile, note, load, limits, changes, removed } = plan.against;
  const service = `against ${revision} (${commit.slice(0, 12)})`;
  const differs = removed.length + changes.length + limits.length > 0;
  const unchanged = differs ? 'No changes on the service.' : 'No changes.';
  const text = planText(plan, { command: 'plan', service, next: null, unchanged, ...options }, paint);
  const lines = [
    ...(note === null ? [] : [printable(note)]),
    ...removed.map((address) =>
      emphasizeLoosening(`Test ${printable(keyOfAddress(address))} removed`, paint),
    ),
    ...changes.map((change) => fileChangeLine(change, paint)),
    ...limits.map((change) => limitChangeLine(change, paint)),
    `All tests before: ${oldFile === 'invalid' ? 'unknown.' : loadText(load.before)}`,
    `All tests after:  ${loadText(load.after)}`,
  ];
  return `${text}${lines.join('\n')}\n`;
}

function loadText(load: Load): string {
  return load.starts === 0 ? 'none.' : `${consequenceText(load)}.`;
}

function fileChangeLine({ address, field, from, to, kind }: FileChange, paint: Paint): string {
  const name = splitPointer(field).join(' ');
  const head = printable(`Test ${keyOfAddress(address)}: ${name} ${kind}`);
  const line = `${head}: ${valueText(from)} → ${valueText(to)}`;
  return kind === 'loosened' || kind === 'removed' ? emphasizeLoosening(line, paint) : line;
}

function limitChangeLine({ limit, from, to, kind }: LimitChange, paint: Paint): string {
  const line = `Limit ${limit} ${kind}: ${limitText(limit, from)} → ${limitText(limit, to)}`;
  return kind === 'raised' || kind === 'removed' ? emphasizeLoosening(line, paint) : line;
}

/**
 * Highlights a change that a reviewer must notice: one that loosens a threshold or limit, or removes a test.
 */
function emphasizeLoosening(line: string, paint: Paint): string {
  return paint.bold(paint.yellow(line));
}

function limitText(limit: LimitChange['limit'], value: Json): string {
  const isTime = limit === 'max_duration' && typeof value === 'number';
  return isTime ? formatDuration(milliseconds(value)) : valueText(value);
}

function valueText(value: Json): string {
  if (value === null) return '(none)';
  if (typeof value === 'string') return printable(value);
  return printable(Array.isArray(value) ? value.join(', ') : JSON.stringify(value));
}

/** The comparison of two files, for people. */
import type { Json } from '../core/canonical.ts';
import { printable } from '../core/printable.ts';
import type { Against, LimitChange, Load } from '../core/report/generated/documents.ts';
import type { PlanMembers } from '../core/report/plan.ts';
import { formatDuration, milliseconds } from '../core/units.ts';
import type { Paint } from './paint.ts';
import { consequenceText, planText } from './plan-text.ts';

export function comparisonText(
  plan: PlanMembers & { readonly against: Against },
  options: { readonly verbose: boolean },
  paint: Paint,
): string {
  const { revision, commit, old_file: oldFile, note, load, limits } = plan.against;
  const service = `against ${revision} (${commit.slice(0, 12)})`;
  const text = planText(plan, { command: 'plan', service, next: null, ...options }, paint);
  const lines = [
    ...(note === null ? [] : [printable(note)]),
    ...limits.map((change) => limitLine(change, paint)),
    `All tests before: ${oldFile === 'invalid' ? 'unknown.' : loadText(load.before)}`,
    `All tests after:  ${loadText(load.after)}`,
  ];
  return `${text}${lines.join('\n')}\n`;
}

function loadText(load: Load): string {
  return load.starts === 0 ? 'none.' : `${consequenceText(load)}.`;
}

/** What lets more load pass is what a reviewer must see. */
function limitLine({ limit, from, to, kind }: LimitChange, paint: Paint): string {
  const line = `Limit ${limit} ${kind}: ${limitText(limit, from)} → ${limitText(limit, to)}`;
  return kind === 'raised' || kind === 'removed' ? paint.bold(paint.yellow(line)) : line;
}

function limitText(limit: LimitChange['limit'], value: Json): string {
  if (value === null) return '(none)';
  if (limit === 'max_duration' && typeof value === 'number') return formatDuration(milliseconds(value));
  return printable(Array.isArray(value) ? value.join(', ') : JSON.stringify(value));
}

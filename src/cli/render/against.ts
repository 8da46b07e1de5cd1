/** The comparison of two files, for people. */
import type { Json } from '../../core/canonical.ts';
import { printable } from '../../core/printable.ts';
import type { Comparison } from '../../core/reconcile/comparison.ts';
import type { LimitChange } from '../../core/reconcile/limit-changes.ts';
import type { LoadConsequence } from '../../core/reconcile/load.ts';
import { formatDuration, milliseconds } from '../../core/units.ts';
import type { Paint } from './paint.ts';
import { consequenceText, renderPlan } from './plan.ts';

export function renderComparison(
  { plan, revision, commit, oldFile, allNew, before, after, limits }: Comparison,
  options: { readonly verbose: boolean },
  paint: Paint,
): string {
  const service = `against ${printable(revision)} (${commit.slice(0, 12)})`;
  const text = renderPlan(plan, { command: 'plan', service, next: null, ...options }, paint);
  const lines = [
    ...(allNew === null ? [] : [printable(allNew)]),
    ...limits.map((change) => limitLine(change, paint)),
    `All tests before: ${oldFile === 'invalid' ? 'not known.' : loadText(before)}`,
    `All tests after:  ${loadText(after)}`,
  ];
  return `${text}${lines.join('\n')}\n`;
}

function loadText(load: LoadConsequence): string {
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
  return Array.isArray(value) ? printable(value.join(', ')) : JSON.stringify(value);
}

/** Why workers did not make their parts, in words. Pure. */

export interface ShardRefusal {
  /** Of the worker. */
  readonly name: string;
  /** What follows its name, such as `refused: …`. */
  readonly reason: string;
}

/** Of many workers with the same reason so many are named. */
const MAX_NAMES = 5;

/** `worker "a" refused: …; 2 workers not ready within 5 s ("b", "c")`: each reason once. */
export function formatRefusals(refusals: readonly ShardRefusal[]): string {
  const names = new Map<string, readonly string[]>();
  for (const { name, reason } of refusals) names.set(reason, [...(names.get(reason) ?? []), `"${name}"`]);
  return [...names].map(([reason, who]) => formatRefusal(reason, who)).join('; ');
}

function formatRefusal(reason: string, names: readonly string[]): string {
  const [only = ''] = names;
  if (names.length === 1) return `worker ${only} ${reason}`;
  const rest = names.length > MAX_NAMES ? ' and others' : '';
  return `${names.length} workers ${reason} (${names.slice(0, MAX_NAMES).join(', ')}${rest})`;
}

/** Summary of the reasons why workers did not run their shards. Pure. */

export interface ShardRefusal {
  /** Name of the worker. */
  readonly name: string;
  /** Predicate that follows the name, such as `refused: …`. */
  readonly reason: string;
}

/** Maximum number of workers named per reason. */
const MAX_NAMES = 5;

/** Formats refusals, each reason once: `worker "a" refused: …; 2 workers not ready within 5 s ("b", "c")`. */
export function formatRefusals(refusals: readonly ShardRefusal[]): string {
  const names = new Map<string, readonly string[]>();
  for (const { name, reason } of refusals) names.set(reason, [...(names.get(reason) ?? []), `"${name}"`]);
  return [...names].map(([reason, workers]) => formatRefusal(reason, workers)).join('; ');
}

function formatRefusal(reason: string, names: readonly string[]): string {
  const [only = ''] = names;
  if (names.length === 1) return `worker ${only} ${reason}`;
  const more = names.length > MAX_NAMES ? ' and others' : '';
  return `${names.length} workers ${reason} (${names.slice(0, MAX_NAMES).join(', ')}${more})`;
}

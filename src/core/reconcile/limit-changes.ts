/** Differences between the limits of a file and those of an earlier one. */
import type { Json } from '../canonical.ts';
import type { LimitName, Limits } from '../model/state.ts';

export interface LimitChange {
  readonly limit: LimitName;
  /** Earlier limit: a number of connections, milliseconds, or host patterns; null if it is not set. */
  readonly from: Json;
  readonly to: Json;
  /** Kind of the change. `raised` and `removed` allow plans that were rejected before. */
  readonly kind: 'raised' | 'lowered' | 'removed' | 'added';
}

export function limitChanges(before: Limits, after: Limits): LimitChange[] {
  return [
    ...numberChange('max_connections', before.maxConnections, after.maxConnections),
    ...numberChange('max_duration', before.maxDuration, after.maxDuration),
    ...hostsChange(before.hosts, after.hosts),
  ];
}

function numberChange(limit: LimitName, from: number | null, to: number | null): LimitChange[] {
  if (from === to) return [];
  const kind = from === null ? 'added' : to === null ? 'removed' : to > from ? 'raised' : 'lowered';
  return [{ limit, from, to, kind }];
}

function hostsChange(from: Limits['hosts'], to: Limits['hosts']): LimitChange[] {
  const limit = 'hosts';
  if (from === null) return to === null ? [] : [{ limit, from, to, kind: 'added' }];
  if (to === null) return [{ limit, from, to, kind: 'removed' }];
  const more = to.some((pattern) => !from.includes(pattern));
  const fewer = from.some((pattern) => !to.includes(pattern));
  return more || fewer ? [{ limit, from, to, kind: more ? 'raised' : 'lowered' }] : [];
}

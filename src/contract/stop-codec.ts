/** Wire ↔ who ended a run before its time: an additive member of a result, which our own service gives. */
import { parseInstant } from '../core/instant.ts';
import type { RunStop } from '../core/model/run-stop.ts';
import type { ResultRecord } from './generated/result-record.ts';

export function encodeStop({ at, cause, client }: RunStop): NonNullable<ResultRecord['stopped']> {
  return { at: new Date(at).toISOString(), cause, client };
}

const CAUSES = ['request', 'app_deleted', 'closed'] as const;

/** Null where there is none, or where it cannot be used: it is told, nothing is decided by it. */
export function decodeStop({ stopped }: ResultRecord): RunStop | null {
  if (typeof stopped !== 'object' || stopped === null) return null;
  const { at, cause, client } = stopped;
  const instant = typeof at === 'string' ? parseInstant(at) : null;
  const known = CAUSES.find((one) => one === cause);
  if (instant === null || known === undefined) return null;
  return { at: instant, cause: known, client: typeof client === 'string' ? client : null };
}

/** Codec of the request that stopped a run, an additional member in the results of loadtests services. */
import { parseInstant } from '../core/instant.ts';
import type { RunStop } from '../core/model/run-stop.ts';
import { isObject } from '../core/unknown-value.ts';
import type { ResultRecord } from './generated/result-record.ts';

export function encodeStop({ at, cause, client }: RunStop): NonNullable<ResultRecord['stopped']> {
  return { at: new Date(at).toISOString(), cause, client };
}

const CAUSES = ['request', 'app_deleted', 'closed'] as const;

/** Decodes the stop; null if it is absent or invalid, because it is only displayed. */
export function decodeStop({ stopped }: ResultRecord): RunStop | null {
  if (!isObject(stopped)) return null;
  const { at, cause, client } = stopped;
  const instant = typeof at === 'string' ? parseInstant(at) : null;
  const knownCause = CAUSES.find((known) => known === cause);
  if (instant === null || knownCause === undefined) return null;
  return { at: instant, cause: knownCause, client: typeof client === 'string' ? client : null };
}

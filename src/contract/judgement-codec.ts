/** Wire ↔ the verdict on a run, as it is told to a service that keeps it: an extension. */
import type { Judgement } from '../core/model/judgement.ts';
import { validateJudgement } from '../schema/generated/api-validators.js';
import type { Judgement as Wire } from './generated/judgement.ts';

/** Without the places in the file, which are nobody else's. */
export function encodeJudgement({ verdict, reason, thresholds }: Judgement): Wire {
  return {
    verdict,
    reason,
    thresholds: thresholds.map(({ source: _, regression, ...one }) => {
      if (regression === undefined) return one;
      const { baselineRuns, ...rest } = regression;
      return { ...one, regression: { ...rest, baseline_runs: baselineRuns } };
    }),
  };
}

/** Null: there is none, or none of ours; another service may mean something else by the field. */
export function readJudgement(value: unknown): Judgement | null {
  if (!validateJudgement(value)) return null;
  const { verdict, reason = null, thresholds } = value as Wire; // checked just now
  return {
    ...{ verdict, reason },
    thresholds: thresholds.map(({ regression, ...one }) => {
      if (regression === undefined) return one;
      const { baseline_runs: baselineRuns, ...rest } = regression;
      return { ...one, regression: { ...rest, baselineRuns } };
    }),
  };
}

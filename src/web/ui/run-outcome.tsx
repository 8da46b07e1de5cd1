/** Outcome of a run. */
import type { RunSummary } from '../../contract/generated/key-list.ts';
import { countText } from '../../core/counted.ts';
import { metricText } from '../../core/model/metric-text.ts';
import { lowerBound } from '../../core/report/result-text.ts';
import { Verdict } from '../verdict.tsx';
import { linkTo } from './routes.ts';
import { Time } from './time.tsx';

type VerdictWord = 'pass' | 'fail' | 'inconclusive' | 'none' | 'running';

const VERDICT_WORDS: readonly string[] = [
  'pass',
  'fail',
  'inconclusive',
  'none',
] satisfies readonly VerdictWord[];

/** Returns the verdict of a run. A missing or unknown verdict counts as `none`. */
export function verdictOf({ status, verdict }: RunSummary): VerdictWord {
  if (status === 'not_ready') return 'running';
  return verdict !== null && VERDICT_WORDS.includes(verdict) ? (verdict as VerdictWord) : 'none'; // The condition checks the word.
}

/** Reports whether a run ended early for a reason other than a stop request. */
export function endedEarly({ abort_reason: reason }: RunSummary): boolean {
  return reason !== null && reason !== 'stopped';
}

export function needsAttention(run: RunSummary): boolean {
  const verdict = verdictOf(run);
  return verdict === 'fail' || verdict === 'inconclusive' || (verdict === 'none' && endedEarly(run));
}

export function RunOutcome({ run }: { readonly run: RunSummary }) {
  return (
    <>
      <Verdict verdict={verdictOf(run)} />
      {run.reason === null ? null : (
        <span class="note why" title={run.reason}>
          {' '}
          {run.reason}
        </span>
      )}
    </>
  );
}

export function RunLink({
  run: { test_id: test, result_id: result, started_at: at, started_by: client },
}: {
  readonly run: RunSummary;
}) {
  return (
    <>
      <a href={linkTo('runs', test, result)}>
        <Time at={Date.parse(at)} />
      </a>
      <StartedBy client={client} />
    </>
  );
}

/** Shows the name of the client that started a run, without the process ID of the client. */
export function StartedBy({ client }: { readonly client: string | null }) {
  return client === null ? null : (
    <>
      {' '}
      <span class="note by" title={client}>
        by <bdi>{client.replace(/(?<=.) \(process \d+\)$/, '')}</bdi>
      </span>
    </>
  );
}

/**
 * Formats the 95th percentile of a run, such as `412 ms`; a dash if there is no value. A value that may belong to a
 * request that timed out has the form `≥ 1.5 s`.
 */
export function p95Text({ p95, timeout_ms: timeout, timeouts }: RunSummary): string {
  if (p95 === null) return '–';
  return (
    lowerBound('p95', p95, { timeout, metrics: { timeout_error: timeouts ?? 0 } }) ?? metricText('p95', p95)
  );
}

export function requestsText({ requests, counts_are_minimums: isMinimum }: RunSummary): string {
  return countText(requests, isMinimum);
}

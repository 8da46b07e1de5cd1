/** Dialog in which the user chooses other runs of the same key for a comparison with a run. */
import { useState } from 'preact/hooks';
import type { RunSummary, TestHistory } from '../../contract/generated/test-history.ts';
import { MAX_COMPARED_RUNS, runName } from '../../core/compare/run-names.ts';
import { Verdict } from '../verdict.tsx';
import { ConfirmDialog } from './dialog.tsx';
import { linkTo } from './routes.ts';
import { p95Text, requestsText, verdictOf } from './run-outcome.tsx';
import { Time } from './time.tsx';

const MAX_SHOWN_RUNS = 100;

export function CompareWith({
  test,
  result,
  history,
}: {
  readonly test: string;
  readonly result: string;
  readonly history: TestHistory;
}) {
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const others = history.results.filter((run) => run.result_id !== result && run.status === 'ready');
  const toggle = (name: string): void => {
    setChosen((before) =>
      before.includes(name) ? before.filter((other) => other !== name) : [...before, name],
    );
  };
  return (
    <>
      <button type="button" aria-label="Compare with others…" onClick={() => setOpen(true)}>
        others…
      </button>
      {open ? (
        <ConfirmDialog
          title="Compare with other runs"
          confirmLabel="Compare"
          tone="primary"
          disabled={chosen.length === 0}
          onClose={() => setOpen(false)}
          onConfirm={() => {
            location.hash = linkTo('compare', runName({ test, result }), ...chosen);
          }}
        >
          <p class="about">Choose up to {MAX_COMPARED_RUNS - 1} other runs.</p>
          {others.length === 0 ? <p>No other run of this test has ended.</p> : null}
          <ul class="choices">
            {others.slice(0, MAX_SHOWN_RUNS).map((run) => {
              const [name, verdict] = [runReference(run), verdictOf(run)];
              const isChosen = chosen.includes(name);
              return (
                <li>
                  <label>
                    <input
                      type="checkbox"
                      checked={isChosen}
                      disabled={!isChosen && chosen.length >= MAX_COMPARED_RUNS - 1}
                      onChange={() => toggle(name)}
                    />{' '}
                    <Time at={Date.parse(run.started_at)} />{' '}
                    {verdict === 'none' ? null : <Verdict verdict={verdict} />}
                    <span class="about">{metricsText(run)}</span>
                  </label>
                </li>
              );
            })}
          </ul>
        </ConfirmDialog>
      ) : null}
    </>
  );
}

function runReference({ test_id: test, result_id: result }: RunSummary): string {
  return runName({ test, result });
}

function metricsText(run: RunSummary): string {
  const { requests, p95, reason } = run;
  return [
    ...(requests === null ? [] : [`${requestsText(run)} request${requests === 1 ? '' : 's'}`]),
    ...(p95 === null ? [] : [`p95 ${p95Text(run)}`]),
    ...(reason === null ? [] : [reason]),
  ].join(' · ');
}

/** Every version and run of a key on one time line, and its next run. */
import { useState } from 'preact/hooks';
import type { TestHistory } from '../../contract/generated/test-history.ts';
import { counted, withCommas } from '../../core/counted.ts';
import type { TestLoad } from '../../core/report/generated/documents.ts';
import { loadText } from '../../core/report/load-text.ts';
import { formatDuration, milliseconds } from '../../core/units.ts';
import { BidiIsolate } from '../bidi-isolate.tsx';
import { Table } from '../table.tsx';
import { Verdict } from '../verdict.tsx';
import { ConfirmDialog } from './dialog.tsx';
import { useHeading, useUi } from './ui-context.ts';
import { usePolled } from './use-polled.ts';
import { linkTo } from './routes.ts';
import { countText, metricTextOrDash, RunOutcome, verdictOf } from './run-outcome.tsx';
import { StopButton } from './stop-button.tsx';
import { testNameOf, ownerOf } from './test-name.tsx';
import { Time } from './time.tsx';
import { TrendChart } from './trend-chart.tsx';

type Version = TestHistory['versions'][number];

/** In seconds. */
const REFRESH_INTERVAL_S = 2;
const RUNS_TABLE = 'runs';

export function TestHistoryView({ test }: { readonly test: string }) {
  const { body, refusal } = usePolled<TestHistory>(
    `/v2/tests/${encodeURIComponent(test)}/history`,
    REFRESH_INTERVAL_S,
  );
  useHeading(body === null ? 'Test' : testNameOf(body));
  if (refusal !== null) {
    return (
      <p>
        {refusal.status === 404 ? 'The service has no such test.' : refusal.reasons.join('; ')}{' '}
        <a href={linkTo('tests')}>All tests</a>
      </p>
    );
  }
  if (body === null) return <p class="about">Loading…</p>;
  const { versions, results, tests: count, runs } = body;
  const [newest] = versions;
  const charted = results.filter(({ status }) => status === 'ready').slice(0, MAX_CHARTED_RUNS);
  const about = [...ownerOf(body), ...(body.title === testNameOf(body) ? [] : [body.title])];
  return (
    <>
      <p class="about">
        <BidiIsolate texts={[...about, counted(count, 'version'), counted(runs, 'run')]} />
      </p>
      {newest === undefined ? null : <TestActions history={body} newest={newest} />}
      {charted.length === 0 ? null : (
        <section>
          <h2>{headlineOf(charted.length, runs)}</h2>
          <div class="trends">
            <TrendChart
              {...{ runs: charted, metric: 'p95', title: 'p95', table: RUNS_TABLE }}
              text={(value) => metricTextOrDash('p95', value)}
            />
            <TrendChart
              {...{ runs: charted, metric: 'requests_per_second', title: 'Requests per second' }}
              table={RUNS_TABLE}
              text={(value) => metricTextOrDash('requests_per_second', value)}
            />
          </div>
          <VerdictCounts runs={charted} />
          <p class="note">
            The oldest run is at the left.{count > 1 ? ' Dashed: the test was changed.' : ''}
          </p>
        </section>
      )}
      <section id={RUNS_TABLE}>
        <h2>Runs</h2>
        {results.length === 0 ? <p>It has not run yet.</p> : <RunTable history={body} />}
        {results.length < runs ? <p class="note">The last {withCommas(results.length)} of them.</p> : null}
      </section>
      <section>
        <h2>Versions</h2>
        <Table
          name="Versions"
          keys={versions.map(({ test_id: id }) => id)}
          columns={[{ heading: 'version' }, { heading: 'since' }, { heading: 'load' }]}
          rows={versions.map((version, index) => [
            String(count - index),
            <Time at={Date.parse(version.created_at)} />,
            loadOf(version),
          ])}
        />
      </section>
    </>
  );
}

function headlineOf(charted: number, runs: number): string {
  if (charted === 1) return 'The last run';
  return charted === runs ? 'All runs' : `The last ${withCommas(charted)} runs`;
}

/** Also says what the colours of the bars mean. */
function VerdictCounts({ runs }: { readonly runs: TestHistory['results'] }) {
  const words = ['pass', 'fail', 'inconclusive', 'none'] as const;
  return (
    <p class="counts">
      {words.map((word) => {
        const count = runs.filter((run) => verdictOf(run) === word).length;
        return count === 0 ? null : (
          <span>
            <Verdict verdict={word} /> {withCommas(count)}
          </span>
        );
      })}
    </p>
  );
}

/** As many bars as a narrow screen can show apart. */
const MAX_CHARTED_RUNS = 200;

/** The service tells it as plans do. */
function loadOf({ load }: Version): string {
  return loadText(load as unknown as TestLoad);
}

function TestActions({ history, newest }: { readonly history: TestHistory; readonly newest: Version }) {
  const running = history.results.find(({ status }) => status === 'not_ready');
  const { test_id: id, status, scheduled_at: dueAt } = newest;
  const stoppable = [{ ...history, test_id: running?.test_id ?? id }];
  return (
    <div class="actions">
      {running === undefined ? (
        <RunButton history={history} newest={newest} />
      ) : (
        <a class="button" href={linkTo('runs', running.test_id, running.result_id)}>
          Watch the run
        </a>
      )}
      {running === undefined && status !== 'pending' ? null : <StopButton tests={stoppable} label="Stop" />}
      {dueAt === null ? null : (
        <span>
          Starts <Time at={Date.parse(dueAt)} />
        </span>
      )}
    </div>
  );
}

function RunButton({ history, newest }: { readonly history: TestHistory; readonly newest: Version }) {
  const { api, announcement } = useUi();
  const [state, setState] = useState<'idle' | 'asking' | 'starting'>('idle');
  const [fault, setFault] = useState('');
  const run = async (): Promise<void> => {
    setState('starting');
    setFault('');
    const path = `/v2/tests/${encodeURIComponent(newest.test_id)}/run`;
    const response = await api.call<{ readonly result_id: string }>('PUT', path);
    setState('idle');
    if (response.kind === 'given') {
      announcement.set('The run has started.');
      location.hash = linkTo('runs', newest.test_id, response.body.result_id);
      return;
    }
    setFault(
      response.kind === 'refused'
        ? `Not started: ${response.reasons.join('; ')}`
        : 'The service does not answer; it may have started the run all the same',
    );
  };
  return (
    <>
      <button
        type="button"
        class="primary"
        disabled={state === 'starting'}
        onClick={() => {
          setState('asking');
        }}
      >
        {state === 'starting' ? 'Starting…' : 'Run'}
      </button>
      {fault === '' ? null : (
        <span class="fault" role="alert">
          {fault}
        </span>
      )}
      {state === 'asking' ? (
        <ConfirmDialog
          title={
            <>
              Run <bdi>{testNameOf(history)}</bdi>?
            </>
          }
          confirmLabel="Start the load"
          onClose={() => {
            setState('idle');
          }}
          onConfirm={() => void run()}
        >
          <p>
            It makes this load now: <b>{loadOf(newest)}</b>.
          </p>
          <p class="about">A run that is started here is not judged: limits are with the file.</p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}

function RunTable({ history: { versions, results, tests: count } }: { readonly history: TestHistory }) {
  const versionOf = new Map(versions.map(({ test_id: id }, index) => [id, count - index]));
  return (
    <Table
      name="Runs"
      keys={results.map(({ result_id: id }) => id)}
      columns={[
        { heading: 'started' },
        { heading: 'verdict' },
        ...['requests', 'failed', 'per second', 'p95', 'took', 'version'].map((heading) => ({
          heading,
          numeric: true as const,
        })),
      ]}
      rows={results.map((run) => [
        <a href={linkTo('runs', run.test_id, run.result_id)}>
          <Time at={Date.parse(run.started_at)} />
        </a>,
        <RunOutcome run={run} />,
        countText(run.requests),
        metricTextOrDash('error_rate', run.error_rate),
        metricTextOrDash('requests_per_second', run.requests_per_second),
        metricTextOrDash('p95', run.p95),
        run.elapsed_ms === null ? '–' : formatDuration(milliseconds(Math.round(run.elapsed_ms / 100) * 100)),
        String(versionOf.get(run.test_id) ?? '–'),
      ])}
    />
  );
}

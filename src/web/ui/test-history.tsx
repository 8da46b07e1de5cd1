/** History of the versions and runs of a key, with actions for its newest version. */
import type { ComponentChildren } from 'preact';
import type { RunSummary, TestHistory } from '../../contract/generated/test-history.ts';
import { counted, withCommas } from '../../core/counted.ts';
import { loadText } from '../../core/report/load-text.ts';
import { formatDuration, milliseconds } from '../../core/units.ts';
import { BidiIsolate } from '../bidi-isolate.tsx';
import { Table, textColumns } from '../table.tsx';
import { metricTextOrDash } from '../value-text.ts';
import { Verdict } from '../verdict.tsx';
import { faultText, notShownText } from './api.ts';
import { ActionButton } from './dialog.tsx';
import { useHeading, useUi } from './ui-context.ts';
import { usePolled } from './use-polled.ts';
import { linkTo } from './routes.ts';
import { inOrder, useOrder } from './use-order.ts';
import { p95Text, requestsText, RunLink, RunOutcome, verdictOf } from './run-outcome.tsx';
import { StopButton } from './stop-button.tsx';
import { testNameOf, ownerOf } from './test-name.tsx';
import { Time } from './time.tsx';
import { Loading } from './loading.tsx';
import { TrendChart } from './trend-chart.tsx';

type Version = TestHistory['versions'][number];

const REFRESH_INTERVAL_S = 2;
const RUNS_TABLE = 'runs';
const TRENDS = [
  ['p95', 'p95'],
  ['requests_per_second', 'Requests per second'],
] as const;

export function TestHistoryView({ test }: { readonly test: string }) {
  const { body, refusal } = usePolled<TestHistory>(
    `/v2/tests/${encodeURIComponent(test)}/history`,
    REFRESH_INTERVAL_S,
  );
  useHeading(body === null ? 'Test' : testNameOf(body));
  if (refusal !== null) {
    return (
      <p>
        {notShownText('test', refusal)} <a href={linkTo('tests')}>All tests</a>
      </p>
    );
  }
  if (body === null) return <Loading />;
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
            {TRENDS.map(([metric, title]) => (
              <TrendChart
                runs={charted}
                metric={metric}
                limits={body.limits}
                title={title}
                table={RUNS_TABLE}
              />
            ))}
          </div>
          <VerdictCounts runs={charted} />
          {charted.length < 2 ? null : (
            <p class="note">
              The oldest run is on the left.
              {count > 1 ? ' Vertical dashed lines mark changes to the test.' : ''}
            </p>
          )}
        </section>
      )}
      <section id={RUNS_TABLE}>
        <h2>Runs</h2>
        {results.length === 0 ? <p>The test has no runs yet.</p> : <RunTable history={body} />}
        {results.length < runs ? (
          <p class="note">Only the latest {withCommas(results.length)} runs are shown.</p>
        ) : null}
      </section>
      <section>
        <h2>Versions</h2>
        <Table
          name="Versions"
          keys={versions.map(({ test_id: id }) => id)}
          columns={textColumns('version', 'since', 'load')}
          rows={versions.map((version, index) => [
            String(count - index),
            <Time at={Date.parse(version.created_at)} />,
            loadText(version.load),
          ])}
        />
      </section>
    </>
  );
}

function headlineOf(charted: number, runs: number): string {
  if (charted === 1) return 'Latest run';
  return charted === runs ? 'All runs' : `Latest ${withCommas(charted)} runs`;
}

/** Also serves as the legend for the colors of the bars. */
function VerdictCounts({ runs }: { readonly runs: TestHistory['results'] }) {
  const verdicts = ['pass', 'fail', 'inconclusive', 'none'] as const;
  return (
    <p class="counts">
      {verdicts.map((verdict) => {
        const count = runs.filter((run) => verdictOf(run) === verdict).length;
        return count === 0 ? null : (
          <span>
            <Verdict verdict={verdict} /> {withCommas(count)}
          </span>
        );
      })}
    </p>
  );
}

/** Maximum number of bars in a chart, so that the bars are distinguishable on a narrow screen. */
const MAX_CHARTED_RUNS = 200;

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
      {running === undefined && status !== 'pending' ? null : (
        <StopButton tests={stoppable} label="Stop" scheduledAt={running === undefined ? dueAt : undefined} />
      )}
      {dueAt === null ? null : (
        <span>
          Starts <Time inSentence at={Date.parse(dueAt)} />
        </span>
      )}
    </div>
  );
}

export function RunButton({
  history,
  newest,
  label = 'Run',
}: {
  readonly history: TestHistory;
  readonly newest: Version;
  readonly label?: string;
}) {
  const { api, announcement } = useUi();
  const run = async (): Promise<ComponentChildren> => {
    const path = `/v2/tests/${encodeURIComponent(newest.test_id)}/run`;
    const response = await api.call<{ readonly result_id: string }>('PUT', path);
    if (response.kind === 'ok') {
      announcement.set('The run has started.');
      location.hash = linkTo('runs', newest.test_id, response.body.result_id);
    }
    if (response.kind !== 'ok' && response.kind !== 'refused')
      return 'The service did not respond. The run may have started anyway.';
    const text = faultText(response, 'Not started');
    return !text.includes('verif') ? (
      text
    ) : (
      <>
        {text} <a href={linkTo('apps')}>Verify the app</a>
      </>
    );
  };
  return (
    <ActionButton
      label={label}
      style="primary"
      busyLabel="Starting…"
      title={
        <>
          Run <bdi>{testNameOf(history)}</bdi>?
        </>
      }
      confirmLabel="Start the load"
      onConfirm={run}
    >
      <p>
        This starts the following load: <b>{loadText(newest.load)}</b>.
      </p>
      <p class="about">
        This run receives no verdict, because its thresholds are in the configuration file. For a verdict, run{' '}
        <code>{`loadtests run ${history.key ?? 'KEY'}`}</code> instead.
      </p>
    </ActionButton>
  );
}

const RUN_VALUES: Readonly<
  Record<string, (run: RunSummary, version: number, place: number) => number | string | null>
> = {
  // The service lists the newest run first, so a higher place means an earlier start.
  started: (_run, _version, place) => -place,
  verdict: verdictOf,
  requests: ({ requests }) => requests,
  'error rate': ({ error_rate: rate }) => rate,
  'per second': ({ requests_per_second: rate }) => rate,
  p95: ({ p95 }) => p95,
  duration: ({ elapsed_ms: elapsed }) => elapsed,
  version: (_, version) => version,
};

function RunTable({ history: { versions, results, tests: count } }: { readonly history: TestHistory }) {
  const versionOf = new Map(versions.map(({ test_id: id }, index) => [id, count - index]));
  const { order, sortBy } = useOrder('-started');
  const value = RUN_VALUES[order.replace(/^-/, '')] ?? (() => null);
  const places = new Map(results.map((run, place) => [run, place]));
  const runs = inOrder(results, order, (run) =>
    value(run, versionOf.get(run.test_id) ?? 0, places.get(run) ?? 0),
  );
  return (
    <Table
      name="Runs"
      cards
      keys={runs.map(({ result_id: id }) => id)}
      columns={Object.keys(RUN_VALUES).map((heading, index) => ({
        heading,
        sort: sortBy(heading, heading === 'verdict' ? '' : '-'),
        ...(index > 1 ? { numeric: true } : {}),
      }))}
      rows={runs.map((run) => [
        <RunLink run={run} />,
        <>
          <RunOutcome run={run} />
          {run.note === null ? null : <span class="note"> {run.note}</span>}
        </>,
        requestsText(run),
        metricTextOrDash('error_rate', run.error_rate),
        metricTextOrDash('requests_per_second', run.requests_per_second),
        p95Text(run),
        run.elapsed_ms === null ? '–' : formatDuration(milliseconds(Math.round(run.elapsed_ms / 100) * 100)),
        String(versionOf.get(run.test_id) ?? '–'),
      ])}
    />
  );
}

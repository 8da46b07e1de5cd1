/** Every version and run of a key on one time line, and its next run. */
import { useState } from 'preact/hooks';
import type { TestHistory } from '../../contract/generated/test-history.ts';
import { counted, withCommas } from '../../core/counted.ts';
import { figureText } from '../../core/figure-text.ts';
import type { TestLoad } from '../../core/report/generated/documents.ts';
import { loadText } from '../../core/report/load-text.ts';
import { formatDuration, milliseconds } from '../../core/units.ts';
import { Apart } from '../apart.tsx';
import { Table } from '../table.tsx';
import { Verdict } from '../verdict.tsx';
import { Question } from './dialog.tsx';
import { useHeading, usePage } from './page.ts';
import { usePolled } from './polled.ts';
import { linkTo } from './routes.ts';
import { countOf, figureOf, RunOutcome, verdictOf } from './run-outcome.tsx';
import { StopButton } from './stop-button.tsx';
import { nameOf, ownerOf } from './test-name.tsx';
import { Time } from './time.tsx';
import { TrendFigure } from './trend.tsx';

type Version = TestHistory['versions'][number];

/** In seconds. */
const EVERY = 2;
const RUNS_TABLE = 'runs';

export function TestHistoryView({ test }: { readonly test: string }) {
  const { body, refused } = usePolled<TestHistory>(`/v2/tests/${encodeURIComponent(test)}/history`, EVERY);
  useHeading(body === null ? 'Test' : nameOf(body));
  if (refused !== null) {
    return (
      <p>
        {refused.status === 404 ? 'The service has no such test.' : refused.reasons.join('; ')}{' '}
        <a href={linkTo('tests')}>All tests</a>
      </p>
    );
  }
  if (body === null) return <p class="about">Loading…</p>;
  const { versions, results, tests: count, runs } = body;
  const [newest] = versions;
  const charted = results.filter(({ status }) => status === 'ready').slice(0, MOST_CHARTED);
  const about = [...ownerOf(body), ...(body.title === nameOf(body) ? [] : [body.title])];
  return (
    <>
      <p class="about">
        <Apart texts={[...about, counted(count, 'version'), counted(runs, 'run')]} />
      </p>
      {newest === undefined ? null : <Actions history={body} newest={newest} />}
      {charted.length === 0 ? null : (
        <section>
          <h2>{headOf(charted.length, runs)}</h2>
          <div class="trends">
            <TrendFigure
              {...{ runs: charted, metric: 'p95', title: 'p95', table: RUNS_TABLE }}
              text={(value) => figureText('p95', value)}
            />
            <TrendFigure
              {...{ runs: charted, metric: 'requests_per_second', title: 'Requests per second' }}
              table={RUNS_TABLE}
              text={(value) => figureText('requests_per_second', value)}
            />
          </div>
          <Counts runs={charted} />
          <p class="note">
            The oldest run is at the left.{count > 1 ? ' Dashed: the test was changed.' : ''}
          </p>
        </section>
      )}
      <section id={RUNS_TABLE}>
        <h2>Runs</h2>
        {results.length === 0 ? <p>It has not run yet.</p> : <Runs history={body} />}
        {results.length < runs ? <p class="note">The last {withCommas(results.length)} of them.</p> : null}
      </section>
      <section>
        <h2>Versions</h2>
        <Table
          name="Versions"
          keys={versions.map(({ test_id: id }) => id)}
          columns={[{ head: 'version' }, { head: 'since' }, { head: 'load' }]}
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

function headOf(charted: number, runs: number): string {
  if (charted === 1) return 'The last run';
  return charted === runs ? 'All runs' : `The last ${withCommas(charted)} runs`;
}

/** Also says what the colours of the bars mean. */
function Counts({ runs }: { readonly runs: TestHistory['results'] }) {
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
const MOST_CHARTED = 200;

/** The service tells it as plans do. */
function loadOf({ load }: Version): string {
  return loadText(load as unknown as TestLoad);
}

function Actions({ history, newest }: { readonly history: TestHistory; readonly newest: Version }) {
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
  const { api, said } = usePage();
  const [state, setState] = useState<'idle' | 'asking' | 'starting'>('idle');
  const [fault, setFault] = useState('');
  const run = async (): Promise<void> => {
    setState('starting');
    setFault('');
    const path = `/v2/tests/${encodeURIComponent(newest.test_id)}/run`;
    const answer = await api.call<{ readonly result_id: string }>('PUT', path);
    setState('idle');
    if (answer.kind === 'given') {
      said.set('The run has started.');
      location.hash = linkTo('runs', newest.test_id, answer.body.result_id);
      return;
    }
    setFault(
      answer.kind === 'refused'
        ? `Not started: ${answer.reasons.join('; ')}`
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
        <Question
          title={
            <>
              Run <bdi>{nameOf(history)}</bdi>?
            </>
          }
          yes="Start the load"
          onClose={() => {
            setState('idle');
          }}
          onYes={() => void run()}
        >
          <p>
            It makes this load now: <b>{loadOf(newest)}</b>.
          </p>
          <p class="about">A run that is started here is not judged: limits are with the file.</p>
        </Question>
      ) : null}
    </>
  );
}

function Runs({ history: { versions, results, tests: count } }: { readonly history: TestHistory }) {
  const versionOf = new Map(versions.map(({ test_id: id }, index) => [id, count - index]));
  return (
    <Table
      name="Runs"
      keys={results.map(({ result_id: id }) => id)}
      columns={[
        { head: 'started' },
        { head: 'verdict' },
        ...['requests', 'failed', 'per second', 'p95', 'took', 'version'].map((head) => ({
          head,
          numeric: true as const,
        })),
      ]}
      rows={results.map((run) => [
        <a href={linkTo('runs', run.test_id, run.result_id)}>
          <Time at={Date.parse(run.started_at)} />
        </a>,
        <RunOutcome run={run} />,
        countOf(run.requests),
        figureOf('error_rate', run.error_rate),
        figureOf('requests_per_second', run.requests_per_second),
        figureOf('p95', run.p95),
        run.elapsed_ms === null ? '–' : formatDuration(milliseconds(Math.round(run.elapsed_ms / 100) * 100)),
        String(versionOf.get(run.test_id) ?? '–'),
      ])}
    />
  );
}

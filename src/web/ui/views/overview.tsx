/** View with an overview: problems, active runs, scheduled tests, and the latest run of each test. */
import type { KeyRecord, RunSummary } from '../../../contract/generated/key-list.ts';
import type { Overview, RunningTest, ScheduledTest } from '../../../contract/generated/overview.ts';
import { counted, countText } from '../../../core/counted.ts';
import { clockText } from '../../../core/report/timeline.ts';
import { readRunProgress } from '../../../core/run-record/read-progress.ts';
import { formatAge, milliseconds } from '../../../core/units.ts';
import { useRef, useState } from 'preact/hooks';
import { numberColumns, Table, textColumns } from '../../table.tsx';
import { metricTextOrDash } from '../../value-text.ts';
import { CopyableText } from '../copyable-text.tsx';
import { useHeading, useUi } from '../ui-context.ts';
import { usePolling, type PolledResponse } from '../use-polled.ts';
import { Loading } from '../loading.tsx';
import { firstTestCommands } from '../result-command.ts';
import { linkTo } from '../routes.ts';
import { needsAttention, p95Text, requestsText, RunLink, RunOutcome, StartedBy } from '../run-outcome.tsx';
import { StopButton } from '../stop-button.tsx';
import { TestName } from '../test-name.tsx';
import { Time } from '../time.tsx';
import type { View } from '../view.ts';

export const overview: View = {
  path: '',
  acceptsParameters: (count) => count === 0,
  name: 'Overview',
  inNavigation: true,
  Content: OverviewView,
};

const MAX_LAST_RUNS = 20;

function OverviewView() {
  const { body, refusal } = useOverview();
  const ended = (body?.keys ?? []).flatMap(lastEndedRunOf);
  const attention = ended.filter(({ run }) => needsAttention(run));
  const others = ended.filter(({ run }) => !needsAttention(run));
  useHeading(body === null ? null : headlineOf(body, attention.length));
  if (refusal !== null) return <p class="fault">{refusal.reasons.join('; ')}</p>;
  if (body === null) return <Loading />;
  const { running, scheduled, apps, keys } = body;
  const isEmpty = running.length + scheduled.length + keys.length === 0;
  const now = Date.parse(body.now);
  return (
    <>
      {isEmpty ? <EmptyOverview /> : null}
      {running.length === 0 ? null : <RunningTests overview={body} now={now} />}
      {attention.length === 0 && apps.unverified === 0 ? null : (
        <NeedsAttention ended={attention} unverified={apps.unverified} />
      )}
      {scheduled.length === 0 ? null : <ScheduledTests scheduled={scheduled} now={now} />}
      {others.length === 0 ? null : <LastRuns ended={others} />}
    </>
  );
}

/** The overview with its keys, which a response may omit. */
type CompleteOverview = Overview & { readonly keys: readonly KeyRecord[] };

/** The service sends the keys, which make up most of the overview, only after they have changed. */
function useOverview() {
  const { api } = useUi();
  const [shown, setShown] = useState<PolledResponse<CompleteOverview>>({ body: null, refusal: null });
  const latest = useRef<CompleteOverview | null>(null);
  usePolling(async () => {
    const known = latest.current;
    const query = known === null ? '' : `?known=${encodeURIComponent(known.keys_version)}`;
    const response = await api.get<Overview>(`/v2/overview${query}`);
    if (response.kind === 'refused') setShown({ body: latest.current, refusal: response });
    if (response.kind !== 'ok') return;
    latest.current = { ...response.body, keys: response.body.keys ?? known?.keys ?? [] };
    setShown({ body: latest.current, refusal: null });
  }, []);
  return shown;
}

interface EndedRun {
  readonly test: KeyRecord;
  readonly run: RunSummary;
}

function lastEndedRunOf(test: KeyRecord): readonly EndedRun[] {
  const [run] = test.recent;
  return run === undefined || run.status === 'not_ready' ? [] : [{ test, run }];
}

function headlineOf({ running, keys, apps }: CompleteOverview, attention: number): string {
  const inNeed = [
    ...(attention === 0 ? [] : [counted(attention, 'test')]),
    ...(apps.unverified === 0 ? [] : [counted(apps.unverified, 'app')]),
  ];
  const parts = [
    ...(running.length === 0 ? [] : [`${counted(running.length, 'test')} running`]),
    ...(inNeed.length === 0
      ? []
      : [`${inNeed.join(' and ')} ${attention + apps.unverified === 1 ? 'needs' : 'need'} attention`]),
  ];
  if (parts.length > 0) return parts.join(', ');
  return keys.length === 0 ? 'No runs yet' : 'No active runs';
}

function EmptyOverview() {
  return (
    <section>
      <h2>Get started</h2>
      <p>No tests have been run on this service. Declare tests in a file and apply it:</p>
      <CopyableText label="commands" text={firstTestCommands(new URL(location.href))} />
      <p class="about">A test appears here when its first run starts.</p>
    </section>
  );
}

function NeedsAttention({
  ended,
  unverified,
}: {
  readonly ended: readonly EndedRun[];
  readonly unverified: number;
}) {
  return (
    <section>
      <h2>Needs attention</h2>
      {unverified === 0 ? null : (
        <p>
          {counted(unverified, 'app')} {unverified === 1 ? 'is' : 'are'} not verified and cannot receive load.{' '}
          <a href={linkTo('apps')}>Verify</a>
        </p>
      )}
      {ended.length === 0 ? null : (
        <EndedTable name="Needs attention" ended={ended.slice(0, MAX_LAST_RUNS)} />
      )}
      {ended.length <= MAX_LAST_RUNS ? null : (
        <p class="more">
          {counted(ended.length - MAX_LAST_RUNS, 'more test')}. <a href={linkTo('tests')}>All tests</a>
        </p>
      )}
    </section>
  );
}

function RunningTests({
  overview: { running, keys },
  now,
}: {
  readonly overview: CompleteOverview;
  readonly now: number;
}) {
  const recent = new Map(keys.flatMap((key) => key.recent.map((run) => [run.result_id, run.started_by])));
  return (
    <section>
      <div class="titled">
        <h2>Running now</h2>
        {running.length < 2 ? null : <StopButton tests={running} label="Stop all" />}
      </div>
      <Table
        name="Running now"
        cards
        keys={running.map(({ result_id: id }) => id)}
        columns={[
          ...textColumns('test', 'time'),
          ...numberColumns('connections', 'per second', 'failed', 'p95', 'action'),
        ]}
        rows={running.map((run) => runningCells(run, now, recent.get(run.result_id) ?? null))}
      />
    </section>
  );
}

function runningCells(run: RunningTest, now: number, client: string | null) {
  const progress = readRunProgress(run.progress);
  const elapsed = progress?.elapsed ?? Math.max(0, now - Date.parse(run.started_at));
  return [
    <>
      <TestName test={run} href={linkTo('runs', run.test_id, run.result_id)} />
      <StartedBy client={client} />
    </>,
    <span class="elapsed">
      <progress max={run.duration_ms} value={Math.min(elapsed, run.duration_ms)} aria-label="Elapsed" />
      {clockText(Math.round(elapsed / 1000))} of {clockText(run.duration_ms / 1000)}
      {progress?.warmingUp === true ? ' (warm-up)' : ''}
    </span>,
    countText(progress?.connections ?? null),
    metricTextOrDash('requests_per_second', progress?.requestsPerSecond ?? null),
    countText(progress === null ? null : progress.error + progress.timeoutError + progress.networkError),
    metricTextOrDash('p95', progress?.p95 ?? null),
    <StopButton tests={[run]} label="Stop" />,
  ];
}

function ScheduledTests({
  scheduled,
  now,
}: {
  readonly scheduled: readonly ScheduledTest[];
  readonly now: number;
}) {
  return (
    <section>
      <h2>Scheduled</h2>
      <Table
        name="Scheduled"
        cards
        keys={scheduled.map(({ test_id: id }) => id)}
        columns={[...textColumns('test', 'starts'), ...numberColumns('starts in')]}
        rows={scheduled.map((test) => {
          const at = Date.parse(test.scheduled_at);
          const remaining = milliseconds(at - now);
          return [
            <TestName test={test} href={linkTo('tests', test.test_id)} />,
            <Time at={at} />,
            remaining > 0 ? formatAge(remaining) : 'now',
          ];
        })}
      />
    </section>
  );
}

function LastRuns({ ended }: { readonly ended: readonly EndedRun[] }) {
  return (
    <section>
      <h2>Latest runs</h2>
      <EndedTable name="Latest runs" ended={ended.slice(0, MAX_LAST_RUNS)} />
      <p class="more">
        <a href={linkTo('tests')}>All tests</a>
      </p>
    </section>
  );
}

function EndedTable({ name, ended }: { readonly name: string; readonly ended: readonly EndedRun[] }) {
  return (
    <Table
      name={name}
      cards
      keys={ended.map(({ run }) => run.result_id)}
      columns={[
        ...textColumns('test', 'verdict', 'started'),
        ...numberColumns('requests', 'error rate', 'per second', 'p95'),
      ]}
      rows={ended.map(({ test, run }) => [
        <TestName test={test} href={linkTo('tests', test.test_id)} />,
        <RunOutcome run={run} />,
        <RunLink run={run} />,
        requestsText(run),
        metricTextOrDash('error_rate', run.error_rate),
        metricTextOrDash('requests_per_second', run.requests_per_second),
        p95Text(run),
      ])}
    />
  );
}

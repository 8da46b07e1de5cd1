/** A run: live while it goes on, and then all that is kept of it. */
import { useMemo, useRef, useState } from 'preact/hooks';
import type { ResultProgress } from '../../../contract/generated/result-progress.ts';
import type { ResultRecord as Wire } from '../../../contract/generated/result-record.ts';
import type { TestHistory } from '../../../contract/generated/test-history.ts';
import type { Json } from '../../../core/canonical.ts';
import type { TestLoad } from '../../../core/report/generated/documents.ts';
import { loadText } from '../../../core/report/load-text.ts';
import { objectOf, type ResultRecord } from '../../../core/report/record.ts';
import type { RecordedRun } from '../../../core/report/run-document.ts';
import { runCharts } from '../../run-charts.ts';
import { RunSection } from '../../run-section.tsx';
import type { ShownRun } from '../../shown-run.ts';
import { CompareWith } from '../compare-with.tsx';
import { CopyableText } from '../copyable-text.tsx';
import { useCharts } from '../use-charts.ts';
import { LazyTable } from '../collapsible-table.tsx';
import { LiveMetrics } from '../live-metrics.tsx';
import { mergeProgress, knownSeconds, partialRecord, type LiveRun } from '../live-run.ts';
import { useHeading, useUi } from '../ui-context.ts';
import { useOnce, usePolling } from '../use-polled.ts';
import { resultsCommand } from '../result-command.ts';
import { StopButton } from '../stop-button.tsx';
import { testNameOf } from '../test-name.tsx';
import type { Route } from '../routes.ts';
import { Time } from '../time.tsx';
import type { View } from '../view.ts';

export const run: View = {
  path: 'runs',
  parameters: (parts) => parts === 2,
  name: 'Run',
  inNavigation: false,
  Content: RunView,
};

/** What is known of the run. */
type RunState =
  | { readonly state: 'unknown' }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'running'; readonly live: LiveRun }
  | { readonly state: 'ended'; readonly told: ResultProgress; readonly record: Wire };

/** In ms: the verdict comes from whoever started the run, soon after its end. */
const VERDICT_TIMEOUT_MS = 120_000;

function RunView({ rest: [test = '', result = ''] }: { readonly rest: Route }) {
  const known = useRunState(test, result);
  const { body: history } = useOnce<TestHistory>(`/v2/tests/${encodeURIComponent(test)}/history`);
  useHeading(history === null ? null : testNameOf(history));
  const version = history?.versions.find((one) => one.test_id === test);
  // The service tells the load as plans do.
  const load = (version?.load as TestLoad | undefined) ?? null;
  const shown = useMemo(() => shownRunOf(known, load), [known, load]);
  useCharts(shown?.charts ?? NO_CHARTS);
  if (known.state === 'refused') return <p>{known.reason}</p>;
  if (shown === null) return <p class="about">Loading…</p>;
  const startedAt = Date.parse(shown.run.started_at ?? '');
  const isRunning = known.state === 'running';
  const others = (history?.results.length ?? 0) - 1;
  return (
    <>
      {isRunning || others > 0 ? (
        <div class="actions">
          {isRunning ? (
            <StopButton tests={[{ ...(history ?? NO_NAMES), test_id: test }]} label="Stop" />
          ) : null}
          {history === null || others === 0 ? null : <CompareWith {...{ test, result, history }} />}
        </div>
      ) : null}
      <RunSection
        shown={shown}
        heading={
          Number.isNaN(startedAt) ? (
            'Run'
          ) : (
            <>
              Run of <Time at={startedAt} />
            </>
          )
        }
        lead={isRunning ? <LiveMetrics live={known.live} /> : null}
        TableComponent={LazyTable}
      />
      <section class="command">
        <h2>On the command line</h2>
        <p class="about">The same figures, with the key of the service in LOADTESTS_API_KEY:</p>
        <CopyableText what="Command" text={resultsCommand(new URL(location.href), test)} />
      </section>
    </>
  );
}

const NO_NAMES = { title: 'the test', project: null, environment: null, key: null } as const;

const NO_CHARTS: ShownRun['charts'] = [];

function shownRunOf(known: RunState, load: TestLoad | null): ShownRun | null {
  if (known.state !== 'running' && known.state !== 'ended') return null;
  const { report: told } = known.state === 'ended' ? known.told : known.live.report;
  // Both are JSON documents.
  const result =
    known.state === 'ended' ? (known.record as NonNullable<ResultRecord>) : partialRecord(known.live);
  return {
    // The service tells it as reports do.
    ...{ id: 'run', name: 'Run', run: { ...(told as unknown as RecordedRun), result }, history: [] },
    about: load === null ? [] : [loadText(load)],
    charts: runCharts('run', { name: 'now', record: result, loaded: load?.seconds ?? null }),
  };
}

/** Asks each second while the run goes on, then for the whole record, and then until somebody has judged it. */
function useRunState(test: string, result: string): RunState {
  const { api, announcement } = useUi();
  const [known, setKnown] = useState<RunState>({ state: 'unknown' });
  const latest = useRef(known);
  const path = `/v2/tests/${encodeURIComponent(test)}/results/${encodeURIComponent(result)}`;
  const show = (now: RunState): void => {
    if (latest.current.state === 'running' && now.state === 'ended') announcement.set('The run has ended.');
    latest.current = now;
    setKnown(now);
  };
  usePolling(async () => {
    const before = latest.current;
    if (before.state === 'refused' || (before.state === 'ended' && isSettled(before.record))) return;
    const live = before.state === 'running' ? before.live : null;
    const after = before.state === 'ended' ? MAX_SECONDS : knownSeconds(live);
    const told = await api.get<ResultProgress>(`${path}/progress?after=${after}`);
    if (told.kind === 'refused') show({ state: 'refused', reason: refusalText(told) });
    if (told.kind !== 'given') return;
    if (told.body.in_progress) {
      show({ state: 'running', live: mergeProgress(live, told.body) });
      return;
    }
    if (before.state === 'ended' && !hasVerdict(told.body.result)) return;
    const whole = await api.get<Wire>(path);
    if (whole.kind === 'refused') show({ state: 'refused', reason: refusalText(whole) });
    if (whole.kind === 'given') show({ state: 'ended', told: told.body, record: whole.body });
  }, [path]);
  return known;
}

/** More than any run has. */
const MAX_SECONDS = 999_999_999;

function hasVerdict(record: object): boolean {
  return objectOf(record as Json)['verdict'] !== undefined; // of a JSON document
}

function isSettled(record: Wire): boolean {
  const endedAt = Date.parse(record.started_at ?? '') + (record.elapsed_ms ?? 0);
  return hasVerdict(record) || !(Date.now() - endedAt < VERDICT_TIMEOUT_MS);
}

function refusalText({
  status,
  reasons,
}: {
  readonly status: number;
  readonly reasons: readonly string[];
}): string {
  return status === 404
    ? 'The service has no such run. It may have been deleted with its app, or be older than what is kept.'
    : `The service does not show this run: ${reasons.join('; ')}`;
}

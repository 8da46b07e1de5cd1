/** View of a run: live metrics while it is active, and the full result afterward. */
import { useMemo, useRef, useState } from 'preact/hooks';
import type { ResultProgress } from '../../../contract/generated/result-progress.ts';
import type { ResultRecord as Wire } from '../../../contract/generated/result-record.ts';
import type { TestHistory } from '../../../contract/generated/test-history.ts';
import type { RunVerdict } from '../../../core/model/run-verdict.ts';
import type { EvaluatedThreshold, TestLoad, UrlGroups } from '../../../core/report/generated/documents.ts';
import { loadText } from '../../../core/report/load-text.ts';
import { toEvaluatedThreshold } from '../../../core/report/threshold-document.ts';
import { thresholdLabels } from '../../../core/report/threshold-text.ts';
import { clockText } from '../../../core/report/timeline.ts';
import { verdictSentence } from '../../../core/report/verdict-sentence.ts';
import { readRunRecord } from '../../../core/run-record/read-record.ts';
import { readRunVerdict } from '../../../core/run-record/read-verdict.ts';
import type { RunRecord } from '../../../core/run-record/run-record.ts';
import { MAX_COMPARED_RUNS, runName } from '../../../core/compare/run-names.ts';
import { timelineCsv } from '../../../core/report/timeline-csv.ts';
import { download } from '../../download.ts';
import { runCharts, runOfUrl } from '../../run-charts.ts';
import { RunSection } from '../../run-section.tsx';
import type { ShownRun } from '../../shown-run.ts';
import { CompareWith } from '../compare-with.tsx';
import { CopyableText } from '../copyable-text.tsx';
import { useCharts } from '../use-charts.ts';
import { notShownText } from '../api.ts';
import { LazyTable } from '../collapsible-table.tsx';
import { Loading } from '../loading.tsx';
import { LiveMetrics } from '../live-metrics.tsx';
import { mergeProgress, knownSeconds, type LiveRun } from '../live-run.ts';
import { useHeading, useStaleReason, useUi } from '../ui-context.ts';
import { useOnce, usePolling } from '../use-polled.ts';
import { resultsCommand } from '../result-command.ts';
import { SortableTable } from '../sortable-table.tsx';
import { StopButton } from '../stop-button.tsx';
import { ownerOf, testNameOf } from '../test-name.tsx';
import { BidiIsolate } from '../../bidi-isolate.tsx';
import { resultPath, linkTo, readViewState, writeViewState, type Route } from '../routes.ts';
import { RunNote } from '../run-note.tsx';
import { RunButton } from '../test-history.tsx';
import { Time } from '../time.tsx';
import type { View } from '../view.ts';

export const run: View = {
  path: 'runs',
  acceptsParameters: (count) => count === 2,
  name: 'Run',
  inNavigation: false,
  Content: RunView,
};

type RunState =
  | { readonly state: 'unknown' }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'running'; readonly live: LiveRun }
  | { readonly state: 'ended'; readonly progress: ResultProgress; readonly record: RunRecord };

/**
 * Maximum wait for a verdict after the end of a run, in ms. The client that started the run sends the verdict
 * shortly after the end.
 */
const VERDICT_TIMEOUT_MS = 120_000;

function RunView({ rest: [test = '', result = ''] }: { readonly rest: Route }) {
  const runState = useRunState(test, result);
  const { body: history } = useOnce<TestHistory>(`/v2/tests/${encodeURIComponent(test)}/history`);
  const name = history === null ? null : testNameOf(history);
  const version = history?.versions.find(({ test_id: id }) => id === test);
  const load = version?.load ?? null;
  const [isClock, setClock] = useState(readViewState().get('time') === 'clock');
  const [url, setUrl] = useState(readViewState().get('url'));
  const summary = history?.results.find(({ result_id: id }) => id === result);
  const startedBy = summary?.started_by ?? null;
  const shown = useMemo(
    () => shownRunOf(runState, { load, isClock, startedBy, url }),
    [runState, load, isClock, startedBy, url],
  );
  useCharts(shown?.charts ?? NO_CHARTS);
  const staleReason = useStaleReason();
  useHeading(name, name === null || shown === null ? null : `${titleStartOf(shown, staleReason)} · ${name}`);
  if (runState.state === 'refused')
    return (
      <p>
        {runState.reason} <a href={linkTo('tests')}>All tests</a>
      </p>
    );
  if (shown === null) return <Loading />;
  const { startedAt } = shown.record;
  const isRunning = runState.state === 'running';
  return (
    <>
      {history === null ? null : <Breadcrumb history={history} test={test} result={result} />}
      <div class="actions">
        {isRunning ? <StopButton tests={[{ ...(history ?? NO_NAMES), test_id: test }]} label="Stop" /> : null}
        {history === null ? null : (
          <RunActions
            history={history}
            test={test}
            result={result}
            isRunning={isRunning}
            baseline={shown.baseline}
          />
        )}
      </div>
      {isRunning || shown.run.verdict !== 'none' || history?.key == null ? null : (
        <p class="about">
          For a verdict, run <code>loadtests results {history.key}</code> in the directory of the
          configuration file.
        </p>
      )}
      {summary === undefined ? null : <RunNote path={resultPath(test, result)} stored={summary.note} />}
      <RunSection
        shown={shown}
        heading={
          startedAt === null ? (
            'Run'
          ) : (
            <>
              Run · <Time at={startedAt} />
            </>
          )
        }
        lead={
          isRunning ? (
            <LiveMetrics
              live={runState.live}
              staleReason={staleReason}
              run={{ ...shown.run, record: shown.record, thresholds: shown.thresholds }}
            />
          ) : null
        }
        TableComponent={LazyTable}
        SortableTable={SortableTable}
        axis={
          <p class="actions">
            <button
              type="button"
              onClick={() => {
                writeViewState({ time: isClock ? null : 'clock' });
                setClock(!isClock);
              }}
            >
              Axis: {isClock ? 'time of day' : 'elapsed'}
            </button>
          </p>
        }
        choice={{
          url: shown.url,
          choose: (chosen) => {
            writeViewState({ url: chosen });
            setUrl(chosen);
            if (chosen !== null) document.querySelector('.charts')?.scrollIntoView({ block: 'nearest' });
          },
        }}
      />
      <section class="command">
        <h2>On the command line</h2>
        <p class="about">
          This command prints the same metrics. Set LOADTESTS_API_KEY to the API key of the service.
        </p>
        <CopyableText label="command" text={resultsCommand(new URL(location.href), test)} />
      </section>
    </>
  );
}

interface RunOfHistory {
  readonly history: TestHistory;
  readonly test: string;
  readonly result: string;
}

function Breadcrumb({ history, test, result }: RunOfHistory) {
  const { results, project, environment } = history;
  const owner = [project ?? '', ...(environment === null ? [] : [environment])]
    .map(encodeURIComponent)
    .join('/');
  const index = results.findIndex(({ result_id: id }) => id === result);
  const neighbors = [
    ['Previous run', results[index + 1]],
    ['Next run', index > 0 ? results[index - 1] : undefined],
  ] as const;
  return (
    <nav class="about crumbs" aria-label="Breadcrumb">
      <a href={project === null ? linkTo('tests') : `${linkTo('tests')}?owner=${encodeURIComponent(owner)}`}>
        {project === null ? 'Tests' : <BidiIsolate texts={ownerOf(history)} />}
      </a>
      <a href={linkTo('tests', test)}>{testNameOf(history)}</a>
      {neighbors.map(([name, run]) =>
        run === undefined || index === -1 ? null : (
          <a href={linkTo('runs', run.test_id, run.result_id)}>{name}</a>
        ),
      )}
    </nav>
  );
}

function RunActions({
  history,
  test,
  result,
  isRunning,
  baseline,
}: RunOfHistory & {
  readonly isRunning: boolean;
  readonly baseline: readonly string[];
}) {
  const { api } = useUi();
  const { results, versions } = history;
  const [newest] = versions;
  const index = results.findIndex(({ result_id: id }) => id === result);
  const earlier = index === -1 ? [] : results.slice(index + 1).filter(({ status }) => status === 'ready');
  const compared = [
    ['previous', earlier.slice(0, 1)],
    ['last passed run', earlier.filter(({ verdict }) => verdict === 'pass').slice(0, 1)],
    [
      'baseline',
      results
        .filter(({ result_id: id }) => id !== result && baseline.includes(id))
        .slice(0, MAX_COMPARED_RUNS - 1),
    ],
  ] as const;
  const path = resultPath(test, result);
  const saveReport = async (): Promise<void> => {
    const response = await api.call('GET', `${path}/report`, undefined, false);
    if (response.kind === 'ok') download(`${result}.html`, new Blob([response.text], { type: 'text/html' }));
  };
  const save = async (kind: 'json' | 'csv'): Promise<void> => {
    const response = await api.get<Wire>(path);
    if (response.kind !== 'ok') return;
    const { load_started_at: startedAt, timeline } = response.body;
    const run = { key: testNameOf(history), id: result, startedAt: startedAt ?? null, timeline };
    const [text, type] =
      kind === 'json' ? [response.text, 'application/json'] : [timelineCsv([run]), 'text/csv'];
    download(`${result}.${kind}`, new Blob([text], { type }));
  };
  return (
    <>
      {isRunning || newest === undefined ? null : (
        <RunButton history={history} newest={newest} label="Run again" />
      )}
      {results.length < 2 ? null : (
        <span class="group">
          Compare with
          {compared.map(([name, runs]) =>
            runs.length === 0 || isRunning ? null : (
              <a
                class="button"
                aria-label={`Compare with ${name}`}
                href={linkTo(
                  'compare',
                  runName({ test, result }),
                  ...runs.map((run) => runName({ test: run.test_id, result: run.result_id })),
                )}
              >
                {name}
              </a>
            ),
          )}
          <CompareWith test={test} result={result} history={history} />
        </span>
      )}
      {isRunning ? null : (
        <span class="group">
          Download
          {(['json', 'csv'] as const).map((kind) => (
            <button
              type="button"
              aria-label={`Download ${kind.toUpperCase()}`}
              onClick={() => void save(kind)}
            >
              {kind.toUpperCase()}
            </button>
          ))}
          <button type="button" aria-label="Download HTML report" onClick={() => void saveReport()}>
            HTML report
          </button>
        </span>
      )}
    </>
  );
}

/**
 * Returns the start of the window title: the verdict with its reason. For an active run, returns `Running`, or the
 * reason why the state is unknown.
 */
function titleStartOf({ run, record }: ShownRun, staleReason: string | null): string {
  return run.state === 'running' ? (staleReason ?? 'Running') : verdictSentence({ ...run, record });
}

const NO_NAMES = { title: 'the test', project: null, environment: null, key: null } as const;

const NO_CHARTS: ShownRun['charts'] = [];

function shownRunOf(
  runState: RunState,
  {
    load,
    isClock,
    startedBy,
    url,
  }: {
    readonly load: TestLoad | null;
    readonly isClock: boolean;
    readonly startedBy: string | null;
    /** Label of the URL that the charts are limited to, from the address. */
    readonly url: string | null;
  },
):
  | (ShownRun & {
      readonly url: string | null;
      readonly baseline: readonly string[];
      /** Thresholds, which have no verdicts while the run is in progress. */
      readonly thresholds: readonly EvaluatedThreshold[];
    })
  | null {
  if (runState.state !== 'running' && runState.state !== 'ended') return null;
  const isRunning = runState.state === 'running';
  const { report } = isRunning ? runState.live.report : runState.progress;
  const { record } = isRunning ? runState.live : runState;
  const { verdict, reason, urlNames = [], ...evaluated } = readRunVerdict(report) ?? NO_VERDICT;
  const stored = isRunning ? null : readRunVerdict(runState.progress.result['verdict']);
  const thresholds = evaluated.thresholds.map(toEvaluatedThreshold);
  const drawn = {
    name: 'now',
    record,
    loadSeconds: load?.seconds ?? null,
    load,
    thresholds,
    clock: isClock ? (record.loadStartedAt ?? record.startedAt) : null,
  };
  const limited = url === null ? drawn : runOfUrl(drawn, url, thresholdLabels(record, urlNames).indexOf(url));
  return {
    url: limited === drawn ? null : url,
    baseline: stored?.baseline ?? [],
    thresholds,
    run: {
      state: isRunning ? 'running' : 'ended',
      verdict,
      reason,
      thresholds: isRunning ? [] : thresholds,
      metrics: record.metrics,
      url_names: [...urlNames],
      url_groups: (report['url_groups'] ?? []) as UrlGroups, // The service writes this form.
    },
    record,
    id: 'run',
    name: 'Run',
    history: [],
    urlCharts: [],
    about: [
      ...(load === null ? [] : [loadText(load)]),
      ...(isRunning ? [] : earlyEndText(record, load)),
      ...(startedBy === null ? [] : [`started by ${startedBy}`]),
    ],
    charts: runCharts('run', limited),
  };
}

/**
 * If the run ended early, returns a list with the elapsed time, such as `ended after 0:21 of 10:00`; otherwise an empty
 * list.
 */
function earlyEndText({ abortReason, elapsed }: RunRecord, load: TestLoad | null): readonly string[] {
  const total = load?.seconds ?? null;
  if (abortReason == null || elapsed === null || total === null || elapsed >= total * 1000) return [];
  return [`ended after ${clockText(Math.round(elapsed / 1000))} of ${clockText(total)}`];
}

const NO_VERDICT: RunVerdict = { verdict: 'none', reason: null, thresholds: [] };

/** Polls the progress of an active run, then requests the full record, and then waits for a verdict. */
function useRunState(test: string, result: string): RunState {
  const { api, announcement } = useUi();
  const [runState, setRunState] = useState<RunState>({ state: 'unknown' });
  const latest = useRef(runState);
  const path = resultPath(test, result);
  const show = (next: RunState): void => {
    if (latest.current.state === 'running' && next.state === 'ended') announcement.set('The run has ended.');
    latest.current = next;
    setRunState(next);
  };
  usePolling(async () => {
    const before = latest.current;
    if (before.state === 'refused' || (before.state === 'ended' && isSettled(before))) return;
    const live = before.state === 'running' ? before.live : null;
    const after = before.state === 'ended' ? MAX_SECONDS : knownSeconds(live);
    const progress = await api.get<ResultProgress>(`${path}/progress?after=${after}`);
    if (progress.kind === 'refused') show({ state: 'refused', reason: notShownText('run', progress) });
    if (progress.kind !== 'ok') return;
    if (progress.body.in_progress) {
      show({ state: 'running', live: mergeProgress(live, progress.body) });
      return;
    }
    if (before.state === 'ended' && !hasVerdict(progress.body)) return;
    const record = await api.get<Wire>(path);
    if (record.kind === 'refused') show({ state: 'refused', reason: notShownText('run', record) });
    if (record.kind === 'ok')
      show({ state: 'ended', progress: progress.body, record: readRunRecord(record.body) });
  }, [path]);
  return runState;
}

/**
 * A number of seconds that exceeds the duration of any run. As a start time, this number excludes all timeline entries
 * from the response.
 */
const MAX_SECONDS = 999_999_999;

function hasVerdict({ result }: ResultProgress): boolean {
  return result['verdict'] !== undefined;
}

function isSettled({ progress, record }: Extract<RunState, { state: 'ended' }>): boolean {
  const endedAt = (record.startedAt ?? Number.NaN) + (record.elapsed ?? 0);
  return hasVerdict(progress) || !(Date.now() - endedAt < VERDICT_TIMEOUT_MS);
}

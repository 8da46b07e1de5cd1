/** View that compares two to five runs: the change of each metric since the earliest run, and joint charts. */
import { useMemo, useRef, useState } from 'preact/hooks';
import type { ResultRecord as Wire } from '../../../contract/generated/result-record.ts';
import type { ComparedRun, RunComparison } from '../../../contract/generated/run-comparison.ts';
import { areComparable, MAX_COMPARED_RUNS, parseRunName } from '../../../core/compare/run-names.ts';
import { metricLabel } from '../../../core/model/metric-text.ts';
import { worseDirectionOf } from '../../../core/model/regression.ts';
import { changeText, growthOf, sideText } from '../../../core/report/compared-metric-rows.ts';
import { readRunRecord } from '../../../core/run-record/read-record.ts';
import { readRunVerdict } from '../../../core/run-record/read-verdict.ts';
import type { RunRecord } from '../../../core/run-record/run-record.ts';
import { ChartFigure } from '../../chart-figure.tsx';
import type { Chart } from '../../chart.ts';
import { runCharts } from '../../run-charts.ts';
import { PercentilesTable, SecondsTable } from '../../run-section.tsx';
import { numberColumns, Table, textColumns } from '../../table.tsx';
import { Verdict } from '../../verdict.tsx';
import { useCharts } from '../use-charts.ts';
import { LazyTable } from '../collapsible-table.tsx';
import { Loading } from '../loading.tsx';
import { useUi } from '../ui-context.ts';
import { usePolling } from '../use-polled.ts';
import { resultPath, linkTo, type Route } from '../routes.ts';
import { Time } from '../time.tsx';
import type { View } from '../view.ts';

export const compare: View = {
  path: 'compare',
  acceptsParameters: (count) => count >= 2,
  name: 'Compare',
  inNavigation: false,
  Content: CompareView,
};

interface ChartedRun extends ComparedRun {
  readonly record: RunRecord;
}

function CompareView({ rest }: { readonly rest: Route }) {
  if (rest.some((name) => parseRunName(name) === null))
    return <NotCompared reason="This URL contains an invalid run name." />;
  if (!areComparable(rest))
    return <NotCompared reason={`A comparison needs 2 to ${MAX_COMPARED_RUNS} different runs.`} />;
  return <ComparisonLoader names={rest} />;
}

function NotCompared({ reason }: { readonly reason: string }) {
  return (
    <p>
      {reason} To compare runs, open one of them and choose the others.{' '}
      <a href={linkTo('tests')}>All tests</a>
    </p>
  );
}

/** Retries the requests until all succeed or one is refused. */
function ComparisonLoader({ names }: { readonly names: readonly string[] }) {
  const { api } = useUi();
  const [loaded, setLoaded] = useState<readonly ChartedRun[] | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const isDone = useRef(false);
  usePolling(async () => {
    if (isDone.current) return;
    const query = names.map((name) => `run=${encodeURIComponent(name)}`).join('&');
    const comparison = await api.get<RunComparison>(`/v2/comparison?${query}`);
    const refuse = (reasons: readonly string[]): void => {
      isDone.current = true;
      setRefusal(
        `The service cannot compare these runs: ${reasons.join('; ')}. A missing result may have expired.`,
      );
    };
    if (comparison.kind === 'refused') refuse(comparison.reasons);
    if (comparison.kind !== 'ok') return;
    const records = await Promise.all(
      comparison.body.runs.map(({ test_id: test, result_id: result }) =>
        api.get<Wire>(resultPath(test, result)),
      ),
    );
    const refusedRecord = records.find((record) => record.kind === 'refused');
    if (refusedRecord !== undefined) refuse(refusedRecord.reasons);
    const charted = comparison.body.runs.flatMap((run, index) => {
      const record = records[index];
      return record?.kind === 'ok' ? [{ ...run, record: readRunRecord(record.body) }] : [];
    });
    if (charted.length < names.length) return;
    isDone.current = true;
    setLoaded(charted);
  }, [names.length]);
  if (refusal !== null) return <NotCompared reason={refusal} />;
  return loaded === null ? <Loading /> : <ComparisonResult runs={loaded} />;
}

function ComparisonResult({ runs }: { readonly runs: readonly ChartedRun[] }) {
  const [anyway, setAnyway] = useState(false);
  const isIncomparable = runs.some(({ obstacles }) => obstacles.length > 0);
  return (
    <>
      <section>
        <h2>Runs</h2>
        <Table
          name="Runs"
          cards
          columns={textColumns('run', 'test', 'verdict', 'started')}
          rows={runs.map(({ label, test_id: test, result_id: result, title, report, record }) => [
            <a href={linkTo('runs', test, result)}>{`Run\u00a0${label}`}</a>,
            <a class="name" href={linkTo('tests', test)}>
              {title}
            </a>,
            <Verdict
              verdict={
                report['state'] === 'running' ? 'running' : (readRunVerdict(report)?.verdict ?? 'none')
              }
            />,
            record.startedAt === null ? 'unknown' : <Time at={record.startedAt} />,
          ])}
        />
        <ComparisonNotes runs={runs} />
        {isIncomparable && !anyway ? (
          <p class="actions">
            <button type="button" onClick={() => setAnyway(true)}>
              Compare anyway
            </button>
          </p>
        ) : null}
      </section>
      {isIncomparable && !anyway ? null : <SideBySide runs={runs} />}
    </>
  );
}

function ComparisonNotes({ runs }: { readonly runs: readonly ChartedRun[] }) {
  const [first] = runs;
  const incomparable = runs.filter(({ obstacles }) => obstacles.length > 0);
  const withWarnings = runs.filter(
    ({ obstacles, warnings }) => obstacles.length === 0 && warnings.length > 0,
  );
  return (
    <>
      {incomparable.length === 0 ? null : (
        <div class="problems">
          <h3>Why these runs are not comparable</h3>
          <ul>
            {incomparable.map(({ label, obstacles }) => (
              <li class="error">
                {label} compared with {first?.label}: {obstacles.join('; ')}
              </li>
            ))}
          </ul>
        </div>
      )}
      {withWarnings.map(({ label, warnings }) => (
        <p class="note">
          {runs.length > 2 ? label : 'Warning'}: {warnings.join('; ')}.
        </p>
      ))}
    </>
  );
}

function SideBySide({ runs }: { readonly runs: readonly ChartedRun[] }) {
  const charts = useMemo(() => chartsOf(runs), [runs]);
  useCharts(charts);
  const [first, ...others] = runs;
  const metrics = [...new Set(others.flatMap((run) => run.metrics.map(({ metric }) => metric)))];
  const changeOf = (metric: string, run: ChartedRun) =>
    run.metrics.find((change) => change.metric === metric) ?? null;
  const text = (change: Compared | null | undefined, side: 'before' | 'after') =>
    change == null ? '-' : sideText(change, side);
  const main = metrics.filter((metric) => MAIN_METRICS.includes(metric));
  const tableOf = (name: string, names: readonly string[]) => (
    <Table
      name={name}
      cards
      columns={[
        ...textColumns('metric'),
        ...numberColumns(first?.label ?? '', ...others.flatMap(({ label }) => [label, 'change'])),
      ]}
      rows={names.map((metric) => [
        metricLabel(metric),
        text(
          others.map((run) => changeOf(metric, run)).find((change) => change !== null),
          'before',
        ),
        ...others.flatMap((run) => {
          const change = changeOf(metric, run);
          return [text(change, 'after'), change === null ? '-' : <Change compared={change} />];
        }),
      ])}
    />
  );
  return (
    <>
      <section id="compared">
        <h2>Changes since {first?.label}</h2>
        <ChangeSummary runs={others} />
        <div class="changes">{tableOf('Changes', main)}</div>
        {others.length > 0 && main.length < metrics.length ? (
          <LazyTable
            id="all-changes"
            name={`All ${metrics.length} metrics`}
            isLong={false}
            content={() => tableOf('All metrics', metrics)}
          />
        ) : null}
        <div class="charts">
          {charts.map((chart) => (
            <ChartFigure key={chart.id} chart={chart} runs={runs.map(({ label }) => sectionOf(label))} />
          ))}
        </div>
        {runs.map(({ label, record }) => {
          const tables = { record, run: label, TableComponent: LazyTable };
          return (
            <>
              <SecondsTable id={`${sectionOf(label)}-seconds`} {...tables} />
              <PercentilesTable id={`${sectionOf(label)}-percentiles`} {...tables} />
            </>
          );
        })}
      </section>
    </>
  );
}

const MAIN_METRICS: readonly string[] = ['error_rate', 'requests_per_second', 'p50', 'p95', 'p99'];

/**
 * Minimum change, in percent, that is called better or worse. Smaller changes also occur between runs of the same test.
 */
const MIN_CHANGE = 2;

function Change({ compared }: { readonly compared: Compared }) {
  const outcome = outcomeOf(compared);
  if (outcome === null) return <>{changeText(compared)}</>;
  return (
    <span class={`verdict ${outcome === 'worse' ? 'fail' : 'pass'}`}>
      <span aria-hidden="true">{(growthOf(compared) ?? 0) > 0 ? '▲' : '▼'}</span> {changeText(compared)}{' '}
      {outcome}
    </span>
  );
}

type Compared = ChartedRun['metrics'][number];

function outcomeOf(compared: Compared): 'better' | 'worse' | null {
  const { metric } = compared;
  const direction = metric.includes('error') ? 'more' : worseDirectionOf(metric);
  const growth = growthOf(compared);
  if (growth === null || direction === null || Math.abs(growth) < MIN_CHANGE) return null;
  return growth > 0 === (direction === 'more') ? 'worse' : 'better';
}

/** Sentence with the changes of the main metrics: `Worse: p50 +1,300%, p95 +450%. Better: nothing.` */
function ChangeSummary({ runs }: { readonly runs: readonly ChartedRun[] }) {
  const changesOf = (outcome: 'better' | 'worse'): string =>
    runs
      .flatMap(({ label, metrics }) =>
        metrics
          .filter((one) => MAIN_METRICS.includes(one.metric) && outcomeOf(one) === outcome)
          .map(
            (one) => `${metricLabel(one.metric)} ${changeText(one)}${runs.length > 1 ? ` (${label})` : ''}`,
          ),
      )
      .join(', ') || 'nothing';
  return (
    <p class="sentence">
      Worse: {changesOf('worse')}. Better: {changesOf('better')}.
    </p>
  );
}

function sectionOf(label: string): string {
  return `run-${label}`;
}

/** The newest run has solid lines, as in reports. */
function chartsOf(runs: readonly ChartedRun[]): readonly Chart[] {
  const [newest, ...others] = runs
    .map(({ label, record }) => ({ name: label, record, loadSeconds: null }))
    .reverse();
  return newest === undefined ? [] : runCharts('compared', newest, others.reverse());
}

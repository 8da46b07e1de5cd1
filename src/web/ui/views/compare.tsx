/** Two to five runs beside each other: each figure with its change since the earliest, and all of them in the same charts. */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { ResultRecord as Wire } from '../../../contract/generated/result-record.ts';
import type { ComparedRun, RunComparison } from '../../../contract/generated/run-comparison.ts';
import type { Json } from '../../../core/canonical.ts';
import { areComparable, MAX_COMPARED_RUNS, parseRunName } from '../../../core/compare/run-names.ts';
import { metricText } from '../../../core/metric-text.ts';
import type { ResultRecord } from '../../../core/report/record.ts';
import type { RecordedRun } from '../../../core/report/run-document.ts';
import { changeText } from '../../../core/report/compared-metric-rows.ts';
import { ChartFigure } from '../../chart-figure.tsx';
import type { Chart } from '../../chart.ts';
import { runCharts } from '../../run-charts.ts';
import { PercentilesTable, SecondsTable } from '../../run-section.tsx';
import { Table } from '../../table.tsx';
import { Verdict } from '../../verdict.tsx';
import { useCharts } from '../use-charts.ts';
import { LazyTable } from '../collapsible-table.tsx';
import { useUi } from '../ui-context.ts';
import { usePolling } from '../use-polled.ts';
import { linkTo, type Route } from '../routes.ts';
import { Time } from '../time.tsx';
import type { View } from '../view.ts';

export const compare: View = {
  path: 'compare',
  parameters: (parts) => parts >= 2,
  name: 'Compare',
  inNavigation: false,
  Content: CompareView,
};

/** What the service says of a run, with its record, which is drawn. */
interface ChartedRun extends ComparedRun {
  readonly record: ResultRecord;
}

function CompareView({ rest }: { readonly rest: Route }) {
  if (rest.some((name) => parseRunName(name) === null))
    return <p>This address does not name runs. Open a run and choose “Compare with…”.</p>;
  if (!areComparable(rest))
    return (
      <p>
        From two to {MAX_COMPARED_RUNS} different runs can be compared. Open a run and choose “Compare with…”.
      </p>
    );
  return <ComparisonLoader names={rest} />;
}

/** Asks until all of it is there: what has ended does not change. */
function ComparisonLoader({ names }: { readonly names: readonly string[] }) {
  const { api } = useUi();
  const [loaded, setLoaded] = useState<readonly ChartedRun[] | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const isDone = useRef(false);
  usePolling(async () => {
    if (isDone.current) return;
    const query = names.map((name) => `run=${encodeURIComponent(name)}`).join('&');
    const told = await api.get<RunComparison>(`/v2/comparison?${query}`);
    const refuse = (reasons: readonly string[]): void => {
      isDone.current = true;
      setRefused(`The service does not compare these: ${reasons.join('; ')}. Runs are kept for a time only.`);
    };
    if (told.kind === 'refused') refuse(told.reasons);
    if (told.kind !== 'given') return;
    const records = await Promise.all(
      told.body.runs.map(({ test_id: test, result_id: result }) =>
        api.get<Wire>(`/v2/tests/${encodeURIComponent(test)}/results/${encodeURIComponent(result)}`),
      ),
    );
    const lost = records.find((one) => one.kind === 'refused');
    if (lost !== undefined) refuse(lost.reasons);
    const whole = told.body.runs.flatMap((run, index) => {
      const record = records[index];
      // The body is a JSON document.
      return record?.kind === 'given'
        ? [{ ...run, record: record.body as Readonly<Record<string, Json>> }]
        : [];
    });
    if (whole.length < names.length) return;
    isDone.current = true;
    setLoaded(whole);
  }, [names.length]);
  if (refused !== null) return <p>{refused}</p>;
  return loaded === null ? <p class="about">Loading…</p> : <ComparisonResult beside={loaded} />;
}

function ComparisonResult({ beside }: { readonly beside: readonly ChartedRun[] }) {
  const [anyway, setAnyway] = useState(false);
  const hindered = beside.some(({ obstacles }) => obstacles.length > 0);
  return (
    <>
      <section>
        <h2>The runs</h2>
        <Table
          name="The runs"
          columns={[{ heading: 'run' }, { heading: 'test' }, { heading: 'verdict' }, { heading: 'started' }]}
          rows={beside.map(({ label, test_id: test, result_id: result, title, ...run }) => {
            // The service tells it as reports do.
            const told = run.report as unknown as RecordedRun;
            return [
              label,
              <a class="name" href={linkTo('runs', test, result)}>
                {title}
              </a>,
              <Verdict verdict={told.state === 'running' ? 'running' : told.verdict} />,
              <StartedAt at={told.started_at} />,
            ];
          })}
        />
        <ComparisonNotes beside={beside} />
        {hindered && !anyway ? (
          <p class="actions">
            <button
              type="button"
              onClick={() => {
                setAnyway(true);
              }}
            >
              Show the figures anyway
            </button>
          </p>
        ) : null}
      </section>
      {hindered && !anyway ? null : <SideBySide beside={beside} />}
    </>
  );
}

function StartedAt({ at: text }: { readonly at: string | null }): ComponentChildren {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? 'unknown' : <Time at={at} />;
}

/** Why they may not be compared, and what to know of those that may. */
function ComparisonNotes({ beside }: { readonly beside: readonly ChartedRun[] }) {
  const [first] = beside;
  const against = beside.filter(({ obstacles }) => obstacles.length > 0);
  const noted = beside.filter(({ obstacles, warnings }) => obstacles.length === 0 && warnings.length > 0);
  return (
    <>
      {against.length === 0 ? null : (
        <div class="problems">
          <h3>Why they may not be compared</h3>
          <ul>
            {against.map(({ label, obstacles }) => (
              <li class="error">
                {label} with {first?.label}: {obstacles.join('; ')}
              </li>
            ))}
          </ul>
        </div>
      )}
      {noted.map(({ label, warnings }) => (
        <p class="note">
          {label}: {warnings.join('; ')}
        </p>
      ))}
    </>
  );
}

function SideBySide({ beside }: { readonly beside: readonly ChartedRun[] }) {
  const charts = useMemo(() => chartsOf(beside), [beside]);
  useCharts(charts);
  const [first, ...others] = beside;
  const metrics = [...new Set(others.flatMap((run) => run.metrics.map(({ metric }) => metric)))];
  const figure = (metric: string, run: ChartedRun) =>
    run.metrics.find((one) => one.metric === metric) ?? null;
  const text = (metric: string, value: number | null | undefined) =>
    value == null ? '–' : metricText(metric, value);
  return (
    <>
      <section id="compared">
        <h2>Changes since {first?.label}</h2>
        <div class="changes">
          <Table
            name="Changes"
            columns={[
              { heading: 'figure' },
              { heading: first?.label ?? '', numeric: true },
              ...others.flatMap(({ label }) => [
                { heading: label, numeric: true as const },
                { heading: 'change', numeric: true as const },
              ]),
            ]}
            rows={metrics.map((metric) => [
              metric,
              text(metric, others.map((run) => figure(metric, run)).find((one) => one !== null)?.before),
              ...others.flatMap((run) => {
                const found = figure(metric, run);
                return [text(metric, found?.after), changeText(found?.change ?? null)];
              }),
            ])}
          />
        </div>
        <div class="charts">
          {charts.map((chart) => (
            <ChartFigure key={chart.id} chart={chart} runs={beside.map(({ label }) => sectionOf(label))} />
          ))}
        </div>
        {beside.map(({ label, record }) => {
          const tables = { record, of: label, TableComponent: LazyTable };
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

function sectionOf(label: string): string {
  return `run-${label}`;
}

/** The newest one drawn through, as reports do it. */
function chartsOf(beside: readonly ChartedRun[]): readonly Chart[] {
  const [newest, ...others] = beside
    .map(({ label, record }) => ({ name: label, record, loaded: null }))
    .reverse();
  return newest === undefined ? [] : runCharts('compared', newest, others.reverse());
}

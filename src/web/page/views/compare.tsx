/** Two to five runs beside each other: each figure with its change since the earliest, and all of them in the same charts. */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { ResultRecord } from '../../../contract/generated/result-record.ts';
import type { TestRecord } from '../../../contract/generated/test-record.ts';
import { figureText } from '../../../core/figure-text.ts';
import type { Figure } from '../../../core/model/threshold.ts';
import { changeText } from '../../../core/report/side-by-side-rows.ts';
import { ChartFigure } from '../../chart-figure.tsx';
import type { Chart } from '../../chart.ts';
import { runCharts } from '../../run-charts.ts';
import { PercentilesTable, SecondsTable } from '../../run-section.tsx';
import { Table } from '../../table.tsx';
import { Verdict } from '../../verdict.tsx';
import {
  besideEachOther,
  MOST_COMPARED,
  readRunName,
  type NamedRun,
  type RunBeside,
  type RunToCompare,
} from '../compared-runs.ts';
import { useDrawnCharts } from '../drawn-charts.ts';
import { Folded } from '../folded.tsx';
import { usePage } from '../page.ts';
import { usePolling } from '../polled.ts';
import { linkTo, type Place } from '../routes.ts';
import { toldRun } from '../run-record.ts';
import { testTitle } from '../test-title.ts';
import { Time } from '../time.tsx';
import type { View } from '../view.ts';

export const compare: View = {
  at: 'compare',
  takes: (parts) => parts >= 2,
  name: 'Compare',
  inNavigation: false,
  Content: CompareView,
};

function CompareView({ rest }: { readonly rest: Place }) {
  const named = rest.map(readRunName);
  const runs = named.filter((run) => run !== null);
  const distinct = new Set(rest).size;
  if (runs.length < named.length)
    return <p>This address does not name runs. Open a run and choose “Compare with…”.</p>;
  if (distinct < 2 || distinct > MOST_COMPARED || distinct < rest.length)
    return (
      <p>
        From two to {MOST_COMPARED} different runs can be compared. Open a run and choose “Compare with…”.
      </p>
    );
  return <Loaded runs={runs} />;
}

/** Asks for each until it is there: what has ended does not change. */
function Loaded({ runs }: { readonly runs: readonly NamedRun[] }) {
  const { api } = usePage();
  const [loaded, setLoaded] = useState<readonly RunToCompare[] | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const isDone = useRef(false);
  usePolling(async () => {
    if (isDone.current) return;
    const answers = await Promise.all(
      runs.map(async ({ test, result }) => {
        const path = `/v2/tests/${encodeURIComponent(test)}`;
        return {
          ...{ test, result, of: await api.get<TestRecord>(path) },
          record: await api.get<ResultRecord>(`${path}/results/${encodeURIComponent(result)}`),
        };
      }),
    );
    const lost = answers.find(({ of, record }) => of.kind === 'refused' || record.kind === 'refused');
    if (lost !== undefined) {
      isDone.current = true;
      setRefused(`The service has no run ${lost.result}. It may be older than what is kept.`);
      return;
    }
    const whole = answers.flatMap(({ test, result, of, record }) =>
      of.kind === 'given' && record.kind === 'given'
        ? [{ test, result, of: of.body, record: record.body }]
        : [],
    );
    if (whole.length < runs.length) return;
    isDone.current = true;
    setLoaded(whole);
  }, [runs.length]);
  if (refused !== null) return <p>{refused}</p>;
  return loaded === null ? <p class="about">Loading…</p> : <Compared runs={loaded} />;
}

function Compared({ runs }: { readonly runs: readonly RunToCompare[] }) {
  const beside = useMemo(() => besideEachOther(runs), [runs]);
  const [anyway, setAnyway] = useState(false);
  const hindered = beside.some(({ hindrances }) => hindrances.length > 0);
  return (
    <>
      <section>
        <h2>The runs</h2>
        <Table
          name="The runs"
          columns={[{ head: 'run' }, { head: 'test' }, { head: 'started' }, { head: 'verdict' }]}
          rows={beside.map(({ letter, run }) => {
            const told = toldRun(run.record);
            return [
              letter,
              <a href={linkTo('runs', run.test, run.result)}>{testTitle(run.of)}</a>,
              <Started record={run.record} />,
              <Verdict verdict={told.state === 'running' ? 'running' : told.verdict} />,
            ];
          })}
        />
        <Reasons beside={beside} />
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

function Started({ record }: { readonly record: ResultRecord }): ComponentChildren {
  const at = Date.parse(record.started_at ?? '');
  return Number.isNaN(at) ? 'unknown' : <Time at={at} />;
}

/** Why they may not be compared, and what to know of those that may. */
function Reasons({ beside }: { readonly beside: readonly RunBeside[] }) {
  const [first] = beside;
  const against = beside.filter(({ hindrances }) => hindrances.length > 0);
  const noted = beside.filter(({ hindrances, cautions }) => hindrances.length === 0 && cautions.length > 0);
  return (
    <>
      {against.length === 0 ? null : (
        <div class="problems">
          <h3>Why they may not be compared</h3>
          <ul>
            {against.map(({ letter, hindrances }) => (
              <li class="error">
                {letter} with {first?.letter}: {hindrances.join('; ')}
              </li>
            ))}
          </ul>
        </div>
      )}
      {noted.map(({ letter, cautions }) => (
        <p class="note">
          {letter}: {cautions.join('; ')}
        </p>
      ))}
    </>
  );
}

function SideBySide({ beside }: { readonly beside: readonly RunBeside[] }) {
  const charts = useMemo(() => chartsOf(beside), [beside]);
  useDrawnCharts(charts);
  const [first, ...others] = beside;
  const metrics = [...new Set(others.flatMap(({ figures }) => figures.map(({ metric }) => metric)))];
  const figure = (metric: Figure, { figures }: RunBeside) =>
    figures.find((one) => one.metric === metric) ?? null;
  const text = (metric: Figure, value: number | null | undefined) =>
    value == null ? '–' : figureText(metric, value);
  return (
    <>
      <section id="compared">
        <h2>Changes since {first?.letter}</h2>
        <div class="changes">
          <Table
            name="Changes"
            columns={[
              { head: 'figure' },
              { head: first?.letter ?? '', numeric: true },
              ...others.flatMap(({ letter }) => [
                { head: letter, numeric: true as const },
                { head: 'change', numeric: true as const },
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
            <ChartFigure key={chart.id} chart={chart} runs={beside.map(({ letter }) => sectionOf(letter))} />
          ))}
        </div>
        {beside.map(({ letter, run }) => {
          const { result: record } = toldRun(run.record);
          const tables = { record, of: letter, Fold: Folded };
          return (
            <>
              <SecondsTable id={`${sectionOf(letter)}-seconds`} {...tables} />
              <PercentilesTable id={`${sectionOf(letter)}-percentiles`} {...tables} />
            </>
          );
        })}
      </section>
    </>
  );
}

function sectionOf(letter: string): string {
  return `run-${letter}`;
}

/** The newest one drawn through, as reports do it. */
function chartsOf(beside: readonly RunBeside[]): readonly Chart[] {
  const [newest, ...others] = beside
    .map(({ letter, run }) => ({ name: letter, record: toldRun(run.record).result, loaded: null }))
    .reverse();
  return newest === undefined ? [] : runCharts('compared', newest, others.reverse());
}

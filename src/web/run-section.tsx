/** What a run was: verdict and limits first, then its figures, charts and tables. */
import type { Json } from '../core/canonical.ts';
import { counted, withCommas } from '../core/counted.ts';
import { figureText, intervalText } from '../core/figure-text.ts';
import { generatorRows } from '../core/report/generator-text.ts';
import type { Metrics, EvaluatedThreshold, PastRun, Run } from '../core/report/generated/documents.ts';
import { decodeKept } from '../core/report/histogram-document.ts';
import { ledgerTold, type LedgerLine } from '../core/report/ledger-text.ts';
import { againstText, limitText } from '../core/report/limit-text.ts';
import { namedPercentiles } from '../core/report/percentile-curve.ts';
import { numberOf, objectOf, textOf, type ResultRecord } from '../core/report/record.ts';
import { boundText, detailLines, URL_COLUMNS, urlRows } from '../core/report/result-text.ts';
import { clockText, timelineOf } from '../core/report/timeline.ts';
import { formatBytes } from '../core/units.ts';
import type { ComponentChildren } from 'preact';
import { Apart } from './apart.tsx';
import { ChartFigure, tableId } from './chart-figure.tsx';
import { timeOf, type ShownRun } from './shown-run.ts';
import { Table } from './table.tsx';
import { Verdict } from './verdict.tsx';

/** A table that is shown where it is asked for. */
export interface FoldedTable {
  readonly id: string;
  readonly name: string;
  readonly isLong: boolean;
  /** Makes it: nobody may ever ask. */
  readonly content: () => ComponentChildren;
}

/** Whole, so that it is there without a script. */
function Folded({ id, name, isLong, content }: FoldedTable) {
  return (
    <details id={id} class={isLong ? 'long' : undefined}>
      <summary>{name}</summary>
      {content()}
    </details>
  );
}

interface RunSectionParts {
  readonly shown: ShownRun;
  /** In place of its name. */
  readonly heading?: ComponentChildren;
  /** Before its figures. */
  readonly lead?: ComponentChildren;
  /** How a folded table is shown. */
  readonly Fold?: (table: FoldedTable) => ComponentChildren;
}

export function RunSection({ shown, heading, lead, Fold = Folded }: RunSectionParts) {
  const { id, name, run, about, charts, history } = shown;
  const { result: record } = run;
  const names = run.url_names ?? [];
  return (
    <section id={id} class="run">
      <h2>
        {heading ?? name} <Verdict verdict={run.state === 'running' ? 'running' : run.verdict} />
      </h2>
      {run.reason === null ? null : <p class="reason">{run.reason}</p>}
      {about.length === 0 ? null : (
        <p class="about">
          <Apart texts={about} />
        </p>
      )}
      {lead}
      <Limits limits={run.thresholds} record={record} />
      <Tiles figures={run.metrics} record={record} isRunning={run.state === 'running'} />
      <Notes lines={run.metrics === null ? [] : detailLines(record)} />
      {charts.length === 0 ? null : (
        <div class="charts">
          {charts.map((chart) => (
            <ChartFigure key={chart.id} chart={chart} runs={[id]} />
          ))}
        </div>
      )}
      <SecondsTable id={tableId(id, 'seconds')} record={record} Fold={Fold} />
      <PercentilesTable id={tableId(id, 'nines')} record={record} Fold={Fold} />
      <UrlTable id={`${id}-urls`} names={names} record={record} Fold={Fold} />
      <Samples record={record} />
      {run.state === 'running' ? null : (
        <div class="columns">
          <LedgerWords record={record} />
          <Generator record={record} />
        </div>
      )}
      <History runs={history} />
    </section>
  );
}

function Limits({
  limits,
  record,
}: {
  readonly limits: readonly EvaluatedThreshold[];
  readonly record: ResultRecord;
}) {
  if (limits.length === 0) return null;
  const ranges = limits.map(rangeText);
  const compared = limits.some(({ regression }) => regression !== undefined);
  const ranged = ranges.some((range) => range !== null);
  const columns = [{ head: 'limit' }, { head: 'verdict' }, { head: 'measured', numeric: true as const }];
  return (
    <div class="limits">
      <Table
        name="Limits"
        columns={ranged ? [...columns, { head: compared ? 'range, change' : 'range' }] : columns}
        rows={limits.map((limit, index) => [
          limitText(limit),
          <Verdict verdict={limit.verdict} />,
          limit.value === null ? 'unknown' : boundText(limit.metric, limit.value, record),
          ...(ranged ? [ranges[index] ?? ''] : []),
        ])}
      />
      {ranged ? (
        <p class="note">
          Range: between these values the figure lies, whatever the load generator’s own delays did to it.
        </p>
      ) : null}
    </div>
  );
}

/** Why there is no verdict, the change since the baseline, or between which values it lies; null where it is exact. */
function rangeText({ metric, bounds, reason, regression }: EvaluatedThreshold): string | null {
  if (reason !== undefined) return reason;
  if (regression !== undefined) return againstText(metric, regression);
  if (bounds === undefined) return null;
  const { low, high } = bounds;
  return high === null || high === low ? null : intervalText(metric, { low, high });
}

function Tiles({
  figures,
  record,
  isRunning,
}: {
  readonly figures: Metrics | null;
  readonly record: ResultRecord;
  readonly isRunning: boolean;
}) {
  if (figures === null) return <p class="about">There are no figures: the result is not ready.</p>;
  const failed = (figures.error ?? 0) + (figures.timeout_error ?? 0) + (figures.network_error ?? 0);
  // Requests that were missed count as failed, though nobody made them.
  const missed = numberOf(objectOf(record?.['outage'])['missed']) ?? 0;
  const tiles: [name: string, value: string, note: string][] = [];
  if (figures.requests !== undefined) tiles.push(['requests', withCommas(figures.requests), '']);
  if (figures.requests !== undefined && figures.requests > 0)
    tiles.push([
      'failed',
      withCommas(failed),
      figures.error_rate === undefined
        ? ''
        : `${figureText('error_rate', figures.error_rate)}${missed > 0 ? `, with ${withCommas(missed)} missed` : ''}`,
    ]);
  if (figures.requests_per_second !== undefined)
    tiles.push(['per second', figureText('requests_per_second', figures.requests_per_second), '']);
  for (const metric of ['p50', 'p95', 'p99', 'max'] as const) {
    const value = figures[metric];
    if (value === undefined) continue;
    const [text = '', note = ''] = boundText(metric, value, record).split(/ (?=\()/);
    tiles.push([metric, text, note.replace(/^\((.*)\)$/, '$1')]);
  }
  if (figures.p95 === undefined && figures.avg_response_time !== undefined)
    tiles.push(['average', figureText('avg_response_time', figures.avg_response_time), '']);
  if (figures.data_received !== undefined) tiles.push(['received', formatBytes(figures.data_received), '']);
  if (tiles.length === 0)
    return (
      <p class="about">{isRunning ? 'Nothing was measured yet.' : 'Nothing is known of its requests.'}</p>
    );
  return (
    <dl class="tiles">
      {tiles.map(([name, value, note]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            {value}
            {note === '' ? null : <span class="note">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Notes({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <ul class="notes">
      {lines.map((line) => (
        <li>{line}</li>
      ))}
    </ul>
  );
}

const SECONDS_COLUMNS = [
  { head: 'time' },
  ...['offered', 'completed', 'failed', 'connections', 'p50', 'p95', 'p99'].map((head) => ({
    head,
    numeric: true as const,
  })),
];

interface Foldable {
  readonly id: string;
  /** Which run it is of, where there are several. */
  readonly of?: string;
  readonly record: ResultRecord;
  readonly Fold: (table: FoldedTable) => ComponentChildren;
}

/** The same as the charts, entry by entry: counts are whole, as the record has them. */
export function SecondsTable({ id, of, record, Fold }: Foldable) {
  const entries = timelineOf(record);
  if (entries.length === 0) return null;
  const warmup = numberOf(objectOf(record?.['warmup'])['seconds']) ?? 0;
  const span = Math.max(...entries.map((entry) => entry.span));
  const name = nameFor(of, span === 1 ? 'Second by second' : `Every ${span} seconds`);
  const time = (value: number | null) => (value === null ? '–' : figureText('p99', value));
  return (
    <Fold
      {...{ id, name }}
      isLong={entries.length > 60}
      content={() => (
        <Table
          name={name}
          columns={SECONDS_COLUMNS}
          rows={entries.map(({ second, offered, completed, failed, connections, p50, p95, p99 }) => [
            second < warmup ? `${clockText(second)} warm-up` : clockText(second),
            ...[offered, completed, failed].map(withCommas),
            connections === null ? '–' : withCommas(connections),
            ...[p50, p95, p99].map(time),
          ])}
        />
      )}
    />
  );
}

export function PercentilesTable({ id, of, record, Fold }: Foldable) {
  const times = decodeKept(record?.['latency_histogram']);
  if (times === null) return null;
  const name = nameFor(of, 'Percentiles');
  return (
    <Fold
      {...{ id, name, isLong: false }}
      content={() => (
        <Table
          name={name}
          columns={[{ head: 'percentile' }, { head: 'response time', numeric: true }]}
          rows={namedPercentiles(times).map(([name, time]) => [name, boundText(name, time, record)])}
        />
      )}
    />
  );
}

/** `B: Percentiles` */
function nameFor(run: string | undefined, what: string): string {
  return run === undefined ? what : `${run}: ${what}`;
}

/** More of them would lie between the reader and what comes after. */
const MOST_URLS = 100;

function UrlTable({ id, record, names, Fold }: Foldable & { readonly names: readonly (string | null)[] }) {
  const rows = urlRows(record, names);
  if (rows.length === 0) return null;
  const columns = URL_COLUMNS.map((head, index) =>
    index === 0 ? { head } : { head, numeric: true as const },
  );
  const content = () => <Table name="URLs" columns={columns} rows={rows} />;
  if (rows.length > MOST_URLS)
    return <Fold {...{ id, name: `${withCommas(rows.length)} URLs`, isLong: false, content }} />;
  return (
    <>
      <h3>URLs</h3>
      {content()}
    </>
  );
}

function Samples({ record }: { readonly record: ResultRecord }) {
  const samples = record?.['error_samples'];
  const rows = (Array.isArray(samples) ? samples : []).map((one: Json) => {
    const sample = objectOf(one);
    return [textOf(sample['error']), withCommas(numberOf(sample['count']) ?? 0), textOf(sample['url'])];
  });
  if (rows.length === 0) return null;
  return (
    <>
      <h3>Failures</h3>
      <Table
        name="Failures"
        columns={[{ head: 'what went wrong' }, { head: 'requests', numeric: true }, { head: 'URL' }]}
        rows={rows}
      />
    </>
  );
}

function LedgerWords({ record }: { readonly record: ResultRecord }) {
  const ledger = ledgerTold(record);
  if (ledger === null) return null;
  const { planned, started, outcomes, reasons, closes } = ledger;
  return (
    <div>
      <h3>What became of each request</h3>
      <ul class="ledger">
        <LedgerItem count={planned} text="planned" parts={[]} />
        <LedgerItem count={started} text="started" parts={outcomes} />
        <LedgerItem count={planned - started} text="not started" parts={reasons} />
      </ul>
      {closes ? (
        <p class="note">The sums close: {counted(planned, 'request')}, each in exactly one line.</p>
      ) : null}
    </div>
  );
}

function LedgerItem({
  count,
  text,
  parts,
}: LedgerLine & {
  readonly parts: readonly LedgerLine[];
}) {
  return (
    <li>
      <b>{withCommas(count)}</b> {text}
      {parts.length === 0 ? null : (
        <ul>
          {parts.map((part) => (
            <li>
              <b>{withCommas(part.count)}</b> {part.text}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Generator({ record }: { readonly record: ResultRecord }) {
  const rows = generatorRows(record);
  if (rows.length === 0) return null;
  return (
    <div>
      <h3>Load generator and machine</h3>
      <dl class="facts">
        {rows.map(([what, text]) => (
          <div>
            <dt>{what}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function History({ runs }: { readonly runs: readonly (Run | PastRun)[] }) {
  if (runs.length === 0) return null;
  return (
    <>
      <h3>Runs of this test</h3>
      <Table
        name="Runs of this test"
        columns={[
          { head: 'started' },
          { head: 'verdict' },
          { head: 'requests', numeric: true },
          { head: 'p95', numeric: true },
          { head: 'result' },
        ]}
        rows={runs.map((run) => [
          timeOf(run)[0] ?? 'unknown',
          <Verdict verdict={run.state === 'running' ? 'running' : run.verdict} />,
          run.metrics?.requests === undefined ? '–' : withCommas(run.metrics.requests),
          run.metrics?.p95 === undefined ? '–' : boundText('p95', run.metrics.p95, run.result),
          run.result_id ?? '–',
        ])}
      />
    </>
  );
}

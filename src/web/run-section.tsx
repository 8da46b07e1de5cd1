/** Section of a run: verdict and thresholds, followed by metrics, charts and tables. */
import { ADVICE, doubtCause } from '../core/compare/verdict-advice.ts';
import { counted, countText, withCommas } from '../core/counted.ts';
import { MAX_TIMELINE_URLS } from '../core/load/run-report.ts';
import { metricText, intervalText } from '../core/model/metric-text.ts';
import { generatorRows } from '../core/report/generator-text.ts';
import type { Metrics, EvaluatedThreshold } from '../core/report/generated/documents.ts';
import { describeLedger, type LedgerLine } from '../core/report/ledger-text.ts';
import {
  baselineComparisonText,
  isLowerBound,
  measuredText,
  thresholdGroups,
  thresholdLabels,
  thresholdText,
  type ReasonedRun,
} from '../core/report/threshold-text.ts';
import { rateLimitText, rateText } from '../core/report/result-text.ts';
import { verdictNote, verdictSentence } from '../core/report/verdict-sentence.ts';
import { namedPercentiles } from '../core/report/percentile-curve.ts';
import type { ReportedRun } from '../core/report/reported-tests.ts';
import {
  boundText,
  detailLines,
  FLOW_COLUMNS,
  flowRows,
  GROUP_COLUMNS,
  groupRows,
  isUpperBound,
  type UrlRow,
  URL_COLUMNS,
  urlRows,
} from '../core/report/result-text.ts';
import { clockText, timelineOf } from '../core/report/timeline.ts';
import { hasMinimumCounts, type RunRecord } from '../core/run-record/run-record.ts';
import { formatBytes } from '../core/units.ts';
import type { ComponentChildren } from 'preact';
import { BidiIsolate } from './bidi-isolate.tsx';
import { ChartFigure, tableId } from './chart-figure.tsx';
import { timeOf, type ShownRun } from './shown-run.ts';
import { numberColumns, Table, textColumns, type SortValue, type TableContent } from './table.tsx';
import { metricTextOrDash } from './value-text.ts';
import { Verdict } from './verdict.tsx';

export interface CollapsibleTable {
  readonly id: string;
  readonly name: string;
  readonly isLong: boolean;
  readonly content: () => ComponentChildren;
}

/** Collapsible table whose content is always in the document, so that it works without a script. */
function StaticTable({ id, name, isLong, content }: CollapsibleTable) {
  return (
    <details id={id} class={isLong ? 'long' : undefined}>
      <summary>{name}</summary>
      {content()}
    </details>
  );
}

interface RunSectionProps {
  readonly shown: ShownRun;
  /** Heading that replaces the name of the run. */
  readonly heading?: ComponentChildren;
  readonly lead?: ComponentChildren;
  readonly axis?: ComponentChildren;
  readonly TableComponent?: (table: CollapsibleTable) => ComponentChildren;
  readonly SortableTable?: (table: TableContent) => ComponentChildren;
  /** Selection of a URL for the charts. Default: the whole run. */
  readonly choice?: UrlChoice;
}

const STATIC_CHOICE: UrlChoice = { url: null };

export interface UrlChoice {
  /** Label of the chosen URL; null for the whole run. */
  readonly url: string | null;
  /** Called when the user chooses a URL. Absent in the HTML report, in which a script changes the charts. */
  readonly choose?: (url: string | null) => void;
}

export function RunSection({
  shown,
  heading,
  lead,
  axis,
  TableComponent = StaticTable,
  SortableTable = Table,
  choice = STATIC_CHOICE,
}: RunSectionProps) {
  const { id, name, run, record, about, charts, history } = shown;
  const names = run.url_names ?? [];
  return (
    <section id={id} class="run">
      <h2>
        {heading ?? name} <Verdict verdict={run.state === 'running' ? 'running' : run.verdict} />
      </h2>
      {run.state === 'running' ? null : <Sentence run={{ ...run, record }} />}
      {about.length === 0 ? null : (
        <p class="about">
          <BidiIsolate texts={about} />
        </p>
      )}
      {lead}
      <Thresholds id={id} run={{ ...run, record }} />
      <MetricTiles metrics={run.metrics} record={record} isRunning={run.state === 'running'} />
      <Notes lines={run.metrics === null ? [] : detailLines(record)} />
      {choice.url === null && choice.choose !== undefined ? null : (
        <p class="chosen" hidden={choice.url === null}>
          The charts show only <b>{choice.url}</b>.{' '}
          <button type="button" onClick={choice.choose?.bind(null, null)}>
            Show all URLs
          </button>
        </p>
      )}
      {charts.length === 0 ? null : (
        <>
          {axis}
          <div class="charts">
            {charts.map((chart) => (
              <ChartFigure key={chart.id} chart={chart} runs={[id]} />
            ))}
          </div>
        </>
      )}
      <SecondsTable id={tableId(id, 'seconds')} record={record} TableComponent={TableComponent} />
      <PercentilesTable id={tableId(id, 'nines')} record={record} TableComponent={TableComponent} />
      <PartTable name="Flows" headings={FLOW_COLUMNS} rows={flowRows(record)} />
      <PartTable name="Groups of URLs" headings={GROUP_COLUMNS} rows={groupRows(record, run.url_groups)} />
      <UrlTable
        id={`${id}-urls`}
        names={names}
        thresholds={run.thresholds}
        record={record}
        TableComponent={TableComponent}
        SortableTable={SortableTable}
        choice={choice}
      />
      <ErrorSamples record={record} />
      {run.state === 'running' ? null : (
        <div class="columns">
          <LedgerText record={record} />
          <Generator record={record} />
        </div>
      )}
      <History runs={history} />
    </section>
  );
}

function Sentence({ run }: { readonly run: ReasonedRun }) {
  const notes = [verdictNote(run), rateLimitText(run.record)].filter((note) => note !== null);
  return (
    <>
      <p class={`sentence ${run.verdict}`}>{verdictSentence(run)}</p>
      {notes.map((note) => (
        <p class="reason note">{note}</p>
      ))}
    </>
  );
}

/** Maximum number of expanded rows per verdict, and of passed thresholds below failed or inconclusive ones. */
const MAX_OPEN_THRESHOLDS = 10;
const MAX_OPEN_MET_THRESHOLDS = 3;

function Thresholds({ id, run }: { readonly id: string; readonly run: ReasonedRun }) {
  const groups = thresholdGroups(run.thresholds);
  if (groups.length === 0) return null;
  const open: EvaluatedThreshold[] = [];
  const folded: { readonly name: string; readonly thresholds: readonly EvaluatedThreshold[] }[] = [];
  for (const { verdict, thresholds } of groups) {
    const isLess = verdict === 'pass' && open.length > 0;
    const max = isLess ? MAX_OPEN_MET_THRESHOLDS : MAX_OPEN_THRESHOLDS;
    // Below other thresholds, shows either all passed thresholds or none.
    const shown = isLess && thresholds.length > max ? 0 : max;
    open.push(...thresholds.slice(0, shown));
    const rest = thresholds.slice(shown);
    const more = shown === 0 ? '' : 'more ';
    if (rest.length > 0)
      folded.push({
        name: `${counted(rest.length, `${more}threshold`)} ${OUTCOMES[verdict]}`,
        thresholds: rest,
      });
  }
  return (
    <div class="thresholds">
      <ThresholdTable name="Thresholds" thresholds={open} run={run} />
      {folded.map(({ name, thresholds }) => (
        <StaticTable
          id={`${id}-${name.replaceAll(/\W+/g, '-')}`}
          name={name}
          isLong={false}
          content={() => <ThresholdTable name={name} thresholds={thresholds} run={run} />}
        />
      ))}
    </div>
  );
}

const OUTCOMES = { fail: 'failed', inconclusive: 'inconclusive', pass: 'met' } as const;

function ThresholdTable({
  name,
  thresholds,
  run,
}: {
  readonly name: string;
  readonly thresholds: readonly EvaluatedThreshold[];
  readonly run: ReasonedRun;
}) {
  const explanations = thresholds.map(explanationOf);
  // If a time is only a lower bound, omits its range, because the upper end of the range is unknown.
  const ranges = thresholds.map((one, index) =>
    explanations[index] !== null || isLowerBound(one, run) ? null : rangeText(one),
  );
  const details = thresholds.map((_, index) => explanations[index] ?? ranges[index] ?? '');
  const hasDetails = details.some((text) => text !== '');
  const hasRanges = ranges.some((range) => range !== null);
  const cause = thresholds.some(({ verdict }) => verdict === 'inconclusive')
    ? doubtCause({ reason: run.reason, thresholds })
    : null;
  const columns = [
    ...textColumns('threshold', 'verdict'),
    ...numberColumns('measured'),
    ...(hasDetails ? textColumns('details') : []),
  ];
  return (
    <>
      <Table
        name={name}
        cards
        columns={columns}
        rows={thresholds.map((threshold, index) => [
          thresholdText(threshold),
          <Verdict verdict={threshold.verdict} />,
          measuredText(threshold, run),
          ...(hasDetails ? [details[index]] : []),
        ])}
      />
      {cause === null ? null : <p class="note">For a verdict, {ADVICE[cause]}.</p>}
      {hasRanges ? (
        <p class="note">
          Each range contains the true value after accounting for delays of the load generator.
        </p>
      ) : null}
    </>
  );
}

function explanationOf({ metric, reason, regression }: EvaluatedThreshold): string | null {
  if (reason !== undefined) return reason;
  return regression === undefined ? null : baselineComparisonText(metric, regression);
}

/**
 * Formats the range that contains the true value; null if the range is missing, has no upper end, or is a single value.
 */
function rangeText({ metric, bounds }: EvaluatedThreshold): string | null {
  if (bounds === undefined) return null;
  const { low, high } = bounds;
  return high === null || high === low ? null : intervalText(metric, { low, high });
}

function MetricTiles({
  metrics,
  record,
  isRunning,
}: {
  readonly metrics: Metrics | null;
  readonly record: RunRecord;
  readonly isRunning: boolean;
}) {
  if (metrics === null) return <p class="about">No metrics: no result is available.</p>;
  const { seconds: warmup = null, complete } = record.warmup ?? {};
  if (complete === false)
    return (
      <p class="about">
        {isRunning
          ? `The measurement starts at ${clockText(warmup ?? 0)}.`
          : 'No metrics: the run ended during the warm-up.'}
      </p>
    );
  const failed = failedOf(metrics);
  // The error rate also includes omitted requests, which were never sent.
  const omitted = record.omitted ?? 0;
  const tiles: [name: string, value: string, note: string][] = [];
  const areMinimums = hasMinimumCounts(record);
  if (metrics.requests !== undefined) tiles.push(['requests', countText(metrics.requests, areMinimums), '']);
  if (metrics.requests !== undefined && metrics.requests > 0)
    tiles.push([
      'failed',
      countText(failed, areMinimums),
      metrics.error_rate === undefined
        ? ''
        : `error rate ${metricText('error_rate', metrics.error_rate)}${omitted > 0 ? ` including ${counted(omitted, 'omitted request')}` : ''}`,
    ]);
  if (metrics.requests_per_second !== undefined)
    tiles.push(['requests per second', rateText(metrics.requests_per_second, record), '']);
  for (const metric of ['p50', 'p95', 'p99', 'max'] as const) {
    const value = metrics[metric];
    if (value === undefined) continue;
    const [text = '', note = ''] = boundText(metric, value, record).split(/ (?=\()/);
    tiles.push([
      `${metric} response time`,
      `${isUpperBound(metric, record) ? '≤ ' : ''}${text}`,
      note.replace(/^\((.*)\)$/, '$1'),
    ]);
  }
  if (metrics.p95 === undefined && metrics.avg_response_time !== undefined)
    tiles.push(['average response time', metricText('avg_response_time', metrics.avg_response_time), '']);
  if (metrics.data_received !== undefined) tiles.push(['received', formatBytes(metrics.data_received), '']);
  if (tiles.length === 0)
    return <p class="about">{isRunning ? 'No measurements yet.' : 'The result contains no metrics.'}</p>;
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

function failedOf({ error = 0, timeout_error: timeouts = 0, network_error: network = 0 }: Metrics): number {
  return error + timeouts + network;
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
  ...textColumns('time'),
  ...numberColumns('offered', 'completed', 'failed', 'connections', 'p50', 'p95', 'p99'),
];

interface TableProps {
  readonly id: string;
  /** Name of the run, as part of the name of the table; absent if there is only one run. */
  readonly run?: string;
  readonly record: RunRecord;
  readonly TableComponent: (table: CollapsibleTable) => ComponentChildren;
}

export function SecondsTable({ id, run, record, TableComponent }: TableProps) {
  const entries = timelineOf(record);
  if (entries.length === 0) return null;
  const warmup = record.warmup?.seconds ?? 0;
  const span = Math.max(...entries.map((entry) => entry.span));
  const name = tableName(run, span === 1 ? 'Second by second' : `Every ${span} seconds`);
  return (
    <TableComponent
      id={id}
      name={name}
      isLong={entries.length > 60}
      content={() => (
        <Table
          name={name}
          columns={SECONDS_COLUMNS}
          rows={entries.map(({ second, started, completed, failed, connections, p50, p95, p99 }) => [
            second < warmup ? `${clockText(second)} warm-up` : clockText(second),
            ...[started, completed, failed].map(withCommas),
            countText(connections),
            ...[p50, p95, p99].map((time) => metricTextOrDash('p99', time)),
          ])}
        />
      )}
    />
  );
}

export function PercentilesTable({ id, run, record, TableComponent }: TableProps) {
  const { times } = record;
  if (times === null) return null;
  const name = tableName(run, 'Percentiles');
  return (
    <TableComponent
      id={id}
      name={name}
      isLong={false}
      content={() => (
        <Table
          name={name}
          columns={[...textColumns('percentile'), ...numberColumns('response time')]}
          rows={namedPercentiles(times.measured).map(([name, time]) => [name, boundText(name, time, record)])}
        />
      )}
    />
  );
}

function tableName(run: string | undefined, title: string): string {
  return run === undefined ? title : `${run}: ${title}`;
}

/** Table of flows or groups of URLs, with a heading. Renders nothing if there are no rows. */
function PartTable({
  name,
  headings: [first = '', ...others],
  rows,
}: {
  readonly name: string;
  readonly headings: readonly string[];
  readonly rows: readonly UrlRow[];
}) {
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{name}</h3>
      <Table name={name} columns={[...textColumns(first), ...numberColumns(...others)]} rows={rows} />
    </>
  );
}

const MAX_OPEN_URLS = 100;

function UrlTable({
  id,
  record,
  names,
  thresholds,
  TableComponent,
  SortableTable,
  choice,
}: TableProps & {
  readonly names: readonly (string | null)[];
  readonly thresholds: readonly EvaluatedThreshold[];
  readonly SortableTable: (table: TableContent) => ComponentChildren;
  readonly choice: UrlChoice;
}) {
  const urls = record.urls ?? [];
  const own = thresholdGroups(thresholds.filter(({ url }) => url !== undefined));
  const labels = thresholdLabels(record, names);
  const hasOmitted = urls.some(({ omitted }) => (omitted ?? 0) > 0);
  // Takes the worst verdict, because the groups are in the order fail, inconclusive, pass.
  const verdicts = labels.map(
    (label) => own.find((group) => group.thresholds.some(({ url }) => url === label))?.verdict,
  );
  const sortValues = urls.map(({ url, metrics, omitted }, index): readonly SortValue[] => [
    labels[index] ?? url,
    ...(own.length === 0 ? [] : [verdicts[index] ?? null]),
    metrics.requests ?? null,
    failedOf(metrics),
    metrics.p50 ?? null,
    metrics.p95 ?? null,
    metrics.p99 ?? null,
    metrics.error_rate ?? null,
    ...(hasOmitted ? [omitted ?? 0] : []),
  ]);
  const rows = urlRows(record, names).map(([name, ...values], index) => {
    const { metrics, omitted, timeline } = urls[index] ?? { metrics: {}, omitted: null };
    const [verdict, label = name] = [verdicts[index], labels[index]];
    return [
      timeline === undefined ? (
        name
      ) : (
        <button
          type="button"
          class="link"
          title="Show only this URL in the charts"
          aria-pressed={choice.url === label ? 'true' : 'false'}
          data-url={index}
          onClick={choice.choose?.bind(null, choice.url === label ? null : label)}
        >
          {name}
        </button>
      ),
      ...(own.length === 0 ? [] : [verdict === undefined ? '' : <Verdict verdict={verdict} />]),
      ...values,
      metricTextOrDash('error_rate', metrics.error_rate),
      ...(hasOmitted ? [withCommas(omitted ?? 0)] : []),
    ];
  });
  if (rows.length === 0) return null;
  const [urlColumn, ...valueColumns] = URL_COLUMNS;
  const columns = [
    ...textColumns(urlColumn, ...(own.length === 0 ? [] : ['verdict'])),
    ...numberColumns(...valueColumns, 'error rate', ...(hasOmitted ? ['omitted'] : [])),
  ];
  const content = () => (
    <>
      <SortableTable name="URLs" columns={columns} rows={rows} values={sortValues} />
      {choice.choose !== undefined && rows.length > MAX_TIMELINE_URLS ? (
        <p class="note">
          The charts cannot show a single URL, because the result has more than {MAX_TIMELINE_URLS} URLs.
        </p>
      ) : null}
    </>
  );
  if (rows.length > MAX_OPEN_URLS)
    return (
      <TableComponent id={id} name={`${withCommas(rows.length)} URLs`} isLong={false} content={content} />
    );
  return (
    <>
      <h3>URLs</h3>
      {content()}
    </>
  );
}

function ErrorSamples({ record }: { readonly record: RunRecord }) {
  const rows = (record.errorSamples ?? []).map(({ error, count, url }) => [
    error ?? '',
    withCommas(count ?? 0),
    url ?? '',
  ]);
  if (rows.length === 0) return null;
  return (
    <>
      <h3>Failed requests</h3>
      <Table
        name="Failed requests"
        columns={[...textColumns('error'), ...numberColumns('requests'), ...textColumns('URL')]}
        rows={rows}
      />
    </>
  );
}

function LedgerText({ record }: { readonly record: RunRecord }) {
  const ledger = describeLedger(record);
  if (ledger === null) return null;
  const { planned, started, outcomes, rest, reasons, balanced } = ledger;
  return (
    <div>
      <h3>Request outcomes</h3>
      <ul class="ledger">
        <LedgerItem count={planned} text="planned" lines={[]} />
        <LedgerItem count={started} text="started" lines={outcomes} />
        <LedgerItem count={planned - started} text={rest} lines={reasons} />
      </ul>
      {balanced ? (
        <p class="note">
          {planned === 1 ? 'The planned request is' : `All ${withCommas(planned)} planned requests are`}{' '}
          accounted for.
          {record.delivery?.model === 'closed' && record.omitted ? ' Omitted requests are not included.' : ''}
        </p>
      ) : null}
    </div>
  );
}

function LedgerItem({
  count,
  text,
  lines,
}: LedgerLine & {
  readonly lines: readonly LedgerLine[];
}) {
  return (
    <li>
      <b>{withCommas(count)}</b> {text}
      {lines.length === 0 ? null : (
        <ul>
          {lines.map((line) => (
            <li>
              <b>{withCommas(line.count)}</b> {line.text}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Generator({ record }: { readonly record: RunRecord }) {
  const rows = generatorRows(record);
  if (rows.length === 0) return null;
  return (
    <div>
      <h3>Load generator and machine</h3>
      <dl class="facts">
        {rows.map(([name, text]) => (
          <div>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function History({ runs }: { readonly runs: readonly ReportedRun[] }) {
  if (runs.length === 0) return null;
  return (
    <>
      <h3>Runs of this test</h3>
      <Table
        name="Runs of this test"
        columns={[
          ...textColumns('started', 'verdict'),
          ...numberColumns('requests', 'p95'),
          ...textColumns('result'),
        ]}
        rows={runs.map((run) => [
          timeOf(run)[0] ?? 'unknown',
          <Verdict verdict={run.state === 'running' ? 'running' : run.verdict} />,
          countText(run.metrics?.requests, hasMinimumCounts(run.record)),
          run.metrics?.p95 === undefined ? '–' : boundText('p95', run.metrics.p95, run.record),
          run.result_id ?? '–',
        ])}
      />
    </>
  );
}

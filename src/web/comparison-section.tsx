/** A comparison of a run: a table of changes, and charts with both runs. */
import { comparisonSideText, comparedMetricRows } from '../core/report/compared-metric-rows.ts';
import { ChartFigure } from './chart-figure.tsx';
import { Notes } from './run-section.tsx';
import type { ShownComparison } from './shown-run.ts';
import { numberColumns, Table, textColumns } from './table.tsx';
import { Verdict } from './verdict.tsx';

const COMPARISON_COLUMNS = [...textColumns('metric'), ...numberColumns('before', 'now', 'change')];

export function ComparisonSection({ shown }: { readonly shown: ShownComparison }) {
  const { comparison, runs, charts } = shown;
  const [now] = runs;
  // Comparisons of two single runs have no verdict.
  const thresholds =
    comparison.verdict === null
      ? []
      : (now?.run.thresholds.filter(({ regression }) => regression !== undefined) ?? []);
  const rows = comparedMetricRows(comparison).map((cells) => {
    const threshold = thresholds.find(({ metric }) => metric === cells[0]);
    const verdict = threshold && [<Verdict verdict={threshold.verdict} />, ` (${threshold.limit})`];
    return thresholds.length === 0 ? cells : [...cells, verdict];
  });
  return (
    <section id="compared">
      <h2>Compared with {comparisonSideText(comparison)}</h2>
      <Notes lines={comparison.notes} />
      <div class="changes">
        <Table
          name="Changes"
          cards
          columns={
            thresholds.length === 0 ? COMPARISON_COLUMNS : [...COMPARISON_COLUMNS, ...textColumns('verdict')]
          }
          rows={rows}
        />
      </div>
      {charts.length === 0 ? null : (
        <div class="charts">
          {charts.map((chart) => (
            <ChartFigure key={chart.id} chart={chart} runs={runs.map(({ id }) => id)} />
          ))}
        </div>
      )}
    </section>
  );
}

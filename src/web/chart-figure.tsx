/**
 * The `<figure>` element of a chart, with its title and a reference to the table that contains the values.
 * `plot.ts` draws the chart.
 */
import { isLogarithmic, type Chart } from './chart.ts';

/** Returns the id of the table that contains the values of a run. */
export function tableId(run: string, across: Chart['across']): string {
  return `${run}-${across === 'seconds' ? 'seconds' : 'percentiles'}`;
}

/**
 * A chart with its title and its notes.
 * @param runs - Ids of the runs in the chart.
 */
export function ChartFigure({ chart, runs }: { readonly chart: Chart; readonly runs: readonly string[] }) {
  const title = `${chart.id}-title`;
  const tables = runs.map((run) => tableId(run, chart.across)).join(' ');
  return (
    <figure class="chart" id={chart.id} role="figure" aria-labelledby={title} aria-details={tables}>
      <figcaption id={title}>{chart.title}</figcaption>
      <div class="plot" />
      <p class="note">{notesOn(chart).join(' ')}</p>
    </figure>
  );
}

/** Explains the shading, the lines and the scale of a chart. */
function notesOn(chart: Chart): readonly string[] {
  const { spans, limits, marks } = chart;
  const has = (kind: string) => spans.some((span) => span.kind === kind);
  return [
    ...(isLogarithmic(chart) ? ['Logarithmic scale.'] : []),
    ...(has('warmup') ? ['Gray: warm-up, which thresholds ignore.'] : []),
    ...(has('outage') ? ['Red: no responses.'] : []),
    ...(limits.length > 0 ? [`Dashed: threshold ${limits.map(({ label }) => label).join(', ')}.`] : []),
    ...(marks.length > 0 ? ['Vertical lines: ends of stages.'] : []),
  ];
}

/** The `<figure>` element of a chart, with its title and a reference to the table that contains the values. */
import { chartNote, type Chart } from './chart.ts';

export function tableId(run: string, across: Chart['across']): string {
  return `${run}-${across === 'seconds' ? 'seconds' : 'percentiles'}`;
}

/** @param runs - IDs of the runs in the chart. */
export function ChartFigure({ chart, runs }: { readonly chart: Chart; readonly runs: readonly string[] }) {
  const title = `${chart.id}-title`;
  const tables = runs.map((run) => tableId(run, chart.across)).join(' ');
  return (
    <figure class="chart" id={chart.id} role="figure" aria-labelledby={title} aria-details={tables}>
      <figcaption id={title}>{chart.title}</figcaption>
      <div class="plot" />
      <p class="note">{chartNote(chart)}</p>
    </figure>
  );
}

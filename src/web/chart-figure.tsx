/** The place of a chart, with its name and the way to its table; the drawing comes from `plot.ts`. */
import type { Chart } from './chart.ts';

/** Of the element that has the figures of a run as text. */
export function tableId(run: string, across: Chart['across']): string {
  return `${run}-${across === 'seconds' ? 'seconds' : 'percentiles'}`;
}

/** @param runs ids of those that it shows, whose tables have the same figures */
export function ChartFigure({ chart, runs }: { readonly chart: Chart; readonly runs: readonly string[] }) {
  const title = `${chart.id}-title`;
  const tables = runs.map((run) => tableId(run, chart.across)).join(' ');
  return (
    <figure class="chart" id={chart.id} role="figure" aria-labelledby={title} aria-details={tables}>
      <figcaption id={title}>{chart.title}</figcaption>
      <div class="plot" />
      {chart.spans.length === 0 ? null : <p class="note">Shaded: the warm-up, which no limit looks at.</p>}
    </figure>
  );
}

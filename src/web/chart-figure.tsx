/** The place of a chart, with its name and the way to its table; the drawing comes from `plot.ts`. */
import type { Chart } from './chart.ts';

/** @param table id of the element with the same figures as text */
export function ChartFigure({ chart, table }: { readonly chart: Chart; readonly table: string }) {
  const title = `${chart.id}-title`;
  return (
    <figure class="chart" id={chart.id} role="figure" aria-labelledby={title} aria-details={table}>
      <figcaption id={title}>{chart.title}</figcaption>
      <div class="plot" />
      {chart.spans.length === 0 ? null : <p class="note">Shaded: the warm-up, which no limit looks at.</p>}
    </figure>
  );
}

/** Draws the charts of a view. */
import { useEffect, useRef } from 'preact/hooks';
import type { Chart } from '../chart.ts';
import { PlotCollection } from '../plot-collection.ts';

/** @param charts - The same component must render their `<figure>` elements. */
export function useCharts(charts: readonly Chart[]): void {
  const plots = useRef<PlotCollection | null>(null);
  useEffect(() => {
    plots.current ??= new PlotCollection();
    plots.current.retain(charts);
    for (const chart of charts) plots.current.draw(chart);
  }, [charts]);
  useEffect(
    () => () => {
      plots.current?.close();
      plots.current = null;
    },
    [],
  );
}

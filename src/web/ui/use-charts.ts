/** Draws the charts of a view into the figures that it shows. */
import { useEffect, useRef } from 'preact/hooks';
import type { Chart } from '../chart.ts';
import { PlotCollection } from '../plot-collection.ts';

/** @param charts their figures are shown by the same component */
export function useCharts(charts: readonly Chart[]): void {
  const plots = useRef<PlotCollection | null>(null);
  useEffect(() => {
    plots.current ??= new PlotCollection();
    plots.current.keep(charts);
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

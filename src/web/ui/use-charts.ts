import { useEffect, useRef } from 'preact/hooks';
import type { Chart } from '../chart.ts';
import { PlotCollection } from '../plot-collection.ts';
import type { ZoomRange } from '../plot.ts';
import { readViewState, writeViewState } from './routes.ts';

/** Draws charts in their `<figure>` elements, which the same component must render. */
export function useCharts(charts: readonly Chart[]): void {
  const plots = useRef<PlotCollection | null>(null);
  useEffect(() => {
    plots.current ??= new PlotCollection(zoomInAddress(), (range) =>
      writeViewState({ zoom: range?.map((at) => at.toFixed(1)).join('-') ?? null }),
    );
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

/** Returns the zoom range in the address, such as `3.0-9.5` in seconds; null if the address contains no valid range. */
function zoomInAddress(): ZoomRange | null {
  const [, from, to] = /^(\d+(?:\.\d)?)-(\d+(?:\.\d)?)$/.exec(readViewState().get('zoom') ?? '') ?? [];
  return from === undefined || to === undefined || Number(from) >= Number(to)
    ? null
    : [Number(from), Number(to)];
}

/** Manages the drawings of the charts in a document. Each chart is identified by the id of its `<figure>` element. */
import type { Chart } from './chart.ts';
import { mountPlot, type Plot, type ZoomRange } from './plot.ts';

interface DrawnChart {
  readonly group: string | null;
  readonly figure: HTMLElement;
  /** Names of the lines as JSON. If the names change, a new drawing replaces the old one. */
  readonly lines: string;
  readonly plot: Plot;
}

export class PlotCollection {
  readonly #drawn = new Map<string, DrawnChart>();
  readonly #theme = matchMedia('(prefers-color-scheme: dark)');
  readonly #onThemeChange = (): void => this.redraw();

  /** Initial range of charts that are not drawn yet; null for the whole axis. */
  #first: ZoomRange | null;
  readonly #zooms = new Map<string | null, ZoomRange>();
  readonly #onZoom: (range: ZoomRange | null) => void;

  /**
   * @param zoom - Initial range of the charts over time; null for the whole axis.
   * @param onZoom - Called when the user changes the range.
   */
  constructor(zoom: ZoomRange | null = null, onZoom: (range: ZoomRange | null) => void = () => undefined) {
    this.#first = zoom;
    this.#onZoom = onZoom;
    this.#theme.addEventListener('change', this.#onThemeChange);
  }

  /** Draws a chart or updates its drawing. If its `<figure>` element is not in the document, removes the drawing. */
  draw(chart: Chart): void {
    const figure = document.getElementById(chart.id);
    const drawn = this.#drawn.get(chart.id);
    const lines = JSON.stringify(chart.lines.map(({ name }) => name));
    if (drawn?.figure === figure && drawn.lines === lines) {
      drawn.plot.update(chart);
      return;
    }
    drawn?.plot.close();
    this.#drawn.delete(chart.id);
    if (figure !== null)
      this.#drawn.set(chart.id, { group: chart.group, figure, lines, plot: this.#mount(figure, chart) });
  }

  #mount(figure: HTMLElement, { group, ...chart }: Chart): Plot {
    const zoom = group === null ? null : (this.#zooms.get(group) ?? this.#first);
    return mountPlot(figure, { ...chart, group }, zoom, (range) => {
      this.#first = null;
      if (range === null) this.#zooms.delete(group);
      else this.#zooms.set(group, range);
      // All charts of a group must show the same range.
      for (const drawn of this.#drawn.values()) if (drawn.group === group) drawn.plot.zoom(range);
      this.#onZoom(range);
    });
  }

  retain(charts: readonly Chart[]): void {
    for (const [id, { plot }] of this.#drawn) {
      if (charts.some((chart) => chart.id === id)) continue;
      plot.close();
      this.#drawn.delete(id);
    }
  }

  redraw(width?: number): void {
    for (const { plot } of this.#drawn.values()) plot.redraw(width);
  }

  close(): void {
    this.#theme.removeEventListener('change', this.#onThemeChange);
    this.retain([]);
  }
}

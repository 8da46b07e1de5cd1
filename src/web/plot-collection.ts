/** Collection of the drawn charts in a document, by the ids of their `<figure>` elements. */
import type { Chart } from './chart.ts';
import { mountPlot, type Plot } from './plot.ts';

interface DrawnChart {
  readonly figure: HTMLElement;
  /** Names of the lines. If they change, a new drawing replaces the old one. */
  readonly lines: string;
  readonly plot: Plot;
}

export class PlotCollection {
  readonly #drawn = new Map<string, DrawnChart>();
  readonly #theme = matchMedia('(prefers-color-scheme: dark)');
  readonly #onThemeChange = (): void => {
    this.redraw();
  };

  constructor() {
    this.#theme.addEventListener('change', this.#onThemeChange);
  }

  /** Draws a chart or updates its drawing. Does nothing if its `<figure>` element is not in the document. */
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
    if (figure !== null) this.#drawn.set(chart.id, { figure, lines, plot: mountPlot(figure, chart) });
  }

  /** Removes all charts except the given ones. */
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

/** The charts of a document that are drawn, by the ids of their figures. */
import type { Chart } from './chart.ts';
import { mountPlot, type Plot } from './plot.ts';

interface DrawnChart {
  readonly figure: HTMLElement;
  /** Names of its lines: another set of them is another drawing. */
  readonly lines: string;
  readonly plot: Plot;
}

export class PlotCollection {
  readonly #drawn = new Map<string, DrawnChart>();
  readonly #theme = matchMedia('(prefers-color-scheme: dark)');
  readonly #recolour = (): void => {
    this.redraw();
  };

  constructor() {
    this.#theme.addEventListener('change', this.#recolour);
  }

  /** Draws it where its figure is, or brings what is drawn there up to date; without a figure it does nothing. */
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

  /** Takes all others away. */
  keep(charts: readonly Chart[]): void {
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
    this.#theme.removeEventListener('change', this.#recolour);
    this.keep([]);
  }
}

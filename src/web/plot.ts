/** Draws a chart into its figure, with a legend that hides lines and a cursor that reads values out. */
import uPlot from 'uplot';
import type { Chart, ChartLine } from './chart.ts';
import { positionText, valueText } from './value-text.ts';

/** What is drawn, and can be drawn again. */
export interface Plot {
  /** Shows other values of the same lines: nothing but the drawing changes, and the cursor stays at its place. */
  update(chart: Chart): void;
  /** In the colours of now, as wide as its place is, or so many pixels wide. */
  redraw(width?: number): void;
  /** Takes away all that it has put into the figure. */
  close(): void;
}

const HEIGHT = 220;
/** Seconds between two marks of an axis. */
const TIME_AXIS_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400,
];
/** p50, p90, p99, … */
const PERCENTILE_TICKS = [Math.log10(2), 1, 2, 3, 4, 5, 6, 7, 8, 9];

/** @param figure with a caption and an element of the class `plot` */
export function mountPlot(figure: HTMLElement, first: Chart): Plot {
  const place = figure.querySelector<HTMLElement>('.plot');
  if (place === null) throw new Error('Bug: a figure without a place for its chart');
  let chart = first;
  const hidden = new Set<number>();
  const legend = new Legend(chart, (line, shown) => {
    if (shown) hidden.delete(line);
    else hidden.add(line);
    plot.setSeries(line + 1, { show: shown });
  });
  place.before(legend.element);
  const widthNow = (): number => Math.max(200, Math.floor(place.clientWidth));
  const draw = (): uPlot => {
    const made = new uPlot(optionsOf(chart, widthNow(), told), toPlotData(chart), place);
    for (const line of hidden) made.setSeries(line + 1, { show: false });
    return made;
  };
  let plot = draw();
  const cursor = addKeyboardCursor(place, () => ({ chart, plot }));
  const observer = new ResizeObserver(() => {
    if (plot.width !== widthNow() && !document.documentElement.classList.contains('printing'))
      plot.setSize({ width: widthNow(), height: HEIGHT });
  });
  observer.observe(place);
  return {
    update(next) {
      const scaled = isLogarithmic(next) === isLogarithmic(chart);
      chart = next;
      legend.show(chart);
      if (scaled) {
        plot.setData(toPlotData(chart));
      } else {
        // The kind of a scale is decided when a plot is made.
        plot.destroy();
        plot = draw();
      }
      cursor.keep();
    },
    redraw: (width = widthNow()) => {
      plot.setSize({ width, height: HEIGHT });
      plot.redraw(false);
      legend.recolor();
    },
    close() {
      observer.disconnect();
      plot.destroy();
      legend.element.remove();
      cursor.close();
    },
  };

  function told(index: number | null): void {
    legend.showValues(index);
    cursor.tell(index);
  }
}

function toPlotData({ positions, lines }: Chart): uPlot.AlignedData {
  return [[...positions], ...lines.map(({ values }) => [...values])];
}

function optionsOf(chart: Chart, width: number, told: (index: number | null) => void): uPlot.Options {
  const logarithmic = isLogarithmic(chart);
  return {
    ...{ width, height: HEIGHT, padding: [8, 22, 0, 0], legend: { show: false } },
    scales: {
      x: { time: false, range: ({ data: [at] }) => rangeOf(at[0] ?? 0, at.at(-1) ?? 0) },
      y: logarithmic
        ? { distr: 3, range: (_, low, high) => [niceBelow(low), niceAbove(high)] }
        : { range: (_, _low, high) => [0, high > 0 ? high * 1.05 : 1] },
    },
    axes: [
      {
        ...axisColors(),
        size: 30,
        gap: 8,
        ...(chart.across === 'seconds'
          ? { incrs: TIME_AXIS_STEPS, space: 60 }
          : { splits: (_, __, from, to) => PERCENTILE_TICKS.filter((at) => at >= from && at <= to) }),
        values: (_, splits) => splits.map((at) => positionText(chart.across, at)),
      },
      {
        ...axisColors(),
        // Before it has any, it has null.
        size: (_, values: readonly string[] | null) =>
          12 + 6.5 * Math.max(0, ...(values ?? []).map((value) => value.length)),
        gap: 4,
        space: 32,
        ...(logarithmic
          ? {
              splits: (_, __, from, to) => ticksBetween(from, to),
              filter: (_, splits) => splits,
            }
          : {}),
        values: (_, splits) => splits.map((value) => axisText(chart, value)),
      },
    ],
    series: [{}, ...chart.lines.map((line) => seriesOf(line, chart))],
    cursor: {
      ...{ y: false, drag: { setScale: false, x: false, y: false } },
      points: { size: 6 },
      ...(chart.group === null ? {} : { sync: { key: chart.group, scales: ['x', null] } }),
    },
    hooks: {
      drawClear: [shadeSpans(chart)],
      setCursor: [
        ({ cursor: { idx } }) => {
          told(idx ?? null);
        },
      ],
    },
  };
}

/** A single instant stands at the left, where others follow. */
function rangeOf(first: number, last: number): [from: number, to: number] {
  return first === last ? [first, first + 1] : [first, last];
}

function seriesOf({ name, color, style }: ChartLine, { across }: Chart): uPlot.Series {
  return {
    label: name,
    stroke: () => colorOf(`--line-${color}`),
    width: style === 'wide' ? 5 : 1.5,
    ...(style === 'dashed' ? { dash: [5, 4] } : {}),
    ...(style === 'filled' ? { fill: () => colorOf(`--area-${color}`) } : {}),
    // A curve has no gaps: where others alone have a percentile, it goes on.
    spanGaps: across === 'nines',
    // A line needs two ends, and gets them as a run goes on.
    points: { show: ({ data: [at] }) => across === 'seconds' && at.length < 3 },
  };
}

/** Times whose largest makes the others lie on the ground. */
function isLogarithmic({ quantity, lines }: Chart): boolean {
  if (quantity !== 'time') return false;
  const values = lines.flatMap((line) => line.values).filter((value) => value !== null && value > 0);
  const sorted = values.map(Number).sort((a, b) => a - b);
  const [least = 1, most = 1] = [sorted[0], sorted.at(-1)];
  return most / least > 30;
}

const NICE_STEPS = [1, 2, 5, 10];

function niceBelow(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return unit * (NICE_STEPS.findLast((step) => step * unit <= value * 1.000001) ?? 1);
}

function niceAbove(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return unit * (NICE_STEPS.find((step) => step * unit >= value * 0.999999) ?? 10);
}

/** 1, 2, 5 of each power of ten; of many powers 1 alone. */
function ticksBetween(from: number, to: number): number[] {
  const steps = to / from > 300 ? [1] : [1, 2, 5];
  const marks: number[] = [];
  for (let power = Math.floor(Math.log10(from)); 10 ** power <= to; power++) {
    for (const step of steps) {
      const mark = Number((step * 10 ** power).toPrecision(3));
      if (mark >= from * 0.999 && mark <= to * 1.001) marks.push(mark);
    }
  }
  return marks;
}

/** Units of a rate stand in the title. */
function axisText({ quantity }: Chart, value: number): string {
  if (quantity === 'time') return valueText('time', value);
  return Number.isInteger(value) || quantity === 'rate' ? valueText('rate', value).replace('/s', '') : '';
}

function axisColors() {
  return {
    stroke: () => colorOf('--quiet'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: () => colorOf('--grid'), width: 1 },
    ticks: { show: false },
  };
}

function shadeSpans({ spans }: Chart) {
  return (plot: uPlot): void => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.fillStyle = colorOf('--shade');
    for (const { from, to } of spans) {
      const [left, right] = [plot.valToPos(from, 'x', true), plot.valToPos(to, 'x', true)];
      const start = Math.max(bbox.left, left);
      ctx.fillRect(start, bbox.top, Math.min(bbox.left + bbox.width, right) - start, bbox.height);
    }
    ctx.restore();
  };
}

function colorOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A button for each line, which hides it, and beside it its value at the cursor. */
class Legend {
  readonly element = document.createElement('div');
  #chart: Chart;
  /** Where the cursor is. */
  #index: number | null = null;
  readonly #values: HTMLElement[] = [];
  readonly #place = document.createElement('span');
  readonly #swatches: HTMLElement[] = [];

  constructor(chart: Chart, toggle: (line: number, shown: boolean) => void) {
    this.#chart = chart;
    this.element.className = 'legend';
    chart.lines.forEach((line, index) => {
      const button = document.createElement('button');
      const [swatch, value] = [document.createElement('span'), document.createElement('span')];
      button.type = 'button';
      button.setAttribute('aria-pressed', 'true');
      swatch.className = `swatch ${line.style}`;
      swatch.setAttribute('aria-hidden', 'true');
      value.className = 'value';
      button.append(swatch, line.name, value);
      button.addEventListener('click', () => {
        const shown = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(shown));
        toggle(index, shown);
      });
      this.#values.push(value);
      this.#swatches.push(swatch);
      this.element.append(button);
    });
    this.#place.className = 'place';
    this.element.append(this.#place);
    this.recolor();
  }

  show(chart: Chart): void {
    this.#chart = chart;
    this.showValues(this.#index);
  }

  showValues(index: number | null): void {
    this.#index = index;
    const { across, positions, lines, quantity } = this.#chart;
    const where = index === null ? undefined : positions[index];
    this.#place.textContent = where === undefined ? '' : positionText(across, where);
    this.#values.forEach((value, line) => {
      value.textContent = index === null ? '' : valueText(quantity, lines[line]?.values[index]);
    });
  }

  recolor(): void {
    this.#swatches.forEach((swatch, line) => {
      swatch.style.color = colorOf(`--line-${this.#chart.lines[line]?.color ?? 'other1'}`);
    });
  }
}

/** Arrow keys move the cursor; what stands there is the value of a slider, so that it is read out. */
function addKeyboardCursor(place: HTMLElement, now: () => { readonly chart: Chart; readonly plot: uPlot }) {
  let index = 0;
  const lastOf = ({ positions }: Chart): number => positions.length - 1;
  const tell = (told: number | null): void => {
    const { chart } = now();
    index = told ?? index;
    const values = chart.lines.map(
      ({ name, values }) => `${name} ${valueText(chart.quantity, values[index])}`,
    );
    place.setAttribute('aria-valuenow', String(index));
    place.setAttribute('aria-valuemax', String(lastOf(chart)));
    place.setAttribute(
      'aria-valuetext',
      `${positionText(chart.across, chart.positions[index] ?? 0)}: ${values.join(', ')}`,
    );
  };
  const show = (): void => {
    const { chart, plot } = now();
    moveCursor(plot, { left: plot.valToPos(chart.positions[index] ?? 0, 'x'), top: 10 });
  };
  const listeners = new AbortController();
  const { signal } = listeners;
  place.tabIndex = 0;
  place.setAttribute('role', 'slider');
  place.setAttribute('aria-label', `Cursor of the chart ${now().chart.title}`);
  place.setAttribute('aria-valuemin', '0');
  tell(0);
  place.addEventListener(
    'focus',
    () => {
      if (place.matches(':focus-visible')) show();
    },
    { signal },
  );
  place.addEventListener(
    'blur',
    () => {
      moveCursor(now().plot, { left: -10, top: -10 });
    },
    { signal },
  );
  place.addEventListener(
    'keydown',
    (event) => {
      const { chart } = now();
      const next = cursorOffset(event.key, index, lastOf(chart));
      if (next === null) return;
      event.preventDefault();
      index = Math.min(lastOf(chart), Math.max(0, next));
      show();
    },
    { signal },
  );
  return {
    tell,
    /** At the same instant, wherever that is drawn now. */
    keep(): void {
      if (place.matches(':focus-visible')) show();
      else tell(null);
    },
    close(): void {
      listeners.abort();
    },
  };
}

/** With an argument that the types lack: whether the other charts of the group are told. */
function moveCursor(plot: uPlot, to: { left: number; top: number }): void {
  const move: (to: { left: number; top: number }, fire: boolean, tellOthers: boolean) => void =
    plot.setCursor.bind(plot);
  move(to, true, true);
}

/** Null for a key that moves nothing. */
function cursorOffset(key: string, from: number, last: number): number | null {
  const page = Math.max(1, Math.round(last / 10));
  const moves: Readonly<Record<string, number>> = {
    ...{ ArrowRight: from + 1, ArrowUp: from + 1, ArrowLeft: from - 1, ArrowDown: from - 1 },
    ...{ PageUp: from + page, PageDown: from - page, Home: 0, End: last },
  };
  return moves[key] ?? null;
}

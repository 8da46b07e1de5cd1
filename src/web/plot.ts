/** Draws a chart in its `<figure>` element, with a legend that toggles lines and a cursor that shows values. */
import uPlot from 'uplot';
import { isLogarithmic, limitsOf, placeLabels, type Chart, type ChartLine } from './chart.ts';
import { download } from './download.ts';
import { positionText, valueText } from './value-text.ts';

export interface Plot {
  /** Shows new values of the same lines. Hidden lines and the cursor position are preserved. */
  update(chart: Chart): void;
  /**
   * Redraws the chart with the colors of the current theme.
   * @param width - In pixels. Default: the width of the container.
   */
  redraw(width?: number): void;
  /** Shows a range of the x axis; null for the whole axis. */
  zoom(range: ZoomRange | null): void;
  close(): void;
}

/** Range of the x axis, in the unit of the axis. */
export type ZoomRange = readonly [from: number, to: number];

const HEIGHT = 220;
/** Minimum width of a selection in pixels. A narrower selection is treated as a click. */
const MIN_SELECTION = 5;
/** Possible intervals between ticks of the time axis, in seconds. */
const TIME_AXIS_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400,
];
/** Ticks of the percentile axis, in nines: p50, p90, p99, … */
const PERCENTILE_TICKS = [Math.log10(2), 1, 2, 3, 4, 5, 6, 7, 8, 9];

/**
 * @param element - The `<figure>` element, which contains an element with the class `plot`.
 * @param initialZoom - Initial range; null for the whole axis.
 * @param onZoom - Called when the user selects a range, or null for the whole axis.
 */
export function mountPlot(
  element: HTMLElement,
  first: Chart,
  initialZoom: ZoomRange | null,
  onZoom: (range: ZoomRange | null) => void,
): Plot {
  const container = element.querySelector<HTMLElement>('.plot');
  if (container === null) throw new Error('Bug: the chart has no element with the class "plot"');
  let chart = first;
  let zoom = initialZoom;
  const hidden = new Set<number>();
  const legend = new Legend(chart, (line, shown) => {
    if (shown) hidden.delete(line);
    else hidden.add(line);
    plot.setSeries(line + 1, { show: shown });
  });
  const reset = document.createElement('button');
  reset.type = 'button';
  reset.textContent = 'Reset zoom';
  reset.hidden = zoom === null;
  reset.addEventListener('click', () => onZoom(null));
  const save = document.createElement('button');
  save.type = 'button';
  save.className = 'save';
  save.textContent = 'PNG';
  save.title = 'Save the chart as an image';
  save.addEventListener('click', () => savePicture(plot, chart));
  legend.element.append(reset, save);
  container.before(legend.element);
  const currentWidth = (): number => Math.max(200, Math.floor(container.clientWidth));
  const draw = (): uPlot => {
    const options = optionsOf(() => chart, currentWidth(), handleCursor, { current: () => zoom, onZoom });
    const drawn = new uPlot(options, toPlotData(chart), container);
    for (const line of hidden) drawn.setSeries(line + 1, { show: false });
    return drawn;
  };
  let plot = draw();
  const cursor = addKeyboardCursor(container, () => ({ chart, plot }), onZoom);
  const observer = new ResizeObserver(() => {
    if (plot.width !== currentWidth() && !document.documentElement.classList.contains('printing'))
      plot.setSize({ width: currentWidth(), height: HEIGHT });
  });
  observer.observe(container);
  return {
    update(next) {
      const hasSameScale = isLogarithmic(next) === isLogarithmic(chart) && next.clock === chart.clock;
      chart = next;
      legend.show(chart);
      if (hasSameScale) {
        plot.setData(toPlotData(chart));
      } else {
        // Creates a new plot, because the type of a scale cannot be changed later.
        plot.destroy();
        plot = draw();
      }
      cursor.restore();
    },
    redraw: (width = currentWidth()) => {
      plot.setSize({ width, height: HEIGHT });
      plot.redraw(false);
      legend.recolor();
    },
    zoom(range) {
      zoom = range;
      reset.hidden = range === null;
      plot.setData(toPlotData(chart));
    },
    close() {
      observer.disconnect();
      plot.destroy();
      legend.element.remove();
      cursor.close();
    },
  };

  function handleCursor(index: number | null): void {
    legend.showValues(index);
    cursor.announce(index);
  }
}

function savePicture({ ctx: { canvas: drawn } }: uPlot, { id, title, lines }: Chart): void {
  const [canvas, scale] = [document.createElement('canvas'), devicePixelRatio];
  const margin = 52 * scale;
  canvas.width = drawn.width;
  canvas.height = drawn.height + margin;
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.fillStyle = colorOf('--paper');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(drawn, 0, margin);
  const write = (text: string, x: number, y: number, color: string, style: string): number => {
    context.fillStyle = colorOf(color);
    context.font = `${style} ${13 * scale}px system-ui, sans-serif`;
    context.fillText(text, x, y * scale);
    return x + context.measureText(text).width + 16 * scale;
  };
  write(title, 8 * scale, 20, '--ink', 'bold');
  lines.reduce((x, { name, color }) => write(`— ${name}`, x, 42, `--line-${color}`, ''), 8 * scale);
  canvas.toBlob((blob) => {
    if (blob !== null) download(`${id}.png`, blob);
  });
}

function toPlotData({ positions, lines }: Chart): uPlot.AlignedData {
  return [[...positions], ...lines.map(({ values }) => [...values])];
}

interface ZoomControl {
  readonly current: () => ZoomRange | null;
  readonly onZoom: (range: ZoomRange | null) => void;
}

/** @param currentChart - Returns the chart with its current values, thresholds and ranges. */
function optionsOf(
  currentChart: () => Chart,
  width: number,
  onCursor: (index: number | null) => void,
  { current, onZoom }: ZoomControl,
): uPlot.Options {
  const chart = currentChart();
  const logarithmic = isLogarithmic(chart);
  const painter = (paint: (plot: uPlot, current: Chart) => void) => (plot: uPlot) => {
    plot.ctx.save();
    paint(plot, currentChart());
    plot.ctx.restore();
  };
  return {
    width,
    height: HEIGHT,
    padding: [8, 22, 0, 0],
    legend: { show: false },
    scales: {
      x: {
        time: false,
        range: ({ data: [at] }) => {
          const [from, to] = current() ?? rangeOf(at[0] ?? 0, at.at(-1) ?? 0);
          return [from, to];
        },
      },
      y: logarithmic
        ? { distr: 3, range: (_, low, high) => [niceBelow(low), niceAbove(withLimits(currentChart(), high))] }
        : // Leaves space above the lines for the labels of shaded ranges.
          { range: (_, _low, high) => [0, high > 0 ? withLimits(currentChart(), high) * 1.12 : 1] },
    },
    axes: [
      {
        ...axisColors(),
        size: 30,
        gap: 8,
        ...(chart.across === 'seconds'
          ? { incrs: TIME_AXIS_STEPS, space: chart.clock === null ? 60 : 80 }
          : { splits: (_, __, from, to) => PERCENTILE_TICKS.filter((at) => at >= from && at <= to) }),
        values: (_, splits) => splits.map((at) => positionText(chart, at)),
      },
      {
        ...axisColors(),
        // uPlot passes null before the axis has values.
        size: (_, values: readonly string[] | null) =>
          16 + 6.5 * Math.max(0, ...(values ?? []).map((value) => value.length)),
        // With this gap, a point at the start of the x axis does not cover the labels.
        gap: 8,
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
      y: false,
      drag: { setScale: false, x: chart.group !== null, y: false },
      bind: {
        dblclick: () => () => {
          onZoom(null);
          return null;
        },
      },
      points: { size: 6 },
      ...(chart.group === null ? {} : { sync: { key: chart.group, scales: ['x', null] } }),
    },
    hooks: {
      drawClear: [painter(shadeSpans)],
      draw: [painter(drawLimits), painter(labelSpans)],
      setSelect: [
        (plot) => {
          const { left, width: selected } = plot.select;
          if (selected < MIN_SELECTION) return;
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          onZoom([plot.posToVal(left, 'x'), plot.posToVal(left + selected, 'x')]);
        },
      ],
      setCursor: [({ cursor: { idx } }) => onCursor(idx ?? null)],
    },
  };
}

/** Returns an upper end for the y axis that makes the drawn thresholds visible. */
function withLimits(chart: Chart, high: number): number {
  return Math.max(high, ...limitsOf(chart, true).map(({ value }) => value));
}

/**
 * Returns the range of the x axis. For a single position, returns a range that begins at the position, because more
 * positions will follow.
 */
function rangeOf(first: number, last: number): [from: number, to: number] {
  return first === last ? [first, first + 1] : [first, last];
}

function seriesOf({ name, color, style }: ChartLine, { across }: Chart): uPlot.Series {
  const stroke = () => colorOf(`--line-${color}`);
  return {
    label: name,
    stroke,
    width: style === 'wide' ? 5 : 1.5,
    ...(style === 'dashed' ? { dash: [5, 4] } : {}),
    ...(style === 'filled' ? { fill: () => colorOf(`--area-${color}`) } : {}),
    // A percentile curve continues through positions at which only other runs have values.
    spanGaps: across === 'nines',
    // With one or two positions, values are also drawn as dots, because a line needs at least two points.
    points: { fill: stroke, show: ({ data: [at] }) => across === 'seconds' && at.length < 3 },
  };
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

/** Returns ticks at 1, 2 and 5 times each power of ten, or only at powers of ten if the range is wide. */
function ticksBetween(from: number, to: number): number[] {
  const steps = to / from > 300 ? [1] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(from)); 10 ** power <= to; power++) {
    for (const step of steps) {
      const tick = Number((step * 10 ** power).toPrecision(3));
      if (tick >= from * 0.999 && tick <= to * 1.001) ticks.push(tick);
    }
  }
  return ticks;
}

/**
 * Formats an axis value. Omits the unit of a rate, because the title contains the unit. Returns an empty string for a
 * fractional count.
 */
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

function shadeSpans(plot: uPlot, { spans }: Chart): void {
  const { ctx, bbox } = plot;
  for (const { from, to, kind } of spans) {
    ctx.fillStyle = colorOf(kind === 'outage' ? '--area-failed' : '--shade');
    const [left, right] = [plot.valToPos(from, 'x', true), plot.valToPos(to, 'x', true)];
    const start = Math.max(bbox.left, left);
    const width = Math.min(bbox.left + bbox.width, right) - start;
    ctx.fillRect(start, bbox.top, width, bbox.height);
  }
}

function labelSpans(plot: uPlot, { spans }: Chart): void {
  const { ctx, bbox } = plot;
  setLabelStyle(ctx);
  const gap = 4 * devicePixelRatio;
  const labels = spans.map(({ from, to, kind }) => {
    const text = kind === 'outage' ? 'no responses' : 'warm-up';
    const { width } = ctx.measureText(text);
    return { text, width, from: plot.valToPos(from, 'x', true), to: plot.valToPos(to, 'x', true) };
  });
  const y = bbox.top + 13 * devicePixelRatio;
  for (const { text, x } of placeLabels(labels, [bbox.left, bbox.left + bbox.width], gap))
    drawLabel(ctx, text, x, y);
}

function setLabelStyle(ctx: CanvasRenderingContext2D): void {
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  ctx.fillStyle = colorOf('--ink');
  ctx.strokeStyle = colorOf('--paper');
  ctx.lineWidth = 3 * devicePixelRatio;
  ctx.lineJoin = 'round';
}

/** Draws the ends of the stages, and the thresholds with their names and a red area for failing values. */
function drawLimits(plot: uPlot, chart: Chart): void {
  const { marks, spans } = chart;
  const { ctx, bbox } = plot;
  const [right, bottom] = [bbox.left + bbox.width, bbox.top + bbox.height];
  // Thresholds do not apply to the warm-up.
  const warmup = spans.find(({ kind }) => kind === 'warmup');
  const left = warmup === undefined ? bbox.left : Math.max(bbox.left, plot.valToPos(warmup.to, 'x', true));
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
  const stroke = (color: string, x: number, y: number, toX: number, toY: number): void => {
    ctx.strokeStyle = colorOf(color);
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(toX, toY);
    ctx.stroke();
  };
  const limits = limitsOf(chart, true);
  for (const { value, isUpper } of limits) {
    const at = plot.valToPos(value, 'y', true);
    stroke('--line-failed', left, at, right, at);
    ctx.globalAlpha = 0.3;
    ctx.fillStyle = colorOf('--area-failed');
    const [top, height] = isUpper ? [bbox.top, at - bbox.top] : [at, bottom - at];
    ctx.fillRect(left, top, right - left, height);
    ctx.globalAlpha = 1;
  }
  for (const mark of marks) {
    const at = plot.valToPos(mark, 'x', true);
    stroke('--quiet', at, bbox.top, at, bottom);
  }
  setLabelStyle(ctx);
  ctx.setLineDash([]);
  let end = right;
  for (const { value, label } of limits) {
    const at = plot.valToPos(value, 'y', true);
    // Places labels next to each other, so that the labels of similar values do not overlap.
    end -= ctx.measureText(label).width + 8 * devicePixelRatio;
    const y = at + (at < bbox.top + 30 * devicePixelRatio ? 13 : -5) * devicePixelRatio;
    drawLabel(ctx, label, end, y);
  }
}

/** Draws a label with an outline, which separates it from the lines below it. */
function drawLabel(ctx: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  ctx.strokeText(text, x, y);
  ctx.fillText(text, x, y);
}

function colorOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Legend with a button for each line. The button toggles the line and shows its value at the cursor. */
class Legend {
  readonly element = document.createElement('div');
  #chart: Chart;
  #index: number | null = null;
  readonly #values: HTMLElement[] = [];
  readonly #position = document.createElement('span');
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
    this.#position.className = 'position';
    this.element.append(this.#position);
    this.recolor();
  }

  show(chart: Chart): void {
    this.#chart = chart;
    this.showValues(this.#index);
  }

  showValues(index: number | null): void {
    this.#index = index;
    const { positions, lines, quantity } = this.#chart;
    const position = index === null ? undefined : positions[index];
    this.#position.textContent = position === undefined ? '' : positionText(this.#chart, position);
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

/**
 * Makes the chart container a slider. Arrow keys move the cursor, and screen readers announce the values at the cursor.
 */
function addKeyboardCursor(
  container: HTMLElement,
  current: () => { readonly chart: Chart; readonly plot: uPlot },
  onZoom: (range: ZoomRange | null) => void,
) {
  let index = 0;
  const lastOf = ({ positions }: Chart): number => positions.length - 1;
  const announce = (cursorIndex: number | null): void => {
    const { chart } = current();
    index = cursorIndex ?? index;
    const values = chart.lines.map(
      ({ name, values }) => `${name} ${valueText(chart.quantity, values[index])}`,
    );
    container.setAttribute('aria-label', `Chart cursor: ${chart.title}`);
    container.setAttribute('aria-valuenow', String(index));
    container.setAttribute('aria-valuemax', String(lastOf(chart)));
    container.setAttribute(
      'aria-valuetext',
      `${positionText(chart, chart.positions[index] ?? 0)}: ${values.join(', ')}`,
    );
  };
  const show = (): void => {
    const { chart, plot } = current();
    moveCursor(plot, { left: plot.valToPos(chart.positions[index] ?? 0, 'x'), top: 10 });
  };
  const listeners = new AbortController();
  const { signal } = listeners;
  container.tabIndex = 0;
  container.setAttribute('role', 'slider');
  container.setAttribute('aria-valuemin', '0');
  announce(0);
  container.addEventListener(
    'focus',
    () => {
      if (container.matches(':focus-visible')) show();
    },
    { signal },
  );
  container.addEventListener('blur', () => moveCursor(current().plot, { left: -10, top: -10 }), { signal });
  container.addEventListener(
    'keydown',
    (event) => {
      const { chart, plot } = current();
      if (chart.group !== null && (event.key === '+' || event.key === '-')) {
        const { min = 0, max = 0 } = plot.scales['x'] ?? {};
        const [at, quarter] = [chart.positions[index] ?? 0, (max - min) / 4];
        onZoom(event.key === '-' || quarter < 0.5 ? null : [Math.max(0, at - quarter), at + quarter]);
        return;
      }
      const next = cursorOffset(event.key, index, lastOf(chart));
      if (next === null) return;
      event.preventDefault();
      index = Math.min(lastOf(chart), Math.max(0, next));
      show();
    },
    { signal },
  );
  return {
    announce,
    restore(): void {
      if (container.matches(':focus-visible')) show();
      else announce(null);
    },
    close(): void {
      listeners.abort();
    },
  };
}

/**
 * Moves the cursor, and the cursors of the other charts in the group. The third parameter of `setCursor`, which the
 * types of uPlot lack, moves the other cursors.
 */
function moveCursor(plot: uPlot, to: { left: number; top: number }): void {
  const move: (to: { left: number; top: number }, fire: boolean, publish: boolean) => void =
    plot.setCursor.bind(plot);
  move(to, true, true);
}

/**
 * Returns the cursor's index after a key press; null if the key does not move the cursor. The index can be
 * out of range.
 */
function cursorOffset(key: string, index: number, last: number): number | null {
  const page = Math.max(1, Math.round(last / 10));
  const moves: Readonly<Record<string, number>> = {
    ArrowRight: index + 1,
    ArrowUp: index + 1,
    ArrowLeft: index - 1,
    ArrowDown: index - 1,
    PageUp: index + page,
    PageDown: index - page,
    Home: 0,
    End: last,
  };
  return moves[key] ?? null;
}

/** A chart as data, independent of how it is drawn. */

export type Quantity = 'rate' | 'time' | 'count';

/** Name of a color, which the style sheet defines as `--line-NAME`. */
export type LineColor =
  | 'offered'
  | 'completed'
  | 'failed'
  | 'p50'
  | 'p95'
  | 'p99'
  | 'connections'
  | 'omitted'
  | 'other1'
  | 'other2'
  | 'other3'
  | 'other4';

export interface ChartLine {
  readonly name: string;
  readonly color: LineColor;
  /** A `wide` line is drawn below the line that it is compared with, so that both are visible if they coincide. */
  readonly style: 'line' | 'wide' | 'dashed' | 'filled';
  /** Value at each position; null if there is no value. */
  readonly values: readonly (number | null)[];
}

export interface ChartSpan {
  readonly from: number;
  readonly to: number;
  readonly kind: 'warmup' | 'outage';
}

export interface ChartLimit {
  readonly value: number;
  /** Text of the threshold, such as `p95 < 300ms`. */
  readonly label: string;
  /** True if values above the limit fail the threshold. */
  readonly isUpper: boolean;
}

export interface Chart {
  readonly id: string;
  readonly title: string;
  /**
   * Unit of the x axis: seconds since the start of a run, or nines of a percentile. For example, 1 means p90
   * and 2 means p99.
   */
  readonly across: 'seconds' | 'nines';
  readonly positions: readonly number[];
  readonly quantity: Quantity;
  readonly lines: readonly ChartLine[];
  readonly spans: readonly ChartSpan[];
  readonly limits: readonly ChartLimit[];
  /** Positions at which a stage of the load ends. */
  readonly marks: readonly number[];
  /** Time of second 0 in ms since the epoch, if the x axis shows the time of day; otherwise null. */
  readonly clock: number | null;
  /** Name of a group of charts that share the cursor; null for a chart without a group. */
  readonly group: string | null;
}

/** Maximum ratio of a drawn threshold to the largest value. At a higher ratio, the values would hardly be visible. */
const MAX_LIMIT_FACTOR = 3;

/**
 * Returns the thresholds that are drawn. If `isDrawn` is false, returns the others, which are too far above the values.
 */
export function limitsOf({ lines, limits }: Chart, isDrawn: boolean): readonly ChartLimit[] {
  const maximum = lines.reduce(
    (max, { values }) => values.reduce<number>((one, value) => Math.max(one, value ?? 0), max),
    0,
  );
  return limits.filter(({ value }) => isDrawn === value <= MAX_LIMIT_FACTOR * maximum);
}

export function chartNote(chart: Chart): string {
  const { spans, marks } = chart;
  const namesOf = (limits: readonly ChartLimit[]) =>
    `threshold${limits.length > 1 ? 's' : ''} ${limits.map(({ label }) => label).join(', ')}`;
  const [drawn, far] = [limitsOf(chart, true), limitsOf(chart, false)];
  const has = (kind: ChartSpan['kind']) => spans.some((span) => span.kind === kind);
  return [
    ...(isLogarithmic(chart) ? ['Logarithmic scale.'] : []),
    ...(has('warmup') ? ['Gray: warm-up, excluded from thresholds.'] : []),
    ...(has('outage') ? ['Red: no responses.'] : []),
    ...(drawn.length > 0 ? [`Dashed: ${namesOf(drawn)}; pale red: not met.`] : []),
    ...(far.length > 0 ? [`Above the visible range: ${namesOf(far)}.`] : []),
    ...(marks.length > 0 ? ['Vertical lines: ends of stages.'] : []),
  ].join(' ');
}

/** The members of the chart of a URL that differ from the chart of the whole run with the same id. */
export type ChartChange = Pick<Chart, 'id'> & Partial<Chart>;

export function chartChange(whole: Chart, ofUrl: Chart): ChartChange {
  const isChanged = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(whole[name as keyof Chart]); // Both charts have the member.
  return { id: whole.id, ...Object.fromEntries(Object.entries(ofUrl).filter(isChanged)) };
}

/**
 * True for response times that differ by more than a factor of 30. On a linear scale, the short times would be
 * invisible.
 */
export function isLogarithmic({ quantity, lines }: Chart): boolean {
  if (quantity !== 'time') return false;
  const values = lines.flatMap((line) => line.values).filter((value) => value !== null && value > 0);
  const sorted = values.map(Number).sort((a, b) => a - b);
  const [minimum = 1, maximum = 1] = [sorted[0], sorted.at(-1)];
  return maximum / minimum > 30;
}

/** Label of a shaded range: the text, its width, and the ends of the range, in pixels. */
interface SpanLabel {
  readonly text: string;
  readonly width: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Places the labels of the visible ranges. A label may be wider than its range, but does not extend beyond the
 * chart. Omits a label that would cover the previous one.
 */
export function placeLabels(
  labels: readonly SpanLabel[],
  [left, right]: readonly [left: number, right: number],
  gap: number,
): readonly { readonly text: string; readonly x: number }[] {
  let free = left;
  return labels.flatMap(({ text, width, from, to }) => {
    const x = Math.min(right - gap - width, Math.max(left, from) + gap);
    if (to <= left || from >= right || x < free) return [];
    free = x + width + gap;
    return [{ text, x }];
  });
}

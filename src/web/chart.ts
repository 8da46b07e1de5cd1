/** A chart as data, independent of how it is drawn. */

/** Kind of the values of a chart, which determines their format. */
export type Quantity = 'rate' | 'time' | 'count';

/** Name of a color. The style sheet defines it as `--line-NAME`. */
export type LineColor =
  | 'offered'
  | 'completed'
  | 'failed'
  | 'p50'
  | 'p95'
  | 'p99'
  | 'connections'
  | 'other1'
  | 'other2'
  | 'other3'
  | 'other4';

export interface ChartLine {
  readonly name: string;
  readonly color: LineColor;
  /** Style of the line. A `wide` line is drawn below the compared line, so that both are visible if they coincide. */
  readonly style: 'line' | 'wide' | 'dashed' | 'filled';
  /** One value per position; null if the value is unknown. */
  readonly values: readonly (number | null)[];
}

/** A shaded range of the x axis. */
export interface ChartSpan {
  readonly from: number;
  readonly to: number;
}

export interface Chart {
  /** Id of the `<figure>` element. */
  readonly id: string;
  readonly title: string;
  /** Unit of the x axis: seconds since the start of a run, or nines of a percentile (1 is p90, 2 is p99). */
  readonly across: 'seconds' | 'nines';
  readonly positions: readonly number[];
  readonly quantity: Quantity;
  readonly lines: readonly ChartLine[];
  readonly spans: readonly ChartSpan[];
  /** Name of a group of charts that share the cursor; null for a chart without a group. */
  readonly group: string | null;
}

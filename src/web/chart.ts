/** What a chart shows, as data: made where the page is made, drawn where it is looked at. */

/** What the values of a chart are, which decides how they are written. */
export type Quantity = 'rate' | 'time' | 'count';

/** A name of a colour in the style sheet, `--line-NAME`. */
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
  /** `wide`: behind a line that it is compared with, so that both are seen where they are the same. */
  readonly style: 'line' | 'wide' | 'dashed' | 'filled';
  /** Beside those of `at`; null: nothing is known there. */
  readonly values: readonly (number | null)[];
}

/** A part of the chart that is shaded. */
export interface ChartSpan {
  readonly from: number;
  readonly to: number;
}

export interface Chart {
  /** Of its figure. */
  readonly id: string;
  readonly title: string;
  /** Seconds since the start of a run, or nines of a percentile: 1 is p90, 2 is p99. */
  readonly across: 'seconds' | 'nines';
  readonly positions: readonly number[];
  readonly quantity: Quantity;
  readonly lines: readonly ChartLine[];
  readonly spans: readonly ChartSpan[];
  /** Charts of one group show the same instant; null: it stands alone. */
  readonly group: string | null;
}

/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Extension: runs beside each other, each compared with the earliest of them.
 */
export interface RunComparison {
  /**
   * The earliest first.
   */
  runs: ComparedRun[];
  [k: string]: unknown;
}
export interface ComparedRun {
  /**
   * Of the test that was run.
   */
  test_id: string;
  /**
   * Identifier of the result.
   */
  result_id: string;
  /**
   * `A`, `B`, … in the order of time.
   */
  letter: string;
  /**
   * The name of the test, or its first URL without the query.
   */
  title: string;
  /**
   * The run as reports tell it: `started_at`, `state`, `verdict`, `figures` and more.
   */
  told: {
    [k: string]: unknown;
  };
  /**
   * Each figure that this run or the earliest one has; none of the earliest itself.
   */
  figures: FigureChange[];
  /**
   * Why its figures and those of the earliest run say nothing of the target; none: they may be compared.
   */
  hindrances: string[];
  /**
   * What to know of figures that may be compared.
   */
  cautions: string[];
  [k: string]: unknown;
}
export interface FigureChange {
  /**
   * As limits name it.
   */
  metric: string;
  /**
   * Of the earliest run; null: not known.
   */
  before: number | null;
  /**
   * Of this one; null: not known.
   */
  after: number | null;
  /**
   * In percent of what was before; null where it cannot be told.
   */
  change: number | null;
  [k: string]: unknown;
}

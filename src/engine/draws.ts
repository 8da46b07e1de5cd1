/** Values that come from no answer: numbers of expressions and payload rows, drawn when they are needed. */
import type { Delay } from '../core/load/delay.ts';
import { numberAt, parseExpression } from '../core/load/expression.ts';
import type { LoadJob } from '../core/load/job.ts';
import { isOpenModel } from '../core/load/pace.ts';
import { Random } from '../core/load/random.ts';
import { anyRow, everyRowOnce } from '../core/load/rows.ts';
import type { SlotIndexes } from './pieces.ts';
import { openRows, type PackedRows } from './row-table.ts';

/** Writes the next values to their places. */
export type Draw = (values: (string | undefined)[]) => void;

/** Which of a run's workers draws: they take turns. */
export interface Place {
  readonly worker: number;
  readonly workers: number;
}

/** Gives places among a pass's values to everything that varies in a job. */
export class SlotPlan {
  /** Of variables, by index; what has no name comes behind them. */
  readonly names: readonly string[];
  readonly #job: LoadJob;
  readonly #place: Place;
  #size: number;
  /** Expressions and lists so far: each has its own random numbers. */
  #drawn = 0;

  constructor(job: LoadJob, names: readonly string[], place: Place) {
    this.names = names;
    this.#job = job;
    this.#place = place;
    this.#size = names.length;
  }

  /** Values of a pass. */
  get size(): number {
    return this.#size;
  }

  /** A place of its own. */
  next(): number {
    return this.#size++;
  }

  /** Places for the texts of one request; what it draws goes to `draws`. */
  slots(draws: Draw[]): SlotIndexes {
    return {
      variable: (name) => this.names.indexOf(name),
      expression: (text) => {
        const index = this.next();
        draws.push(this.#expression(text, index));
        return index;
      },
    };
  }

  /** Places for the columns of rows that only their own request uses. */
  columns(rows: PackedRows, draws: Draw[]): readonly number[] {
    const indexes = rows.names.map(() => this.next());
    draws.push(this.rows(rows, indexes));
    return indexes;
  }

  /** Draws a row at a time. */
  rows(rows: PackedRows, indexes: readonly number[]): Draw {
    const list = this.#drawn++;
    if (rows.count === 0) return () => undefined;
    const table = openRows(rows);
    const spec = { count: rows.count, seed: this.#job.seed, list };
    const order = isOpenModel(this.#job) ? everyRowOnce(spec, this.#place) : anyRow(spec, this.#place);
    return (values) => {
      const row = order.next();
      for (let column = 0; column < indexes.length; column++) {
        const index = indexes[column];
        if (index !== undefined) values[index] = table.value(row, column);
      }
    };
  }

  /** Draws how long a client waits, in ms. */
  delay({ least, most }: Delay): () => number {
    if (least === most) return () => least;
    const random = new Random(this.#job.seed, this.#drawn++, this.#place.worker);
    return () => least + random.below(most - least + 1);
  }

  #expression(text: string, index: number): Draw {
    const expression = parseExpression(text);
    if (expression === null) throw new Error(`Bug: the expression "%{${text}}" was not checked`);
    const random = new Random(this.#job.seed, this.#drawn++, this.#place.worker);
    let at = this.#place.worker;
    return (values) => {
      values[index] = String(numberAt(expression, at, random));
      at += this.#place.workers;
    };
  }
}

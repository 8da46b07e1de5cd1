/** Values that come from no answer: numbers of expressions and payload rows, drawn when they are needed. */
import type { Delay } from '../core/load/delay.ts';
import { numberAt, parseExpression } from '../core/load/expression.ts';
import type { LoadJob } from '../core/load/load-job.ts';
import { isOpenModel } from '../core/load/pace.ts';
import { Random } from '../core/load/random.ts';
import { createRandomOrder, createShuffledOrder } from '../core/load/row-order.ts';
import type { SlotIndexes } from './request-template.ts';
import { openRowTable, type PackedRows } from './row-table.ts';

/** Writes the next values to their places. */
export type DrawValues = (values: (string | undefined)[]) => void;

/** Which of a run's workers draws: they take turns. */
export interface ThreadPosition {
  readonly worker: number;
  readonly workers: number;
}

/** Gives places among a pass's values to everything that varies in a job. */
export class SlotPlan {
  /** Of variables, by index; what has no name comes behind them. */
  readonly names: readonly string[];
  readonly #job: LoadJob;
  readonly #position: ThreadPosition;
  #size: number;
  /** Expressions and lists so far: each has its own random numbers. */
  #drawCount = 0;

  constructor(job: LoadJob, names: readonly string[], place: ThreadPosition) {
    this.names = names;
    this.#job = job;
    this.#position = place;
    this.#size = names.length;
  }

  /** Values of a pass. */
  get size(): number {
    return this.#size;
  }

  /** A place of its own. */
  allocate(): number {
    return this.#size++;
  }

  /** Places for the texts of one request; what it draws goes to `draws`. */
  allocateSlots(draws: DrawValues[]): SlotIndexes {
    return {
      variable: (name) => this.names.indexOf(name),
      expression: (text) => {
        const index = this.allocate();
        draws.push(this.#drawExpression(text, index));
        return index;
      },
    };
  }

  /** Places for the columns of rows that only their own request uses. */
  allocateColumns(rows: PackedRows, draws: DrawValues[]): readonly number[] {
    const indexes = rows.names.map(() => this.allocate());
    draws.push(this.drawRows(rows, indexes));
    return indexes;
  }

  /** Draws a row at a time. */
  drawRows(rows: PackedRows, indexes: readonly number[]): DrawValues {
    const list = this.#drawCount++;
    if (rows.count === 0) return () => undefined;
    const table = openRowTable(rows);
    const spec = { count: rows.count, seed: this.#job.seed, list };
    const order = isOpenModel(this.#job)
      ? createShuffledOrder(spec, this.#position)
      : createRandomOrder(spec, this.#position);
    return (values) => {
      const row = order.next();
      for (let column = 0; column < indexes.length; column++) {
        const index = indexes[column];
        if (index !== undefined) values[index] = table.value(row, column);
      }
    };
  }

  /** Draws how long a client waits, in ms. */
  drawDelay({ min, max }: Delay): () => number {
    if (min === max) return () => min;
    const random = new Random(this.#job.seed, this.#drawCount++, this.#position.worker);
    return () => min + random.below(max - min + 1);
  }

  #drawExpression(text: string, index: number): DrawValues {
    const expression = parseExpression(text);
    if (expression === null) throw new Error(`Bug: the expression "%{${text}}" was not checked`);
    const random = new Random(this.#job.seed, this.#drawCount++, this.#position.worker);
    let at = this.#position.worker;
    return (values) => {
      values[index] = String(numberAt(expression, at, random));
      at += this.#position.workers;
    };
  }
}

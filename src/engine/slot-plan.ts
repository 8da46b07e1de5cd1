/** Plan of an iteration's slots, and the draws of expressions, payload rows and delays. */
import type { Delay } from '../core/model/delay.ts';
import { generateValue, numberAt, parseExpression, type ValueSource } from '../core/model/expression.ts';
import type { LoadJob } from '../core/load/load-job.ts';
import { isOpenModel } from '../core/model/pace.ts';
import { Random } from '../core/random.ts';
import { createRandomOrder, createShuffledOrder, type RowOrderSpec } from '../core/load/row-order.ts';
import { wallTime } from './clock.ts';
import { toByteString, type SlotIndexes } from './request-template.ts';
import { openRowTable, type PackedRows, type RowTable } from './row-table.ts';
import { createListReader } from './list-items.ts';

export interface DrawingIteration {
  readonly values: (string | undefined)[];
  /** Index of the client in the run. */
  readonly number: number;
  readonly iterationNumber: number;
  /** Random numbers that do not depend on the order in which responses arrive. */
  readonly random: Random;
}

/** Draws the next values of an iteration and writes them to their slots. */
export type DrawValues = (iteration: DrawingIteration) => void;

/** Position of a thread among all threads of the run. In shuffled orders, the threads take turns drawing rows. */
export interface ThreadPosition {
  readonly worker: number;
  readonly workers: number;
}

export class SlotPlan {
  /** Names of the variables by slot index. Unnamed slots follow the named ones. */
  readonly names: readonly string[];
  readonly #job: LoadJob;
  readonly #position: ThreadPosition;
  #size: number;
  /** Number of row lists and variable delays so far, each of which uses a separate sequence of random numbers. */
  #drawCount = 0;
  #usesRandom = false;
  /** Table of the latest list of rows; null if there is none. */
  #latest: { table: RowTable; readonly count: number; readonly columns: number } | null = null;
  readonly #typeSlots = new Map<number, number>();

  constructor(job: LoadJob, names: readonly string[], position: ThreadPosition) {
    this.names = names;
    this.#job = job;
    this.#position = position;
    this.#size = names.length;
  }

  get size(): number {
    return this.#size;
  }

  get usesRandom(): boolean {
    return this.#usesRandom;
  }

  requireRandom(): void {
    this.#usesRandom = true;
  }

  /** Returns the slot that is set if the value of a variable is not a JSON string; −1 if no request uses the slot. */
  typeSlotOf(variable: number): number {
    return this.#typeSlots.get(variable) ?? -1;
  }

  allocateType(variable: number): number {
    const slot = this.#typeSlots.get(variable) ?? this.allocate();
    this.#typeSlots.set(variable, slot);
    return slot;
  }

  allocate(): number {
    return this.#size++;
  }

  /**
   * Returns the slots for a request. A draw for each expression is added to `draws`, and each list variable that an
   * expression uses is added to `lists`.
   */
  allocateSlots(draws: DrawValues[], lists: number[] = []): SlotIndexes {
    return {
      variable: (name) => this.names.indexOf(name),
      type: (variable) => this.allocateType(variable),
      expression: (text) => {
        const index = this.allocate();
        draws.push(this.#drawExpression(text, index, lists));
        return index;
      },
    };
  }

  /** Allocates slots for the columns of payload rows that only one request uses. */
  allocateColumns(rows: PackedRows, draws: DrawValues[]): readonly number[] {
    const indexes = rows.names.map(() => this.allocate());
    draws.push(this.drawRows(rows, indexes));
    return indexes;
  }

  drawRows(rows: PackedRows, indexes: readonly number[]): DrawValues {
    const list = this.#drawCount++;
    if (rows.count === 0) return () => undefined;
    const current = { table: openRowTable(rows), count: rows.count, columns: rows.names.length };
    this.#latest = current;
    const spec = { count: rows.count, seed: this.#job.seed, list };
    const rowOf = this.#rowOrder(rows, spec);
    return (iteration) => {
      const { values } = iteration;
      const row = rowOf(iteration);
      const { table } = current;
      for (let column = 0; column < indexes.length; column++) {
        const index = indexes[column];
        if (index === undefined) continue;
        values[index] = table.value(row, column);
        const type = this.typeSlotOf(index);
        if (type >= 0) values[type] = table.isJson(row, column) ? '' : undefined;
      }
    };
  }

  replaceLatestRows(rows: PackedRows): void {
    const latest = this.#latest;
    if (latest?.count !== rows.count || latest.columns !== rows.names.length)
      throw new Error('Bug: the number of rows or columns differs from the earlier rows');
    latest.table = openRowTable(rows);
  }

  #rowOrder({ order, count }: PackedRows, spec: RowOrderSpec): (iteration: DrawingIteration) => number {
    if (order !== undefined) this.#usesRandom = true;
    switch (order) {
      // With `once`, each row is used only once, because the run ends after the last row.
      case 'once':
      case 'sequential':
        return ({ iterationNumber }) => iterationNumber % count;
      case 'client':
        return ({ number }) => number % count;
      case 'random':
        return ({ random }) => random.below(count);
      case undefined: {
        const shared = isOpenModel(this.#job)
          ? createShuffledOrder(spec, this.#position)
          : createRandomOrder(spec, this.#position);
        return () => shared.next();
      }
    }
  }

  /** Creates a function that draws a delay, in ms. */
  drawDelay({ min, max }: Delay): () => number {
    if (min === max) return () => min;
    const random = new Random(this.#job.seed, this.#drawCount++, this.#position.worker);
    return () => min + random.below(max - min + 1);
  }

  #drawExpression(text: string, index: number, lists: number[]): DrawValues {
    const expression = parseExpression(text);
    if (expression === null) throw new Error(`Bug: the expression "%{${text}}" was not validated`);
    this.#usesRandom = true;
    if (expression.kind === 'item') {
      const list = this.names.indexOf(expression.list);
      lists.push(list);
      return this.#drawItem(list, index);
    }
    if (expression.kind !== 'numbers') {
      const isAscii = expression.kind !== 'pick' && expression.kind !== 'characters';
      return (iteration) => {
        const value = generateValue(expression, sourceOf(iteration));
        iteration.values[index] = isAscii ? value : toByteString(value);
      };
    }
    let at = this.#position.worker;
    return ({ values, random }) => {
      values[index] = String(numberAt(expression, at, random));
      at += this.#position.workers;
    };
  }

  /** The value becomes undefined if the variable contains no list with items. */
  #drawItem(list: number, index: number): DrawValues {
    const itemsOf = createListReader();
    return ({ values, random }) => {
      const items = itemsOf(values[list]);
      const item = items.length === 0 ? undefined : items[random.below(items.length)];
      values[index] = item?.text;
      const type = this.typeSlotOf(index);
      if (type >= 0) values[type] = item?.isString === false ? '' : undefined;
    };
  }
}

function sourceOf({ random, number, iterationNumber }: DrawingIteration): ValueSource {
  return { random, now: wallTime, client: number, iteration: iterationNumber };
}

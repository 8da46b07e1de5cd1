/** Order of the rows of a table. The order is part of the address. */
import { useState } from 'preact/hooks';
import type { Column } from '../table.tsx';
import { readViewState, writeViewState } from './routes.ts';

/** `order` is the name of a column, such as `p95`, or `-p95` for the descending order. */
export interface RowOrder {
  readonly order: string;
  /** @param first - `-` to sort in descending order at the first click. */
  readonly sortBy: (column: string, first?: '' | '-') => NonNullable<Column['sort']>;
}

/** @param initial - Order to use if the address contains none. */
export function useOrder(initial: string): RowOrder {
  const [order, setOrder] = useState(readViewState().get('sort') ?? initial);
  const sortBy: RowOrder['sortBy'] = (column, first = '') => ({
    order: order === column ? 'ascending' : order === `-${column}` ? 'descending' : 'none',
    onSort: () => {
      const same = order === `${first}${column}`;
      const next = same ? (first === '' ? `-${column}` : column) : `${first}${column}`;
      writeViewState({ sort: next === initial ? null : next });
      setOrder(next);
    },
  });
  return { order, sortBy };
}

/** Sorts rows by value, in descending order if `order` starts with `-`. Rows without a value come last. */
export function inOrder<Row>(
  rows: readonly Row[],
  order: string,
  valueOf: (row: Row) => number | string | null,
): readonly Row[] {
  const sign = order.startsWith('-') ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return a === b ? 0 : sign * (a < b ? -1 : 1);
  });
}

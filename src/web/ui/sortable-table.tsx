/** A table that the user can sort. */
import { Table, type TableContent } from '../table.tsx';
import { inOrder, useOrder } from './use-order.ts';

/**
 * Sorts the rows by the order in the address. If the address contains no order, the rows remain in their original
 * order.
 */
export function SortableTable({ values = [], ...table }: TableContent) {
  const { order, sortBy } = useOrder('');
  const { columns, rows } = table;
  const sorted = columns.findIndex(({ heading }) => heading === order.replace(/^-/, ''));
  const indexes = inOrder([...rows.keys()], order, (row) => values[row]?.[sorted] ?? null);
  return (
    <Table
      {...table}
      cards
      keys={indexes.map(String)}
      columns={columns.map((column) => ({
        ...column,
        sort: sortBy(column.heading, column.numeric === true ? '-' : ''),
      }))}
      rows={indexes.map((row) => rows[row] ?? [])}
    />
  );
}

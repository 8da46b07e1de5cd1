/** A table that scrolls horizontally if it is wider than its container. */
import type { ComponentChildren } from 'preact';

export interface Column {
  readonly heading: string;
  readonly numeric?: true;
  readonly sort?: {
    readonly order: 'ascending' | 'descending' | 'none';
    readonly onSort: () => void;
  };
}

export function textColumns(...headings: readonly string[]): readonly Column[] {
  return headings.map((heading) => ({ heading }));
}

export function numberColumns(...headings: readonly string[]): readonly Column[] {
  return headings.map((heading) => ({ heading, numeric: true }));
}

/** Value by which rows are sorted; null if there is no value. */
export type SortValue = number | string | null;

export interface TableContent {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Values by which a sortable table sorts its rows, by row and column. */
  readonly values?: readonly (readonly SortValue[])[];
  /** With keys, a row retains its focus when other rows are added or removed. */
  readonly keys?: readonly string[];
  /** True to show each row as a card on a narrow screen. */
  readonly cards?: boolean;
}

function isResponseTime({ heading }: Column): boolean {
  return /^p\d/.test(heading);
}

/** The first cell of each row is the header of the row. */
export function Table(table: TableContent) {
  const { columns } = table;
  const cards = table.cards === true;
  // Sets the roles explicitly, because browsers drop the roles of a table whose rows are displayed as cards.
  const role = (name: 'table' | 'rowgroup' | 'row' | 'columnheader' | 'rowheader' | 'cell') =>
    cards ? { role: name } : {};
  const kind = (index: number): string | undefined =>
    columns[index]?.numeric === true ? 'number' : undefined;
  const from = columns.findIndex(isResponseTime);
  const count = columns.filter(isResponseTime).length;
  const rest = columns.length - from - count;
  return (
    <div class={cards ? 'frame cards' : 'frame'} role="group" aria-label={table.name} tabIndex={0}>
      <table {...role('table')}>
        <thead {...role('rowgroup')}>
          {count === 0 ? null : (
            <tr class="above" {...role('row')}>
              <td colSpan={from} {...role('cell')} />
              <th scope="colgroup" class="number" colSpan={count} {...role('columnheader')}>
                response time
              </th>
              {rest === 0 ? null : <td colSpan={rest} {...role('cell')} />}
            </tr>
          )}
          <tr {...role('row')}>
            {columns.map(({ heading, sort }, index) => (
              <th scope="col" class={kind(index)} aria-sort={sort?.order} {...role('columnheader')}>
                {sort === undefined && table.values === undefined ? (
                  heading
                ) : (
                  <button type="button" class="sort" onClick={sort?.onSort}>
                    {heading}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...role('rowgroup')}>
          {table.rows.map((cells, row) => (
            <tr key={table.keys?.[row]} {...role('row')}>
              {cells.map((cell, index) =>
                index === 0 ? (
                  <th
                    scope="row"
                    class={kind(index)}
                    data-value={table.values?.[row]?.[index]}
                    {...role('rowheader')}
                  >
                    {cell}
                  </th>
                ) : (
                  <td
                    class={kind(index)}
                    data-value={table.values?.[row]?.[index]}
                    {...role('cell')}
                    {...(cards ? { 'data-label': columns[index]?.heading } : {})}
                  >
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

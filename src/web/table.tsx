/** A table that scrolls horizontally if it is wider than its container. */
import type { ComponentChildren } from 'preact';

export interface Column {
  readonly heading: string;
  /** True to align the column to the right. */
  readonly numeric?: true;
}

/** The first cell of each row is the header of the row. */
export function Table(table: {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Keys of the rows. With keys, a row keeps its focus when other rows are added or removed. */
  readonly keys?: readonly string[];
}) {
  const kind = (index: number): string | undefined =>
    table.columns[index]?.numeric === true ? 'number' : undefined;
  return (
    <div class="frame" role="group" aria-label={table.name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {table.columns.map(({ heading }, index) => (
              <th scope="col" class={kind(index)}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((cells, index) => (
            <tr key={table.keys?.[index]}>
              {cells.map((cell, index) =>
                index === 0 ? (
                  <th scope="row" class={kind(index)}>
                    {cell}
                  </th>
                ) : (
                  <td class={kind(index)}>{cell}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

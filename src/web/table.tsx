/** A table of texts. */
import type { ComponentChildren } from 'preact';

export interface Column {
  readonly heading: string;
  /** Numbers stand at the right. */
  readonly numeric?: true;
}

/** The first cell of each row names it. The frame can be scrolled where the table is wider than its place. */
export function Table(table: {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Of each row, where rows come and go: what has the focus keeps it. */
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

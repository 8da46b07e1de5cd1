/** Prints a row's table and its goals. */

export function printRow(row, result, write) {
  write(`\n${row.title}  [${row.name}]`);
  if (result.skipped !== undefined) {
    write(`  skipped: ${result.skipped}`);
    return;
  }
  for (const line of table(result.rows)) write(`  ${line}`);
  for (const { what, goal, measured, met } of result.goals) {
    write(`  ${met ? 'met   ' : 'MISSED'} ${what}: ${measured} (goal ${goal})`);
  }
}

/** Formats a table with aligned columns; numbers are aligned to the right. */
function table(rows) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [
    columns.map((column) => (column === 'name' ? '' : column)),
    ...rows.map((row) => columns.map((column) => textOf(row[column]))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at].length)));
  const isText = columns.map((column) => rows.every((row) => typeof row[column] !== 'number'));
  return cells.map((line) =>
    line
      .map((cell, at) => (isText[at] ? cell.padEnd(widths[at]) : cell.padStart(widths[at])))
      .join('  ')
      .trimEnd(),
  );
}

function textOf(value) {
  if (typeof value !== 'number') return value ?? '';
  return Number.isInteger(value) ? value.toLocaleString('en-US') : value.toFixed(2);
}

/**
 * UTF-8 check of all strings in a database. Reads strings as bytes, because the binding would abort the process on text
 * that is not UTF-8.
 */
import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type Libsql from 'libsql';

/** Number of rows read at a time; small, because a string in a row may be as large as a request. */
const ROWS_PER_BATCH = 16;

/**
 * Reports whether all strings are valid UTF-8, without blocking other work of the process. The pages of the database
 * must be intact.
 */
export async function hasValidUtf8(connection: Libsql.Database): Promise<boolean> {
  const names = bytesOf(
    connection,
    "SELECT CAST(name AS BLOB) AS name FROM sqlite_schema WHERE type = 'table'",
  );
  if (!names.every((row) => row.every(isUtf8))) return false;
  for (const name of names.flat()) if (!(await hasValidTable(connection, name.toString()))) return false;
  return true;
}

async function hasValidTable(connection: Libsql.Database, table: string): Promise<boolean> {
  const columns = bytesOf(
    connection,
    // Tables are strict, so a BLOB column contains only bytes and is read as bytes.
    `SELECT CAST(name AS BLOB) AS name FROM pragma_table_info(${quoteName(table, "'")}) WHERE type <> 'BLOB'`,
  );
  if (!columns.every((row) => row.every(isUtf8))) return false;
  const texts = columns.flat().map((name) => `CAST(${quoteName(name.toString(), '"')} AS BLOB)`);
  const page = connection.prepare(
    `SELECT rowid, ${texts.join(', ')} FROM ${quoteName(table, '"')} WHERE rowid > ? ORDER BY rowid LIMIT ${ROWS_PER_BATCH}`,
  );
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const rows = page.raw(true).all(after) as readonly (readonly unknown[])[]; // With `raw`, rows are lists.
    for (const [rowid, ...cells] of rows) {
      if (!cells.filter((cell) => cell instanceof Uint8Array).every(isUtf8)) return false;
      after = Number(rowid);
    }
    if (rows.length < ROWS_PER_BATCH) return true;
    await setImmediate();
  }
}

function bytesOf(connection: Libsql.Database, sql: string): readonly (readonly Buffer[])[] {
  // The query casts values to this type.
  return connection.prepare(sql).raw(true).all() as readonly (readonly Buffer[])[];
}

function quoteName(name: string, quote: string): string {
  return quote + name.replaceAll(quote, quote + quote) + quote;
}

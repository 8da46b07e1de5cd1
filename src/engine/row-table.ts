/** Payload rows in memory that all threads of a run read: packed once, copied never. */
import type { LoadJob, PayloadRows } from '../core/load/load-job.ts';

/** Rows as bytes: the values in UTF-8, one behind the other, row by row. */
export interface PackedRows {
  readonly names: readonly string[];
  /** Rows. */
  readonly count: number;
  readonly bytes: SharedArrayBuffer;
  /** Where each value ends, as 32-bit numbers. */
  readonly ends: SharedArrayBuffer;
}

/** All rows of a job. */
export interface JobRows {
  /** One for each target. */
  readonly targets: readonly (PackedRows | null)[];
  readonly iterations: readonly PackedRows[];
}

export interface RowTable {
  /** A value as latin1 characters that stand for its bytes. */
  value(row: number, column: number): string;
}

/** Packs the rows of a job; a list that several targets share is packed once. */
export function packJobRows(job: LoadJob): JobRows {
  const packed = new Map<PayloadRows, PackedRows>();
  const packOnce = (rows: PayloadRows): PackedRows => {
    const known = packed.get(rows) ?? packRows(rows);
    packed.set(rows, known);
    return known;
  };
  return {
    targets: job.targets.map(({ rows }) => (rows === null ? null : packOnce(rows))),
    iterations: job.iterationRows.map(packOnce),
  };
}

/** The job without the values of its rows: what is copied to each thread. */
export function omitRows(job: LoadJob): LoadJob {
  return { ...job, targets: job.targets.map((target) => ({ ...target, rows: null })), iterationRows: [] };
}

export function packRows(rows: PayloadRows): PackedRows {
  const { names, values } = rows;
  let size = 0;
  for (const row of values) {
    if (row.length !== names.length) throw new Error('Bug: a row has not as many values as there are names');
    for (const value of row) size += Buffer.byteLength(value);
  }
  if (size >= 2 ** 32) throw new Error('Bug: payload rows of more than 4 GiB were let through');
  const bytes = new SharedArrayBuffer(size);
  const ends = new SharedArrayBuffer(values.length * names.length * Uint32Array.BYTES_PER_ELEMENT);
  const buffer = Buffer.from(bytes);
  const marks = new Uint32Array(ends);
  let at = 0;
  let mark = 0;
  for (const row of values) {
    for (const value of row) {
      at += buffer.write(value, at);
      marks[mark++] = at;
    }
  }
  return { names, count: values.length, bytes, ends };
}

export function openRowTable(packed: PackedRows): RowTable {
  const buffer = Buffer.from(packed.bytes);
  const ends = new Uint32Array(packed.ends);
  const columns = packed.names.length;
  return {
    value: (row, column) => {
      const index = row * columns + column;
      return buffer.toString('latin1', index === 0 ? 0 : ends[index - 1], ends[index]);
    },
  };
}

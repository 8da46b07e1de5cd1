/** Payload rows and body files in shared memory, which is packed once and read by all threads of a run. */
import type { LoadJob, PayloadRows } from '../core/load/load-job.ts';

/** Rows as bytes: all values in UTF-8, row by row, without separators. */
export interface PackedRows {
  readonly names: readonly string[];
  readonly order: PayloadRows['order'];
  readonly mask: readonly string[];
  readonly count: number;
  readonly bytes: SharedArrayBuffer;
  /** End offsets of the values, as 32-bit numbers. */
  readonly ends: SharedArrayBuffer;
  /** For each row, a string that marks the values that are JSON: see `PayloadRows.json`. */
  readonly json?: readonly string[];
}

export interface JobRows {
  readonly targets: readonly (PackedRows | null)[];
  readonly iterations: readonly PackedRows[];
  /** Contents of the files in request bodies, by SHA-256. */
  readonly files: ReadonlyMap<string, SharedArrayBuffer>;
}

export interface RowTable {
  /** Returns the bytes of a value as latin1 characters. */
  value(row: number, column: number): string;
  /** Reports whether a value is JSON other than a string. */
  isJson(row: number, column: number): boolean;
}

/** A list that several targets share is packed only once. */
export function packJobRows(job: LoadJob): JobRows {
  const packed = new Map<PayloadRows, PackedRows>();
  const packOnce = (rows: PayloadRows): PackedRows => {
    const packedRows = packed.get(rows) ?? packRows(rows);
    packed.set(rows, packedRows);
    return packedRows;
  };
  return {
    targets: job.targets.map(({ rows }) => (rows === null ? null : packOnce(rows))),
    iterations: job.iterationRows.map(packOnce),
    files: new Map(job.bodyFiles.map(({ sha256, content }) => [sha256, packBase64(content)])),
  };
}

function packBase64(text: string): SharedArrayBuffer {
  const content = Buffer.from(text, 'base64');
  const shared = new SharedArrayBuffer(content.length);
  Buffer.from(shared).set(content);
  return shared;
}

/** Returns a copy of the job without its rows and files. */
export function omitRows(job: LoadJob): LoadJob {
  const targets = job.targets.map((target) => ({ ...target, rows: null }));
  return { ...job, targets, iterationRows: [], bodyFiles: [] };
}

export function packRows(rows: PayloadRows): PackedRows {
  const { names, values, order, mask = [], json } = rows;
  let size = 0;
  for (const row of values) {
    if (row.length !== names.length)
      throw new Error('Bug: the number of values in a row differs from the number of names');
    for (const value of row) size += Buffer.byteLength(value);
  }
  if (size >= 2 ** 32) throw new Error('Bug: payload rows exceed 4 GiB');
  const bytes = new SharedArrayBuffer(size);
  const ends = new SharedArrayBuffer(values.length * names.length * Uint32Array.BYTES_PER_ELEMENT);
  const buffer = Buffer.from(bytes);
  const valueEnds = new Uint32Array(ends);
  let at = 0;
  let valueIndex = 0;
  for (const row of values) {
    for (const value of row) {
      at += buffer.write(value, at);
      valueEnds[valueIndex++] = at;
    }
  }
  return { names, order, mask, count: values.length, bytes, ends, ...(json === undefined ? {} : { json }) };
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
    isJson: (row, column) => packed.json?.[row]?.[column] === '1',
  };
}

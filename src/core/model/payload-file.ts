/** A file with rows. */
export interface PayloadFile {
  /** Digest of the content in 64 hex digits; empty if the file could not be read. */
  readonly sha256: string;
  /** Data of the local file; null for a file that a service lists. */
  readonly declared: DeclaredRows | null;
  /** Extension: options for reading the file and using its rows; absent if none are set. */
  readonly options?: RowOptions;
}

export const ROW_ORDERS = ['sequential', 'random', 'once', 'client'] as const;

export type RowOrderName = (typeof ROW_ORDERS)[number];

export interface RowOptions {
  /** Names of the columns of a CSV file without a header line. */
  readonly columns?: readonly string[];
  /** Delimiter between the values of a CSV file. Default: a comma. */
  readonly delimiter?: string;
  /** Order of use. Default: random in cycling tests; otherwise, each row once before any is repeated. */
  readonly order?: RowOrderName;
  /** Columns whose values are masked in all outputs. */
  readonly mask?: readonly string[];
}

/** Returns a string that identifies the rows of a file: its content and the options for reading and using the rows. */
export function keyOfRows({ sha256, options }: PayloadFile): string {
  return options === undefined ? sha256 : `${sha256} ${rowOptionsText(options)}`;
}

/** The format must not change, because digests in existing markers depend on it. */
export function rowOptionsText({ columns, delimiter, order, mask }: RowOptions): string {
  const named = [
    ['columns', columns],
    ['delimiter', delimiter],
    ['order', order],
    ['mask', mask],
  ] as const;
  return named
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`]))
    .join(', ');
}

export interface DeclaredRows {
  /** Path as written in the configuration file. */
  readonly path: string;
  readonly rows: number;
  readonly columns: number;
  /** Names of the variables that every iteration receives; null if each request of the URL receives a separate row. */
  readonly variables: readonly string[] | null;
}

/** A file that is sent as the body of a request or as a part of a multipart body. */
export interface BodyFile {
  /** Digest of the content in 64 hex digits; empty if the file could not be read. */
  readonly sha256: string;
  readonly declared: DeclaredBody | null;
}

export interface DeclaredBody {
  readonly path: string;
  readonly bytes: number;
}

/** Maximum size of one file, and of all files of a test together, in bytes. */
export const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;

export function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Returns the row count of the smallest file whose rows are used once; null if no such count is known. */
export function rowLimitOf(
  files: readonly { readonly order?: RowOrderName | undefined; readonly rows: number | undefined }[],
): number | null {
  const counts = files.flatMap(({ order, rows }) => (order === 'once' && rows !== undefined ? [rows] : []));
  return counts.length === 0 ? null : Math.min(...counts);
}

/** A file with rows of values, known by its content. */
export interface PayloadFile {
  /** Of its bytes: 64 hex digits. Empty where it could not be read. */
  readonly sha256: string;
  /** What lies beside the file of the test; null of what a service lists. */
  readonly declared: DeclaredRows | null;
}

export interface DeclaredRows {
  /** As the file of the test writes it. */
  readonly path: string;
  readonly rows: number;
  readonly columns: number;
  /** Variables that every pass gets; null: each request of the URL gets a row of its own. */
  readonly variables: readonly string[] | null;
}

/** Of one file, and of all that a test names. */
export const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;

export function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

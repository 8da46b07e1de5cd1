/** A file with rows, identified by its content. */
export interface PayloadFile {
  /** Digest of the content, as 64 hex digits; empty if the file could not be read. */
  readonly sha256: string;
  /** The file next to the configuration file; null for a file that a service lists. */
  readonly declared: DeclaredRows | null;
}

export interface DeclaredRows {
  /** Path as written in the configuration file. */
  readonly path: string;
  readonly rows: number;
  readonly columns: number;
  /** Variables that every iteration receives; null if each request of the URL receives a row of its own. */
  readonly variables: readonly string[] | null;
}

/** A file that is the body of a request, or a part of it, identified by its content. */
export interface BodyFile {
  /** Digest of the content, as 64 hex digits; empty if the file could not be read. */
  readonly sha256: string;
  /** The file next to the configuration file; null for a file that a service lists. */
  readonly declared: DeclaredBody | null;
}

export interface DeclaredBody {
  /** Path as written in the configuration file. */
  readonly path: string;
  /** Size in bytes. */
  readonly bytes: number;
}

/** Maximum size of one file, and of all files of a test together. */
export const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;

export function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Payload files and body files that clients upload. Each file is stored as long as a test references it. */
import { withCommas } from '../../core/counted.ts';
import { createHash } from 'node:crypto';
import type { RowOptions } from '../../core/model/payload-file.ts';
import { countRows, MAX_PAYLOAD_ROWS, readRowsFile, type Payload } from '../../core/load/payload-format.ts';
import { notFound, unprocessable } from '../refusal.ts';
import type { PayloadFileStore, StoredPayloadFile } from '../store/payload-file-store.ts';

export interface UploadedFilesDeps {
  readonly store: PayloadFileStore;
  /** Maximum total size of all files. */
  readonly maxBytes: number;
  readonly now: () => number;
}

/** Maximum time between the upload of a file and the creation of the test that references it. */
const UNUSED_RETENTION_MS = 60 * 60 * 1000;

export class UploadedFiles {
  readonly #deps: UploadedFilesDeps;

  constructor(deps: UploadedFilesDeps) {
    this.#deps = deps;
  }

  /**
   * Returns an uploaded payload file.
   * @throws Refusal 404 if the file does not exist.
   */
  get(sha256: string): StoredPayloadFile {
    const { store, now } = this.#deps;
    const file = store.touch(sha256, now());
    if (file === null) throw notFound();
    return file;
  }

  /**
   * Stores a file. Has no effect if the file already exists.
   * @throws Refusal 422 if the content does not match the digest or exceeds the total size.
   */
  put(sha256: string, content: Buffer): StoredPayloadFile {
    const { store, maxBytes, now } = this.#deps;
    if (createHash('sha256').update(content).digest('hex') !== sha256) {
      throw unprocessable('the SHA-256 digest of the body does not match the path');
    }
    const existing = store.touch(sha256, now());
    if (existing !== null) return existing;
    const rows = countFileRows(content);
    store.deleteUnused(now() - UNUSED_RETENTION_MS);
    if (store.total() + content.length > maxBytes) {
      throw unprocessable(
        `the payload files of this account may use at most ${withCommas(maxBytes)} bytes in total; a file is deleted when no test uses it, and deleting an app deletes its tests`,
      );
    }
    const file = { sha256, size: content.length, rows };
    store.insert({ ...file, content }, now());
    return file;
  }
}

/** Reads the rows of an uploaded file, which may be a payload file or a request body. */
export function readUploadedRows(content: Buffer, maxRows = MAX_PAYLOAD_ROWS, options?: RowOptions): Payload {
  try {
    return readRowsFile(new TextDecoder('utf-8', { fatal: true }).decode(content), maxRows, options);
  } catch (error) {
    if (error instanceof TypeError) return { kind: 'unusable', reason: 'is not UTF-8' };
    throw error;
  }
}

/** Returns the number of rows of a file; 0 if it is not a payload file. */
function countFileRows(content: Buffer): number {
  const payload = readUploadedRows(content);
  return payload.kind === 'unusable' ? 0 : countRows(payload);
}

/** Payload files that callers send, so that tests can name them: kept as long as one does. */
import { createHash } from 'node:crypto';
import { countRows, readRowsFile } from '../../core/load/payload-format.ts';
import { notFound, unprocessable } from '../refusal.ts';
import type { PayloadFileStore, StoredPayloadFile } from '../store/payload-file-store.ts';

export interface UploadedFilesDeps {
  readonly store: PayloadFileStore;
  /** Of all files together. */
  readonly maxBytes: number;
  readonly now: () => number;
}

/** Between a file and the test that names it; a command sends them one after the other. */
const UNUSED_RETENTION_MS = 60 * 60 * 1000;

export class UploadedFiles {
  readonly #deps: UploadedFilesDeps;

  constructor(parts: UploadedFilesDeps) {
    this.#deps = parts;
  }

  /** Errors: Refusal 404. */
  get(sha256: string): StoredPayloadFile {
    const { store, now } = this.#deps;
    const file = store.touch(sha256, now());
    if (file === null) throw notFound();
    return file;
  }

  /** What is there already stays as it is. Errors: Refusal 422 for what is not that file, no rows, or too much. */
  put(sha256: string, content: Buffer): StoredPayloadFile {
    const { store, maxBytes, now } = this.#deps;
    if (createHash('sha256').update(content).digest('hex') !== sha256) {
      throw unprocessable('the SHA-256 of the body is not the one of the path');
    }
    const there = store.touch(sha256, now());
    if (there !== null) return there;
    const rows = countFileRows(content);
    store.deleteUnused(now() - UNUSED_RETENTION_MS);
    if (store.total() + content.length > maxBytes) {
      throw unprocessable(
        `the payload files of this account may hold ${maxBytes} bytes together; a file goes when no test names it any more, and deleting an app deletes its tests`,
      );
    }
    const file = { sha256, size: content.length, rows };
    store.insert({ ...file, content }, now());
    return file;
  }
}

function countFileRows(content: Buffer): number {
  const payload = readRowsFile(decodeText(content));
  if (payload.kind === 'unusable') {
    const { place, reason } = payload;
    const where = place === undefined ? '' : ` (line ${place.line}, column ${place.column})`;
    throw unprocessable(`the payload file ${reason}${where}`);
  }
  return countRows(payload);
}

function decodeText(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw unprocessable('the payload file is not UTF-8');
  }
}

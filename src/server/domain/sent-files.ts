/** Payload files that callers send, so that tests can name them: kept as long as one does. */
import { createHash } from 'node:crypto';
import { countRows, readRowsFile } from '../../core/load/payload-format.ts';
import { notFound, unprocessable } from '../refusal.ts';
import type { PayloadFileStore, StoredPayloadFile } from '../store/payload-files.ts';

export interface SentFilesParts {
  readonly store: PayloadFileStore;
  /** Of all files together. */
  readonly mostBytes: number;
  readonly now: () => number;
}

/** Between a file and the test that names it; a command sends them one after the other. */
const UNUSED_KEPT_MS = 60 * 60 * 1000;

export class SentFiles {
  readonly #parts: SentFilesParts;

  constructor(parts: SentFilesParts) {
    this.#parts = parts;
  }

  /** Errors: Refusal 404. */
  get(sha256: string): StoredPayloadFile {
    const { store, now } = this.#parts;
    const file = store.touch(sha256, now());
    if (file === null) throw notFound();
    return file;
  }

  /** What is there already stays as it is. Errors: Refusal 422 for what is not that file, no rows, or too much. */
  put(sha256: string, content: Buffer): StoredPayloadFile {
    const { store, mostBytes, now } = this.#parts;
    if (createHash('sha256').update(content).digest('hex') !== sha256) {
      throw unprocessable('the SHA-256 of the body is not the one of the path');
    }
    const there = store.touch(sha256, now());
    if (there !== null) return there;
    const rows = rowsIn(content);
    store.forgetUnused(now() - UNUSED_KEPT_MS);
    if (store.total() + content.length > mostBytes) {
      throw unprocessable(
        `the payload files of this account may hold ${mostBytes} bytes together; a file goes when no test names it any more, and deleting an app deletes its tests`,
      );
    }
    const file = { sha256, size: content.length, rows };
    store.insert({ ...file, content }, now());
    return file;
  }
}

function rowsIn(content: Buffer): number {
  const payload = readRowsFile(textOf(content));
  if (payload.kind === 'unusable') {
    const { place, reason } = payload;
    const where = place === undefined ? '' : ` (line ${place.line}, column ${place.column})`;
    throw unprocessable(`the payload file ${reason}${where}`);
  }
  return countRows(payload);
}

function textOf(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw unprocessable('the payload file is not UTF-8');
  }
}

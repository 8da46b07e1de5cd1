import { withCommas } from '../../core/counted.ts';
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { StoredPayloadFile } from '../../contract/responses.ts';
import type { RowOptions } from '../../core/model/payload-file.ts';
import { countRows, MAX_PAYLOAD_ROWS, readRowsFile, type Payload } from '../../core/load/payload-format.ts';
import { notFound, unprocessable } from '../refusal.ts';
import type { PayloadFileStore } from '../store/payload-file-store.ts';

export interface UploadedFilesDeps {
  readonly store: PayloadFileStore;
  readonly maxBytes: number;
  readonly now: () => number;
}

/** Minimum time in ms for which an unreferenced file is retained after its last use. */
const UNUSED_RETENTION_MS = 60 * 60 * 1000;

export class UploadedFiles {
  readonly #deps: UploadedFilesDeps;

  constructor(deps: UploadedFilesDeps) {
    this.#deps = deps;
  }

  /** @throws Refusal 404 if the file does not exist. */
  get(sha256: string): StoredPayloadFile {
    const { store, now } = this.#deps;
    const file = store.touch(sha256, now());
    if (file === null) throw notFound();
    return file;
  }

  /**
   * Stores a file, or marks the existing one as used.
   * @throws Refusal 422 if the content does not match the digest or the files exceed their total size.
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
        `with this file, the payload files of this account would exceed ${withCommas(maxBytes)} bytes in total; delete an app to delete its tests (files that no test uses are deleted after an hour)`,
      );
    }
    const file = { sha256, size: content.length, rows };
    store.insert({ ...file, content }, now());
    return file;
  }
}

export function readUploadedRows(content: Buffer, maxRows = MAX_PAYLOAD_ROWS, options?: RowOptions): Payload {
  if (!isUtf8(content)) return { kind: 'unusable', reason: 'is not UTF-8' };
  return readRowsFile(new TextDecoder().decode(content), maxRows, options);
}

function countFileRows(content: Buffer): number {
  const payload = readUploadedRows(content);
  return payload.kind === 'unusable' ? 0 : countRows(payload);
}

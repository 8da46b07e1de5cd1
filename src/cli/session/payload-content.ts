/** Payload files, read once more when they are sent. */
import { readPayloadBytes, sha256OfBytes } from '../../config/included-files.ts';
import { readRowsBytes } from '../../config/read-files.ts';
import type { PayloadFile } from '../../core/model/payload-file.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { realPath } from '../../disk/untrusted-file.ts';

/** Errors: ProblemError where it cannot be read, or is not what it was when the command began. */
export function readPayloadContent(directory: string, { sha256, declared }: PayloadFile): Uint8Array {
  const path = declared?.path ?? '';
  const read = readPayloadBytes(directory, path, { readBytes: readRowsBytes, realPath });
  if ('reason' in read) {
    throw new ProblemError(problem('LT_CONFIG_UNREADABLE', `the payload file "${path}" ${read.reason}`));
  }
  if (sha256OfBytes(read.bytes) === sha256) return read.bytes;
  const message = `the payload file "${path}" has changed since the plan was made`;
  throw new ProblemError(problem('LT_PLAN_STALE', message, { hint: 'make a new plan and review it' }));
}

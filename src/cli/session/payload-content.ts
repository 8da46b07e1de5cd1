/** Content of payload files, which is read again before it is sent. */
import { readPayloadBytes, sha256OfBytes } from '../../config/included-files.ts';
import { readRowsBytes } from '../../config/read-files.ts';
import type { PayloadFile } from '../../core/model/payload-file.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { realPath } from '../../disk/untrusted-file.ts';

/** @throws ProblemError if the file cannot be read or has changed since the command started. */
export function readPayloadContent(directory: string, { sha256, declared }: PayloadFile): Uint8Array {
  const path = declared?.path ?? '';
  const read = readPayloadBytes(directory, path, { readBytes: readRowsBytes, realPath });
  if ('reason' in read) {
    throw new ProblemError(problem('LT_CONFIG_UNREADABLE', `the payload file "${path}" ${read.reason}`));
  }
  if (sha256OfBytes(read.bytes) === sha256) return read.bytes;
  const message = `the payload file "${path}" has changed since the plan was created`;
  throw new ProblemError(problem('LT_PLAN_STALE', message, { hint: 'create a new plan and review it' }));
}

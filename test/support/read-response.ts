/** Reads one answer with the engine's parser. */
import { DONE, MORE, ResponseParser } from '../../src/engine/response-parser.ts';

export interface ParsedResponse {
  /** `done`, `until close` when only the end of the connection ended it, or the fault. */
  readonly outcome: string;
  readonly status: number;
  readonly close: boolean;
  readonly captured: readonly (string | undefined)[];
}

/** Feeds the parts through one shared buffer, which is spoilt in between as the engine's is. */
export function readResponse(
  parts: readonly string[],
  wanted: readonly string[] = [],
  headOnly = false,
): ParsedResponse {
  const parser = new ResponseParser();
  const buffer = Buffer.alloc(256 * 1024);
  parser.begin(
    wanted.map((name) => Buffer.from(name)),
    false,
    null,
    headOnly,
  );
  const result = (outcome: string): ParsedResponse => ({
    outcome,
    status: parser.status,
    close: parser.mustClose,
    captured: [...parser.captured],
  });
  for (const part of parts) {
    buffer.fill('\r\n');
    const length = buffer.write(part, 'latin1');
    const outcome = parser.feed(buffer, length);
    if (outcome === DONE) return result('done');
    if (outcome !== MORE) return result(parser.fault);
  }
  return parser.finish() === DONE ? result('until close') : result(parser.fault);
}

/** One latin1 character stands for one byte. */
export const splitBytes = (bytes: string): string[] => Array.from(bytes);

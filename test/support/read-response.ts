/** Parses one response with the parser of the engine. */
import { DONE, MORE, ResponseParser } from '../../src/engine/response-parser.ts';

export interface ParsedResponse {
  /** `done`, `until close` if only the end of the connection ends it, or the fault. */
  readonly outcome: string;
  readonly status: number;
  readonly close: boolean;
  readonly captured: readonly (string | undefined)[];
}

const shared = Buffer.alloc(256 * 1024, '\r\n');
/** Length of the latest part in the buffer. The rest of the buffer contains line breaks. */
let filled = 0;

/** Feeds the parts through one shared buffer, which is overwritten in between, as in the engine. */
export function readResponse(
  parts: readonly string[],
  headerNames: readonly string[] = [],
  headOnly = false,
): ParsedResponse {
  const parser = new ResponseParser();
  parser.begin(
    headerNames.map((name) => Buffer.from(name)),
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
    shared.fill('\r\n', 0, filled);
    filled = shared.write(part, 'latin1');
    const outcome = parser.feed(shared, filled);
    if (outcome === DONE) return result('done');
    if (outcome !== MORE) return result(parser.fault);
  }
  return parser.finish() === DONE ? result('until close') : result(parser.fault);
}

/** Each latin1 character represents one byte. */
export const splitBytes = (bytes: string): string[] => Array.from(bytes);

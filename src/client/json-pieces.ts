import { setImmediate } from 'node:timers/promises';
import { decodeText } from './received-body.ts';

/** Default minimum length of a piece, in bytes. */
const PIECE_BYTES = 1024 * 1024;

/**
 * Parses UTF-8 text with the same result as `JSON.parse`. If possible, parses a long list of objects in pieces, each in
 * a separate turn of the event loop.
 *
 * @throws SyntaxError
 */
export async function parseJson(bytes: Buffer, pieceBytes = PIECE_BYTES): Promise<unknown> {
  const parsed = bytes.length > pieceBytes ? await parseList(bytes, pieceBytes) : null;
  return parsed ?? JSON.parse(decodeText(bytes));
}

const MAX_START_BYTES = 256;
const COMMA = 0x2c;

/** Returns null if the text cannot be divided. */
async function parseList(bytes: Buffer, pieceBytes: number): Promise<readonly unknown[] | null> {
  const head = bytes.toString('latin1', 0, MAX_START_BYTES);
  const [listStart, memberStart] =
    /^[ \t\r\n]*\[[ \t\r\n]*(\{[ \t\r\n]*"[^"\\]*"[ \t\r\n]*:)/.exec(head) ?? [];
  if (listStart === undefined || memberStart === undefined) return null;
  const members: unknown[] = [];
  for (let from = listStart.length - memberStart.length; ;) {
    const next = bytes.indexOf(memberStart, from + pieceBytes, 'latin1');
    const end = next === -1 ? bytes.length : bytes.lastIndexOf(COMMA, next);
    if (next !== -1 && bytes.toString('latin1', end + 1, next).trim() !== '') return null;
    // The text ends between two members if appending "]" makes it valid JSON.
    const piece = parsePiece(`[${decodeText(bytes.subarray(from, end))}${next === -1 ? '' : ']'}`);
    if (piece.length === 0) return null;
    for (const member of piece) members.push(member);
    if (next === -1) return members;
    from = end + 1;
    await setImmediate();
  }
}

/** Returns an empty list if the text is not valid JSON. */
function parsePiece(text: string): readonly unknown[] {
  try {
    return JSON.parse(text) as readonly unknown[];
  } catch {
    return [];
  }
}

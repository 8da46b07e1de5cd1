/** Parsing of long lists in pieces, so that a command processes signals while it reads a large account. */
import { setImmediate } from 'node:timers/promises';

/** Takes about 10 ms to parse. */
const PIECE_LENGTH = 1024 * 1024;

/**
 * Parses text with the same result as `JSON.parse`. A long list of objects with the same first field is parsed
 * in pieces, each in a turn of the event loop.
 *
 * @param pieceLength - Minimum length of a piece, in UTF-16 code units.
 * @throws SyntaxError
 */
export async function parseJson(text: string, pieceLength = PIECE_LENGTH): Promise<unknown> {
  const parsed = text.length > pieceLength ? await parseList(text, pieceLength) : null;
  return parsed ?? JSON.parse(text);
}

/** Returns null if the text cannot be divided. */
async function parseList(text: string, pieceLength: number): Promise<readonly unknown[] | null> {
  const [start, memberStart] = /^\s*\[\s*(\{\s*"[^"\\]{0,100}"\s*:)/.exec(text) ?? [];
  if (start === undefined || memberStart === undefined) return null;
  const members: unknown[] = [];
  for (let from = text.indexOf('[') + 1; ;) {
    const next = text.indexOf(memberStart, from + pieceLength);
    const end = next === -1 ? text.length : text.lastIndexOf(',', next);
    if (next !== -1 && text.slice(end + 1, next).trim() !== '') return null;
    // A prefix of a list that forms a complete list ends between two members, not inside one of them.
    const piece = parsePiece(`[${text.slice(from, end)}${next === -1 ? '' : ']'}`);
    if (piece.length === 0) return null;
    for (const member of piece) members.push(member);
    if (next === -1) return members;
    from = end + 1;
    await setImmediate();
  }
}

/** Returns an empty list if the text is not a list. */
function parsePiece(text: string): readonly unknown[] {
  try {
    return JSON.parse(text) as readonly unknown[];
  } catch {
    return [];
  }
}

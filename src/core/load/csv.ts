/**
 * Strict CSV parser. Quotes within quoted fields must be doubled, and lines must end with CRLF or LF.
 * @see RFC 4180
 */

export interface CsvRecord {
  readonly values: readonly string[];
  /** Line on which the record begins, counted from 1. */
  readonly line: number;
}

/** A syntax error. `line` and `column` are counted from 1, and `column` counts UTF-16 code units. */
export interface CsvFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export type CsvResult =
  | { readonly ok: true; readonly records: readonly CsvRecord[] }
  | { readonly ok: false; readonly fault: CsvFault };

const QUOTE = '"';

/**
 * @param text - CSV text without a byte order mark; the last line may lack a line break
 * @param delimiter - one character other than a quote or a line break
 */
export function readCsv(text: string, delimiter = ','): CsvResult {
  const fieldEnd = new RegExp(`[\\u{${(delimiter.codePointAt(0) ?? 0).toString(16)}}\\r\\n]`, 'gu');
  const records: CsvRecord[] = [];
  let values: string[] = [];
  let line = 1;
  let lineStart = 0;
  let recordLine = 1;
  let at = 0;
  const fail = (offset: number, message: string): CsvResult => ({
    ok: false,
    fault: { line, column: offset - lineStart + 1, message },
  });
  while (at < text.length) {
    let value: string;
    if (text[at] === QUOTE) {
      const opened = { line, lineStart, at };
      value = '';
      for (let from = at + 1; ; from = at + 1) {
        const end = text.indexOf(QUOTE, from);
        if (end === -1) {
          ({ line, lineStart } = opened);
          return fail(opened.at, 'the quote is not closed');
        }
        const content = text.slice(from, end);
        for (let feed = content.indexOf('\n'); feed >= 0; feed = content.indexOf('\n', feed + 1)) {
          line++;
          lineStart = from + feed + 1;
        }
        value += content;
        at = end + 1;
        if (text[at] !== QUOTE) break;
        value += QUOTE;
      }
    } else {
      const end = endOfUnquoted(text, at, fieldEnd);
      value = text.slice(at, end);
      const quote = value.indexOf(QUOTE);
      if (quote !== -1) {
        return fail(
          at + quote,
          'a value that contains a quote must be enclosed in quotes, and its own quotes must be doubled',
        );
      }
      at = end;
    }
    values.push(value);
    if (text[at] === delimiter) {
      at++;
      // A delimiter at the end of the file is followed by an empty value.
      if (at < text.length) continue;
      values.push('');
    } else if (at < text.length) {
      const length = text[at] === '\n' ? 1 : text.startsWith('\r\n', at) ? 2 : 0;
      if (length === 0) {
        const message =
          text[at] === '\r'
            ? 'a carriage return is not followed by a line feed; end lines with CRLF or LF'
            : `the closing quote must be followed by ${delimiter === ',' ? 'a comma' : 'the delimiter'} or the end of the line`;
        return fail(at, message);
      }
      at += length;
      line++;
      lineStart = at;
    }
    records.push({ values, line: recordLine });
    values = [];
    recordLine = line;
  }
  return { ok: true, records };
}

function endOfUnquoted(text: string, from: number, fieldEnd: RegExp): number {
  fieldEnd.lastIndex = from;
  return fieldEnd.exec(text)?.index ?? text.length;
}

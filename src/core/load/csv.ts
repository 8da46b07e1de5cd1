/**
 * Rows of a CSV file, to the letter: commas, quotes that are doubled within quotes, lines that end in CRLF or LF.
 *
 * Source: RFC 4180.
 */

export interface CsvRecord {
  readonly values: readonly string[];
  /** Where it begins, from 1. */
  readonly line: number;
}

/** Where something is wrong: a line and a UTF-16 unit in it, both from 1. */
export interface CsvFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export type CsvResult =
  | { readonly ok: true; readonly records: readonly CsvRecord[] }
  | { readonly ok: false; readonly fault: CsvFault };

const QUOTE = '"';

/** @param text without a byte order mark; the end of its last line may be missing */
export function readCsv(text: string): CsvResult {
  const records: CsvRecord[] = [];
  let values: string[] = [];
  let line = 1;
  let lineStart = 0;
  let recordLine = 1;
  let at = 0;
  const wrong = (place: number, message: string): CsvResult => ({
    ok: false,
    fault: { line, column: place - lineStart + 1, message },
  });
  while (at < text.length) {
    let value: string;
    if (text[at] === QUOTE) {
      const opened = { line, lineStart, at };
      value = '';
      for (let from = at + 1; ; from = at + 1) {
        const end = text.indexOf(QUOTE, from);
        if (end < 0) {
          ({ line, lineStart } = opened);
          return wrong(opened.at, 'the quote is not closed');
        }
        const part = text.slice(from, end);
        for (let feed = part.indexOf('\n'); feed >= 0; feed = part.indexOf('\n', feed + 1)) {
          line++;
          lineStart = from + feed + 1;
        }
        value += part;
        at = end + 1;
        if (text[at] !== QUOTE) break;
        value += QUOTE;
      }
    } else {
      const end = endOfUnquoted(text, at);
      value = text.slice(at, end);
      const quote = value.indexOf(QUOTE);
      if (quote >= 0) {
        return wrong(at + quote, 'a value with a quote must stand in quotes, with the quote doubled');
      }
      at = end;
    }
    values.push(value);
    if (text[at] === ',') {
      at++;
      // A comma at the end of the file has an empty value behind it.
      if (at < text.length) continue;
      values.push('');
    } else if (at < text.length) {
      const length = text[at] === '\n' ? 1 : text.startsWith('\r\n', at) ? 2 : 0;
      if (length === 0) {
        const message =
          text[at] === '\r'
            ? 'a carriage return without a line feed; lines end in CRLF or LF'
            : 'a comma or the end of the line must follow the closing quote';
        return wrong(at, message);
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

const FIELD_END = /[,\r\n]/g;

function endOfUnquoted(text: string, from: number): number {
  FIELD_END.lastIndex = from;
  return FIELD_END.exec(text)?.index ?? text.length;
}

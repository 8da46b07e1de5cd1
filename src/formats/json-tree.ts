import {
  createPositions,
  InvalidSource,
  type IntakeSource,
  type PositionAt,
} from '../core/intake/source-text.ts';
import {
  infiniteNumber,
  MAX_DEPTH,
  MAX_VALUES,
  numberWritten,
  type MapEntry,
  type SourceNode,
} from './source-tree.ts';

/**
 * Parses a JSON document.
 * @throws InvalidSource if the document is not valid JSON or exceeds a limit.
 */
export function parseJsonSource(source: Pick<IntakeSource, 'path' | 'text'>): SourceNode {
  return new JsonReader(source).read();
}

class JsonReader {
  readonly #source: Pick<IntakeSource, 'path' | 'text'>;
  readonly #text: string;
  readonly #positionAt: PositionAt;
  #at: number;
  #values = 0;

  constructor(source: Pick<IntakeSource, 'path' | 'text'>) {
    this.#source = source;
    this.#text = source.text;
    this.#positionAt = createPositions(source.text);
    this.#at = source.text.startsWith('\ufeff') ? 1 : 0;
  }

  read(): SourceNode {
    const node = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length)
      throw this.#fault('the source is not valid JSON: text follows the JSON value');
    return node;
  }

  #fault(message: string): InvalidSource {
    return new InvalidSource(this.#source, this.#positionAt(Math.min(this.#at, this.#text.length)), message);
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.#text.charAt(this.#at))) this.#at += 1;
  }

  #value(depth: number): SourceNode {
    this.#skipSpace();
    this.#values += 1;
    if (depth > MAX_DEPTH) throw this.#fault(`the source is nested deeper than ${MAX_DEPTH} levels`);
    if (this.#values > MAX_VALUES) throw this.#fault('the source contains too many values');
    const at = this.#positionAt(this.#at);
    const character = this.#text.charAt(this.#at);
    if (character === '{') return { kind: 'map', at, entries: this.#members(depth) };
    if (character === '[') return { kind: 'list', at, items: this.#items(depth) };
    if (character === '"') return { kind: 'scalar', at, value: this.#string() };
    const [word = ''] =
      /^(?:true|false|null|-?\d[\d.eE+-]*)/.exec(this.#text.slice(this.#at, this.#at + 40)) ?? [];
    const value = word === '' ? undefined : parsed(word);
    if (value === undefined) throw this.#fault('the source is not valid JSON: a value is missing or invalid');
    const scalar = typeof value === 'number' ? numberWritten(word, value) : (value as boolean | null); // The value is a literal.
    if (typeof value === 'number' && scalar === null) throw this.#fault(infiniteNumber(word));
    this.#at += word.length;
    return { kind: 'scalar', at, value: scalar };
  }

  #members(depth: number): ReadonlyMap<string, MapEntry> {
    const entries = new Map<string, MapEntry>();
    this.#list('}', () => {
      const keyAt = this.#positionAt(this.#at);
      if (this.#text.charAt(this.#at) !== '"')
        throw this.#fault('the source is not valid JSON: a member name in double quotes is missing');
      const key = this.#string();
      this.#skipSpace();
      this.#expect(':');
      entries.set(key, { keyAt, node: this.#value(depth + 1) });
    });
    return entries;
  }

  #items(depth: number): readonly SourceNode[] {
    const items: SourceNode[] = [];
    this.#list(']', () => items.push(this.#value(depth + 1)));
    return items;
  }

  #list(closing: string, readMember: () => void): void {
    this.#at += 1;
    this.#skipSpace();
    if (this.#text.charAt(this.#at) === closing) {
      this.#at += 1;
      return;
    }
    for (;;) {
      this.#skipSpace();
      readMember();
      this.#skipSpace();
      if (this.#text.charAt(this.#at) === closing) break;
      this.#expect(',');
    }
    this.#at += 1;
  }

  #expect(character: string): void {
    if (this.#text.charAt(this.#at) !== character)
      throw this.#fault(`the source is not valid JSON: "${character}" is missing`);
    this.#at += 1;
  }

  #string(): string {
    let end = this.#at;
    for (;;) {
      end = this.#text.indexOf('"', end + 1);
      if (end === -1) throw this.#fault('the source is not valid JSON: a string is not closed');
      let backslashes = 0;
      while (this.#text.charAt(end - 1 - backslashes) === '\\') backslashes += 1;
      if (backslashes % 2 === 0) break;
    }
    const value = parsed(this.#text.slice(this.#at, end + 1));
    if (typeof value !== 'string')
      throw this.#fault(
        'the source is not valid JSON: a string contains an invalid character or escape sequence',
      );
    this.#at = end + 1;
    return value;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

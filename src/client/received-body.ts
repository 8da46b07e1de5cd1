import { isUtf8 } from 'node:buffer';
import { ListPieces } from './json-pieces.ts';
import { toSafeLine } from './remote-text.ts';

/** `truncated`: the body is incomplete. `unreadable`: the body is too large, encoded or not UTF-8. */
export type Body =
  /** `members`: members of a long JSON list that were parsed and removed from the start of the list in `bytes`. */
  | { readonly kind: 'text'; readonly bytes: Buffer; readonly members: readonly unknown[] }
  | { readonly kind: 'truncated' | 'unreadable'; readonly reason: string };

const SMALL_BODY_BYTES = 16 * 1024;
const MAX_FIRST_BUFFER_BYTES = 256 * 1024;
const OPENING_BRACKET = 0x5b;

export class ReceivedBody {
  readonly #maxBytes: number;
  readonly #list: ListPieces;
  #bytes: Buffer;
  /** Length of the text in `#bytes`, which excludes members that were parsed. */
  #length = 0;
  #received = 0;
  #refusal: Body | null = null;

  constructor(headers: ReadonlyMap<string, string>, maxBytes: number, list = new ListPieces()) {
    this.#list = list;
    this.#maxBytes = maxBytes;
    const encoding = headers.get('content-encoding') ?? 'identity';
    const contentLength = Number(headers.get('content-length') ?? 0);
    if (encoding.toLowerCase() !== 'identity') {
      this.#refuse(`has the content encoding "${toSafeLine(encoding)}", which was not requested`);
    } else if (contentLength > maxBytes) this.#refuse(this.#tooLong);
    const length = this.refused || !(contentLength > 0) ? SMALL_BODY_BYTES : contentLength;
    this.#bytes = Buffer.allocUnsafe(Math.min(length, MAX_FIRST_BUFFER_BYTES));
  }

  /** True if the body is known to be unreadable, so that no further data is needed. */
  get refused(): boolean {
    return this.#refusal !== null;
  }

  add(chunk: Uint8Array): void {
    this.#received += chunk.byteLength;
    if (this.#received > this.#maxBytes) this.#refuse(this.#tooLong);
    if (this.refused) return;
    const length = this.#length + chunk.byteLength;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * length);
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
    this.#parseMembers();
  }

  end(): Body {
    if (this.#refusal !== null) return this.#refusal;
    const bytes = this.#bytes.subarray(0, this.#length);
    return isUtf8(bytes)
      ? { kind: 'text', bytes, members: this.#list.members }
      : { kind: 'unreadable', reason: 'is not UTF-8 text' };
  }

  /** Parses members of a long list and removes them, so that the bytes are a list of the remaining members. */
  #parseMembers(): void {
    const end = this.#list.parse(this.#bytes.subarray(0, this.#length));
    if (end === 0) return;
    this.#bytes.copyWithin(1, end + 1, this.#length);
    this.#bytes[0] = OPENING_BRACKET;
    this.#length -= end;
  }

  get #tooLong(): string {
    return `is longer than ${this.#maxBytes} bytes`;
  }

  #refuse(reason: string): void {
    this.#refusal ??= { kind: 'unreadable', reason };
  }
}

/**
 * Parses the decoded text of a body, and adds the members that were parsed before.
 * @throws SyntaxError
 */
export function parseBodyText(text: string, members: readonly unknown[]): unknown {
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? members.concat(value) : value;
}

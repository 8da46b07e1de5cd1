import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { toSafeLine } from './remote-text.ts';

/** `truncated`: the body is incomplete. `unreadable`: the body is too large, encoded or not UTF-8. */
export type Body =
  | { readonly kind: 'text'; readonly bytes: Buffer }
  | { readonly kind: 'truncated' | 'unreadable'; readonly reason: string };

const SMALL_BODY_BYTES = 16 * 1024;

export class ReceivedBody {
  readonly #maxBytes: number;
  #bytes: Buffer;
  #length = 0;
  #refusal: Body | null = null;

  constructor(headers: ReadonlyMap<string, string>, maxBytes: number) {
    this.#maxBytes = maxBytes;
    const encoding = headers.get('content-encoding') ?? 'identity';
    const contentLength = Number(headers.get('content-length') ?? 0);
    if (encoding.toLowerCase() !== 'identity') {
      this.#refuse(`has the content encoding "${toSafeLine(encoding)}", which was not requested`);
    } else if (contentLength > maxBytes) this.#refuse(this.#tooLong);
    this.#bytes = Buffer.allocUnsafe(this.refused || !(contentLength > 0) ? SMALL_BODY_BYTES : contentLength);
  }

  /** True if the body is known to be unreadable, so that no further data is needed. */
  get refused(): boolean {
    return this.#refusal !== null;
  }

  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.byteLength;
    if (length > this.#maxBytes) this.#refuse(this.#tooLong);
    if (this.refused) return;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  end(): Body {
    if (this.#refusal !== null) return this.#refusal;
    const bytes = this.#bytes.subarray(0, this.#length);
    return isUtf8(bytes) ? { kind: 'text', bytes } : { kind: 'unreadable', reason: 'is not UTF-8 text' };
  }

  get #tooLong(): string {
    return `is longer than ${this.#maxBytes} bytes`;
  }

  #refuse(reason: string): void {
    this.#refusal ??= { kind: 'unreadable', reason };
  }
}

/** Decodes UTF-8 and removes a byte order mark. Decodes ASCII text as Latin-1, which is faster. */
export function decodeText(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : new TextDecoder().decode(bytes);
}

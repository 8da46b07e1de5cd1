/** The bytes of an answer, collected as they come, and what they are in the end. */
import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { toSafeLine } from './remote-text.ts';

/** `cut`: it ended too early. `unreadable`: it came, and is too long, compressed or no UTF-8. */
export type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'cut' | 'unreadable'; readonly reason: string };

const SMALL_BODY_BYTES = 16 * 1024;

export class ReceivedBody {
  readonly #cap: number;
  #bytes: Buffer;
  #length = 0;
  #refusal: Body | null = null;

  /** @param cap the longest that is read, in bytes */
  constructor(headers: ReadonlyMap<string, string>, cap: number) {
    this.#cap = cap;
    const coding = headers.get('content-encoding') ?? 'identity';
    const announced = Number(headers.get('content-length') ?? 0);
    if (coding.toLowerCase() !== 'identity') {
      this.#refuse(`has the content coding "${toSafeLine(coding)}", which was not requested`);
    } else if (announced > cap) this.#refuse(this.#tooLong);
    this.#bytes = Buffer.allocUnsafe(this.refused || !(announced > 0) ? SMALL_BODY_BYTES : announced);
  }

  /** Nothing more of it is wanted. */
  get refused(): boolean {
    return this.#refusal !== null;
  }

  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.byteLength;
    if (length > this.#cap) this.#refuse(this.#tooLong);
    if (this.refused) return;
    if (length > this.#bytes.length) {
      const longer = Buffer.allocUnsafe(2 * length);
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  /** What it is, now that no more comes. */
  end(): Body {
    if (this.#refusal !== null) return this.#refusal;
    const bytes = this.#bytes.subarray(0, this.#length);
    return isUtf8(bytes)
      ? { kind: 'text', text: decodeText(bytes) }
      : { kind: 'unreadable', reason: 'is not UTF-8 text' };
  }

  get #tooLong(): string {
    return `is longer than ${this.#cap} bytes`;
  }

  #refuse(reason: string): void {
    this.#refusal ??= { kind: 'unreadable', reason };
  }
}

/** Without its byte order mark. A long list is made text several times faster where it holds ASCII only. */
function decodeText(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : new TextDecoder().decode(bytes);
}

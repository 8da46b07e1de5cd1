/** Whether answers are as a URL expects them. Only made for URLs that expect something. */
import {
  expectsRedirect,
  expectsStatus,
  fitsEnds,
  type Expectation,
  type JsonScalar,
} from '../core/model/expectation.ts';
import { splitPointer } from '../core/pointer.ts';
import type { UnexpectedFault } from '../core/load/unexpected.ts';
import { CODING_HEADER, codingName, isScalar, valueAt } from './body-content.ts';
import type { KeptBody } from './kept-body.ts';
import type { ResponseParser } from './response-parser.ts';

interface HeaderCheck {
  readonly fault: UnexpectedFault;
  /** Latin1 characters that stand for bytes. */
  readonly pattern: string;
  /** Among what the parser captures. */
  readonly place: number;
}

interface JsonCheck {
  readonly fault: UnexpectedFault;
  readonly parts: readonly string[];
  readonly value: JsonScalar;
}

export class AnswerCheck {
  /** Redirects are answers like others. */
  readonly takesRedirects: boolean;
  /** Headers that it looks at, in lower case. */
  readonly wanted: readonly Buffer[];
  /** Whether bodies have to be kept for it. */
  readonly looksAtBody: boolean;
  readonly #expectation: Expectation;
  readonly #headers: readonly HeaderCheck[];
  readonly #text: Buffer | null;
  readonly #json: readonly JsonCheck[];
  /** Where the parser captures the coding. */
  readonly #coding: number;

  /** @param from how many headers the parser captures for others, before these */
  constructor(expectation: Expectation, from: number) {
    const headers = expectation.headers ?? [];
    this.takesRedirects = expectsRedirect(expectation);
    this.#expectation = expectation;
    this.#headers = headers.map(({ name, value }, index) => ({
      fault: `header ${name}`,
      pattern: Buffer.from(value).toString('latin1'),
      place: from + index,
    }));
    this.#text = expectation.body === null ? null : Buffer.from(expectation.body);
    this.#json = (expectation.json ?? []).map(({ pointer, value }) => ({
      fault: `json ${pointer}`,
      parts: splitPointer(pointer),
      value,
    }));
    this.looksAtBody = this.#text !== null || this.#json.length > 0;
    this.#coding = from + headers.length;
    const names = [
      ...headers.map(({ name }) => name.toLowerCase()),
      ...(this.looksAtBody ? [CODING_HEADER] : []),
    ];
    this.wanted = names.map((name) => Buffer.from(name, 'latin1'));
  }

  /** The first thing that is wrong with a final answer; null for none. `body`: null where none is kept. */
  faultOf({ status, captured }: ResponseParser, body: KeptBody | null): UnexpectedFault | null {
    if (!expectsStatus(this.#expectation, status)) return `status ${status}`;
    for (const { fault, pattern, place } of this.#headers) {
      const value = captured[place];
      if (value === undefined || !fitsEnds(pattern, value)) return fault;
    }
    return body === null ? null : this.#faultOfBody(body, captured[this.#coding]);
  }

  #faultOfBody(body: KeptBody, coding: string | undefined): UnexpectedFault | null {
    if (body.tooLarge) return 'size';
    if (!body.isDecodable(coding)) return `coding ${codingName(coding)}`;
    if (this.#text !== null && body.decoded(coding)?.includes(this.#text) !== true) return 'body';
    if (this.#json.length === 0) return null;
    const root = body.json(coding);
    return this.#json.find(({ parts, value }) => valueAt(root, parts) !== value)?.fault ?? null;
  }

  /** What an answer has in the place of what is wrong with it, as latin1 characters; null for nothing. For readers. */
  cameInstead(
    fault: UnexpectedFault,
    { status, captured }: ResponseParser,
    body: KeptBody | null,
  ): string | null {
    if (fault === `status ${status}`) return String(status);
    const header = this.#headers.find((check) => check.fault === fault);
    if (header !== undefined) return captured[header.place] ?? null;
    const content = body?.decoded(captured[this.#coding]) ?? null;
    if (content === null) return null;
    if (fault === 'body') return content.toString('latin1');
    const json = this.#json.find((check) => check.fault === fault);
    if (json === undefined) return null;
    const value = valueAt(body?.json(captured[this.#coding]), json.parts);
    return isScalar(value) ? Buffer.from(JSON.stringify(value)).toString('latin1') : null;
  }
}

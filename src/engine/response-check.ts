/** Check of responses against the expectations of a URL. It is created only for URLs with expectations. */
import {
  expectsRedirect,
  expectsStatus,
  matchesWildcard,
  type Expectation,
  type JsonScalar,
} from '../core/model/expectation.ts';
import { splitPointer } from '../core/pointer.ts';
import type { ResponseFault } from '../core/load/unexpected-response.ts';
import { CONTENT_ENCODING_HEADER, contentEncodingNameOf, isScalar, valueAt } from './body-content.ts';
import type { BufferedBody } from './buffered-body.ts';
import type { ReceivedResponse } from './exchange.ts';

interface HeaderCheck {
  readonly fault: ResponseFault;
  /** Pattern as bytes in latin1 characters. */
  readonly pattern: string;
  /** Index among the headers that the parser captures. */
  readonly index: number;
}

interface JsonCheck {
  readonly fault: ResponseFault;
  readonly path: readonly string[];
  readonly value: JsonScalar;
}

export class ResponseCheck {
  /** True if a redirect is a final response and is not followed. */
  readonly acceptsRedirects: boolean;
  /** Headers to capture for the checks, in lower case. */
  readonly headerNames: readonly Buffer[];
  /** True if bodies must be buffered for the checks. */
  readonly needsBody: boolean;
  readonly #expectation: Expectation;
  readonly #headers: readonly HeaderCheck[];
  readonly #text: Buffer | null;
  readonly #json: readonly JsonCheck[];
  /** Index of the captured content encoding. */
  readonly #contentEncodingIndex: number;

  /** @param from - Number of headers that the parser captures before those of the check. */
  constructor(expectation: Expectation, from: number) {
    const headers = expectation.headers ?? [];
    this.acceptsRedirects = expectsRedirect(expectation);
    this.#expectation = expectation;
    this.#headers = headers.map(({ name, value }, index) => ({
      fault: `header ${name}`,
      pattern: Buffer.from(value).toString('latin1'),
      index: from + index,
    }));
    this.#text = expectation.body === null ? null : Buffer.from(expectation.body);
    this.#json = (expectation.json ?? []).map(({ pointer, value }) => ({
      fault: `json ${pointer}`,
      path: splitPointer(pointer),
      value,
    }));
    this.needsBody = this.#text !== null || this.#json.length > 0;
    this.#contentEncodingIndex = from + headers.length;
    const names = [
      ...headers.map(({ name }) => name.toLowerCase()),
      ...(this.needsBody ? [CONTENT_ENCODING_HEADER] : []),
    ];
    this.headerNames = names.map((name) => Buffer.from(name, 'latin1'));
  }

  /** Returns the first failed expectation of a final response; null if there is none. */
  faultOf({ status, captured, body }: ReceivedResponse): ResponseFault | null {
    if (!expectsStatus(this.#expectation, status)) return `status ${status}`;
    for (const { fault, pattern, index } of this.#headers) {
      const value = captured[index];
      if (value === undefined || !matchesWildcard(pattern, value)) return fault;
    }
    return body === null ? null : this.#faultOfBody(body, captured[this.#contentEncodingIndex]);
  }

  #faultOfBody(body: BufferedBody, coding: string | undefined): ResponseFault | null {
    if (body.isTooLarge) return 'size';
    if (!body.isDecodable(coding)) return `coding ${contentEncodingNameOf(coding)}`;
    if (this.#text !== null && body.decode(coding)?.includes(this.#text) !== true) return 'body';
    if (this.#json.length === 0) return null;
    const root = body.parseJson(coding);
    return this.#json.find(({ path, value }) => valueAt(root, path) !== value)?.fault ?? null;
  }

  /**
   * Returns the actual value that did not meet an expectation, for the exchange trace, as bytes in latin1 characters.
   * Returns null if there is no value.
   */
  actualOf(fault: ResponseFault, { status, captured, body }: ReceivedResponse): string | null {
    if (fault === `status ${status}`) return String(status);
    const header = this.#headers.find((check) => check.fault === fault);
    if (header !== undefined) return captured[header.index] ?? null;
    const content = body?.decode(captured[this.#contentEncodingIndex]) ?? null;
    if (content === null) return null;
    if (fault === 'body') return content.toString('latin1');
    const json = this.#json.find((check) => check.fault === fault);
    if (json === undefined) return null;
    const value = valueAt(body?.parseJson(captured[this.#contentEncodingIndex]), json.path);
    return isScalar(value) ? Buffer.from(JSON.stringify(value)).toString('latin1') : null;
  }
}

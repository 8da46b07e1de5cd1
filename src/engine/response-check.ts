/** Check of responses against the expectations of a URL. */
import {
  bodyConditionsOf,
  expectsRedirect,
  expectsStatus,
  matchesWildcard,
  parseWildcard,
  type BodyCondition,
  type Expectation,
} from '../core/model/expectation.ts';
import { splitPointer } from '../core/pointer.ts';
import type { ResponseFault } from '../core/load/unexpected-response.ts';
import { CONTENT_ENCODING_HEADER, contentEncodingNameOf, isScalar, valueAt } from './body-content.ts';
import type { BufferedBody } from './buffered-body.ts';
import { compileExpected, compileMatch, compileText, type CheckValue } from './condition-check.ts';
import type { ReceivedResponse } from './exchange.ts';
import { toByteString, type SlotIndexes, type SlotValues } from './request-template.ts';

interface HeaderCheck {
  readonly fault: ResponseFault;
  /** Reports whether a value, as bytes in latin1 characters, meets the expectation. */
  readonly check: (value: string, values: SlotValues) => boolean;
  /** Index of the header among the headers that the parser captures. */
  readonly index: number;
}

interface BodyCheck {
  readonly fault: ResponseFault;
  readonly check: (body: BufferedBody, coding: string | undefined, values: SlotValues) => boolean;
}

interface JsonCheck {
  readonly fault: ResponseFault;
  readonly path: readonly string[];
  readonly check: CheckValue;
}

export class ResponseCheck {
  /** True if a redirect is a final response and is not followed. */
  readonly acceptsRedirects: boolean;
  /** Headers to capture for the checks, in lower case. */
  readonly headerNames: readonly Buffer[];
  readonly needsBody: boolean;
  /** Maximum response time in ms; Infinity if it is not limited. */
  readonly within: number;
  readonly #expectation: Expectation;
  readonly #headers: readonly HeaderCheck[];
  readonly #body: readonly BodyCheck[];
  readonly #json: readonly JsonCheck[];
  readonly #contentEncodingIndex: number;

  /** @param from - Number of headers that the parser captures before the headers of this check. */
  constructor(expectation: Expectation, slots: SlotIndexes, from: number) {
    const headers = expectation.headers ?? [];
    this.acceptsRedirects = expectsRedirect(expectation);
    this.#expectation = expectation;
    this.within = expectation.within ?? Infinity;
    this.#headers = headers.map(({ name, value }, index) => ({
      fault: `header ${name}`,
      check: compileHeader(value, slots),
      index: from + index,
    }));
    this.#body = bodyConditionsOf(expectation.body).map((condition, index) => ({
      fault: `body ${index}`,
      check: compileBodyCondition(condition, slots),
    }));
    this.#json = (expectation.json ?? []).map(({ pointer, value }) => ({
      fault: `json ${pointer}`,
      path: splitPointer(pointer),
      check: compileExpected(value, slots),
    }));
    this.needsBody = this.#body.length > 0 || this.#json.length > 0;
    this.#contentEncodingIndex = from + headers.length;
    const names = [
      ...headers.map(({ name }) => name.toLowerCase()),
      ...(this.needsBody ? [CONTENT_ENCODING_HEADER] : []),
    ];
    this.headerNames = names.map((name) => Buffer.from(name, 'latin1'));
  }

  /**
   * Returns the first failed expectation other than the response time; null if there is none.
   * @param values - Values of the variables when the request was sent.
   */
  faultOf({ status, captured, body }: ReceivedResponse, values: SlotValues): ResponseFault | null {
    if (!expectsStatus(this.#expectation, status)) return `status ${status}`;
    for (const { fault, check, index } of this.#headers) {
      const value = captured[index];
      if (value === undefined || !check(value, values)) return fault;
    }
    // The exchange tracer may have buffered a body that no expectation needs.
    return body === null || !this.needsBody
      ? null
      : this.#faultOfBody(body, captured[this.#contentEncodingIndex], values);
  }

  #faultOfBody(body: BufferedBody, coding: string | undefined, values: SlotValues): ResponseFault | null {
    if (body.isTooLarge) return 'size';
    if (!body.isDecodable(coding)) return `coding ${contentEncodingNameOf(coding)}`;
    for (const { fault, check } of this.#body) if (!check(body, coding, values)) return fault;
    const [first] = this.#json;
    if (first === undefined) return null;
    const root = body.parseJson(coding);
    // If the body is not JSON, every JSON condition fails, even `exists: false`.
    if (root === undefined) return first.fault;
    for (const { fault, path, check } of this.#json) if (!check(valueAt(root, path), values)) return fault;
    return null;
  }

  /**
   * Returns the value that failed an expectation, as bytes in latin1 characters; null if the value is not available.
   */
  actualOf(fault: ResponseFault, { status, captured, body }: ReceivedResponse): string | null {
    if (fault === `status ${status}`) return String(status);
    const header = this.#headers.find((check) => check.fault === fault);
    if (header !== undefined) return captured[header.index] ?? null;
    const content = body?.decode(captured[this.#contentEncodingIndex]) ?? null;
    if (content === null) return null;
    if (this.#body.some((check) => check.fault === fault)) return content.toString('latin1');
    const json = this.#json.find((check) => check.fault === fault);
    if (json === undefined) return null;
    const value = valueAt(body?.parseJson(captured[this.#contentEncodingIndex]), json.path);
    return value === undefined ? null : Buffer.from(describeValue(value)).toString('latin1');
  }
}

function compileHeader(text: string, slots: SlotIndexes): HeaderCheck['check'] {
  const { own, ...ends } = parseWildcard(text);
  const render = compileText(own, slots);
  if (typeof render === 'string') {
    const wildcard = { ...ends, own: Buffer.from(render).toString('latin1') };
    return (value) => matchesWildcard(wildcard, value);
  }
  return (value, values) => {
    const expected = render(values);
    return expected !== null && matchesWildcard({ ...ends, own: toByteString(expected) }, value);
  };
}

function compileBodyCondition({ kind, text }: BodyCondition, slots: SlotIndexes): BodyCheck['check'] {
  if (kind === 'matches') {
    const match = compileMatch(text, slots);
    return (body, coding, values) => {
      const content = body.readText(coding);
      return content !== null && match(content.text, values);
    };
  }
  const render = compileText(text, slots);
  const isWanted = kind === 'contains';
  if (typeof render === 'string') {
    const expected = Buffer.from(render);
    return (body, coding) => body.decode(coding)?.includes(expected) === isWanted;
  }
  return (body, coding, values) => {
    const expected = render(values);
    return expected !== null && body.decode(coding)?.includes(expected) === isWanted;
  };
}

/** For lists and maps, returns only the type and size. */
function describeValue(value: unknown): string {
  if (isScalar(value)) return JSON.stringify(value);
  const kind = Array.isArray(value) ? 'list' : 'map';
  return `a ${kind} of size ${Object.keys(value as object).length}`;
}

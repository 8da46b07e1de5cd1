/** Whether answers are as a URL expects them. Only made for URLs that expect something. */
import { expectsRedirect, expectsStatus, fitsEnds, type Expectation } from '../core/model/expectation.ts';
import type { UnexpectedFault } from '../core/load/unexpected.ts';
import type { ResponseParser } from './response-parser.ts';

interface HeaderCheck {
  readonly fault: UnexpectedFault;
  /** Latin1 characters that stand for bytes. */
  readonly pattern: string;
  /** Among what the parser captures. */
  readonly place: number;
}

export class AnswerCheck {
  /** Redirects are answers like others. */
  readonly takesRedirects: boolean;
  /** Headers that it looks at, in lower case. */
  readonly wanted: readonly Buffer[];
  readonly #expectation: Expectation;
  readonly #headers: readonly HeaderCheck[];

  /** @param from how many headers the parser captures for others, before these */
  constructor(expectation: Expectation, from: number) {
    const headers = expectation.headers ?? [];
    this.takesRedirects = expectsRedirect(expectation);
    this.wanted = headers.map(({ name }) => Buffer.from(name.toLowerCase(), 'latin1'));
    this.#expectation = expectation;
    this.#headers = headers.map(({ name, value }, index) => ({
      fault: `header ${name}`,
      pattern: Buffer.from(value).toString('latin1'),
      place: from + index,
    }));
  }

  /** The first thing that is wrong with a final answer; null for none. */
  faultOf({ status, captured }: ResponseParser): UnexpectedFault | null {
    if (!expectsStatus(this.#expectation, status)) return `status ${status}`;
    for (const { fault, pattern, place } of this.#headers) {
      const value = captured[place];
      if (value === undefined || !fitsEnds(pattern, value)) return fault;
    }
    return null;
  }

  /** What an answer has in the place of what is wrong with it, as latin1 characters; null for nothing. For readers. */
  cameInstead(fault: UnexpectedFault, { status, captured }: ResponseParser): string | null {
    if (fault === `status ${status}`) return String(status);
    const header = this.#headers.find((check) => check.fault === fault);
    return header === undefined ? null : (captured[header.place] ?? null);
  }
}

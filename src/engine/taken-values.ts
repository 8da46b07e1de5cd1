/** Values that variables take from an answer: from headers, cookies and bodies. */
import type { JobVariable } from '../core/load/job.ts';
import { splitPointer } from '../core/pointer.ts';
import { compilePattern, type Pattern } from '../pattern/pattern.ts';
import { CODING_HEADER, isScalar, valueAt } from './body-content.ts';
import { asBytes } from './pieces.ts';
import type { ResponseParser } from './response-parser.ts';

/** Bytes as latin1 characters; undefined where the answer has no such value. */
export type TakenValue = string | undefined;

type Take = (parser: ResponseParser) => TakenValue;

/** A longer value is none: it would be sent with every later request. */
const MOST_VALUE = 65_536;

export class ValueTaker {
  /** Headers that it looks at, in lower case. */
  readonly wanted: readonly Buffer[];
  /** Whether bodies have to be kept for it. */
  readonly looksAtBody: boolean;
  /** Whether it looks at the cookies that answers set. */
  readonly looksAtCookies: boolean;
  /** Null where headers are all: they lie in the order of the variables. */
  #takes: readonly Take[] | null = null;

  constructor(variables: readonly JobVariable[]) {
    this.looksAtBody = variables.some((variable) => 'json' in variable || 'pattern' in variable);
    this.looksAtCookies = variables.some((variable) => 'cookie' in variable);
    const headers = variables.flatMap((one) => ('header' in one ? [one.header.toLowerCase()] : []));
    const coding = headers.length;
    this.wanted = [...headers, ...(this.looksAtBody ? [CODING_HEADER] : [])].map((name) =>
      Buffer.from(name, 'latin1'),
    );
    if (headers.length === variables.length) return;
    let place = 0;
    this.#takes = variables.map((variable): Take => {
      if ('cookie' in variable) return ({ setCookies }) => cookieOf(setCookies ?? [], variable.cookie);
      if ('json' in variable) {
        const parts = splitPointer(variable.json);
        return ({ body, captured }) =>
          body === null || body.tooLarge ? undefined : textOf(valueAt(body.json(captured[coding]), parts));
      }
      if ('pattern' in variable) return patternTaker(variable.pattern, coding);
      const at = place++;
      return ({ captured }) => captured[at];
    });
  }

  /** The value of one of the variables, by its place among them. */
  take(parser: ResponseParser, index: number): TakenValue {
    if (this.#takes === null) return parser.captured[index];
    const value = this.#takes[index]?.(parser);
    return value !== undefined && value.length > MOST_VALUE ? undefined : value;
  }
}

/** Compiled when it is first needed: the thread that only checks a job has no use for it. */
function patternTaker(text: string, coding: number): Take {
  let find: Pattern | null = null;
  return ({ body, captured }) => {
    if (body === null || body.tooLarge) return undefined;
    const seen = body.text(captured[coding]);
    if (seen === null) return undefined;
    find ??= compilePattern(text);
    const value = find(seen.text);
    return value === undefined ? undefined : apart(seen.isLatin1 ? value : asBytes(value));
  };
}

/**
 * The same text, of latin1 characters, in memory of its own: V8 makes a part of a text by pointing to the whole one, which
 * would be kept as long as the part. Those that are shorter than this it copies itself.
 */
function apart(text: string): string {
  return text.length < POINTS_FROM ? text : Buffer.from(text, 'latin1').toString('latin1');
}

const POINTS_FROM = 13;

/** Of several with one name the last one counts, as it does in a browser. */
function cookieOf(lines: readonly string[], name: string): TakenValue {
  const pair = lines.findLast((line) => line.slice(0, line.indexOf('=')).trim() === name);
  if (pair === undefined) return undefined;
  const value = pair.slice(pair.indexOf('=') + 1).split(';', 1)[0] ?? '';
  return apart(value.trim());
}

/** Numbers that JSON has rounded are no longer what the target said. */
function textOf(value: unknown): TakenValue {
  if (!isScalar(value) || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  return asBytes(String(value));
}

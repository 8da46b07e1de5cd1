/** Values that variables take from an answer: from headers, cookies and bodies. */
import type { JobVariable } from '../core/load/load-job.ts';
import { splitPointer } from '../core/pointer.ts';
import { compilePattern, type Pattern } from '../pattern/pattern.ts';
import { CONTENT_ENCODING_HEADER, isScalar, valueAt } from './body-content.ts';
import { toByteString } from './request-template.ts';
import type { ResponseParser } from './response-parser.ts';

/** Bytes as latin1 characters; undefined where the answer has no such value. */
export type ExtractedValue = string | undefined;

type ExtractValue = (parser: ResponseParser) => ExtractedValue;

/** A longer value is none: it would be sent with every later request. */
const MAX_VALUE_LENGTH = 65_536;

export class ValueExtractor {
  /** Headers that it looks at, in lower case. */
  readonly headerNames: readonly Buffer[];
  /** Whether bodies have to be kept for it. */
  readonly needsBody: boolean;
  /** Whether it looks at the cookies that answers set. */
  readonly needsCookies: boolean;
  /** Null where headers are all: they lie in the order of the variables. */
  #extractors: readonly ExtractValue[] | null = null;

  constructor(variables: readonly JobVariable[]) {
    this.needsBody = variables.some((variable) => 'json' in variable || 'pattern' in variable);
    this.needsCookies = variables.some((variable) => 'cookie' in variable);
    const headers = variables.flatMap((one) => ('header' in one ? [one.header.toLowerCase()] : []));
    const coding = headers.length;
    this.headerNames = [...headers, ...(this.needsBody ? [CONTENT_ENCODING_HEADER] : [])].map((name) =>
      Buffer.from(name, 'latin1'),
    );
    if (headers.length === variables.length) return;
    let place = 0;
    this.#extractors = variables.map((variable): ExtractValue => {
      if ('cookie' in variable) return ({ setCookies }) => cookieOf(setCookies ?? [], variable.cookie);
      if ('json' in variable) {
        const parts = splitPointer(variable.json);
        return ({ body, captured }) =>
          body === null || body.isTooLarge
            ? undefined
            : formatScalar(valueAt(body.parseJson(captured[coding]), parts));
      }
      if ('pattern' in variable) return createPatternExtractor(variable.pattern, coding);
      const at = place++;
      return ({ captured }) => captured[at];
    });
  }

  /** The value of one of the variables, by its place among them. */
  extract(parser: ResponseParser, index: number): ExtractedValue {
    if (this.#extractors === null) return parser.captured[index];
    const value = this.#extractors[index]?.(parser);
    return value !== undefined && value.length > MAX_VALUE_LENGTH ? undefined : value;
  }
}

/** Compiled when it is first needed: the thread that only checks a job has no use for it. */
function createPatternExtractor(text: string, coding: number): ExtractValue {
  let find: Pattern | null = null;
  return ({ body, captured }) => {
    if (body === null || body.isTooLarge) return undefined;
    const seen = body.readText(captured[coding]);
    if (seen === null) return undefined;
    find ??= compilePattern(text);
    const value = find(seen.text);
    return value === undefined ? undefined : copyString(seen.isLatin1 ? value : toByteString(value));
  };
}

/**
 * The same text, of latin1 characters, in memory of its own: V8 makes a part of a text by pointing to the whole one, which
 * would be kept as long as the part. Those that are shorter than this it copies itself.
 */
function copyString(text: string): string {
  return text.length < MIN_SLICED_STRING_LENGTH ? text : Buffer.from(text, 'latin1').toString('latin1');
}

const MIN_SLICED_STRING_LENGTH = 13;

/** Of several with one name the last one counts, as it does in a browser. */
function cookieOf(lines: readonly string[], name: string): ExtractedValue {
  const pair = lines.findLast((line) => line.slice(0, line.indexOf('=')).trim() === name);
  if (pair === undefined) return undefined;
  const value = pair.slice(pair.indexOf('=') + 1).split(';', 1)[0] ?? '';
  return copyString(value.trim());
}

/** Numbers that JSON has rounded are no longer what the target said. */
function formatScalar(value: unknown): ExtractedValue {
  if (!isScalar(value) || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  return toByteString(String(value));
}

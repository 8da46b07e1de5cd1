/** Extraction of variables from the headers, cookies and body of a response. */
import type { JobVariable } from '../core/load/load-job.ts';
import { splitPointer } from '../core/pointer.ts';
import { compilePattern, type Pattern } from '../pattern/pattern.ts';
import { CONTENT_ENCODING_HEADER, isScalar, valueAt } from './body-content.ts';
import type { ReceivedResponse } from './exchange.ts';
import { toByteString } from './request-template.ts';

/** Extracted value as bytes in latin1 characters; undefined if the response has no such value. */
export type ExtractedValue = string | undefined;

type ExtractValue = (response: ReceivedResponse) => ExtractedValue;

/** Maximum length of a value. Longer values are ignored, because they might be sent with every later request. */
const MAX_VALUE_LENGTH = 65_536;

export class ValueExtractor {
  /** Headers to capture for the variables, in lower case. */
  readonly headerNames: readonly Buffer[];
  /** True if bodies must be buffered for the variables. */
  readonly needsBody: boolean;
  /** True if the variables use cookies of the response. */
  readonly needsCookies: boolean;
  /**
   * Extractors by variable; null if all variables are headers. Headers are captured in the order of the variables.
   */
  #extractors: readonly ExtractValue[] | null = null;

  constructor(variables: readonly JobVariable[]) {
    this.needsBody = variables.some((variable) => 'json' in variable || 'pattern' in variable);
    this.needsCookies = variables.some((variable) => 'cookie' in variable);
    const headers = variables.flatMap((variable) =>
      'header' in variable ? [variable.header.toLowerCase()] : [],
    );
    const coding = headers.length;
    this.headerNames = [...headers, ...(this.needsBody ? [CONTENT_ENCODING_HEADER] : [])].map((name) =>
      Buffer.from(name, 'latin1'),
    );
    if (headers.length === variables.length) return;
    let nextHeader = 0;
    this.#extractors = variables.map((variable): ExtractValue => {
      if ('cookie' in variable) return ({ setCookies }) => cookieOf(setCookies ?? [], variable.cookie);
      if ('json' in variable) {
        const segments = splitPointer(variable.json);
        return ({ body, captured }) =>
          body === null || body.isTooLarge
            ? undefined
            : formatScalar(valueAt(body.parseJson(captured[coding]), segments));
      }
      if ('pattern' in variable) return createPatternExtractor(variable.pattern, coding);
      const headerIndex = nextHeader++;
      return ({ captured }) => captured[headerIndex];
    });
  }

  /** Returns the value of the variable with the given index. */
  extract(response: ReceivedResponse, index: number): ExtractedValue {
    if (this.#extractors === null) return response.captured[index];
    const value = this.#extractors[index]?.(response);
    return value !== undefined && value.length > MAX_VALUE_LENGTH ? undefined : value;
  }
}

/**
 * Creates an extractor that compiles its pattern on first use, because the thread that only validates a job does not
 * need the compiled pattern.
 */
function createPatternExtractor(text: string, coding: number): ExtractValue {
  let find: Pattern | null = null;
  return ({ body, captured }) => {
    if (body === null || body.isTooLarge) return undefined;
    const bodyText = body.readText(captured[coding]);
    if (bodyText === null) return undefined;
    find ??= compilePattern(text);
    const value = find(bodyText.text);
    return value === undefined ? undefined : copyString(bodyText.isLatin1 ? value : toByteString(value));
  };
}

/**
 * Copies a string of latin1 characters. V8 represents a long substring as a reference to the whole string, which
 * would keep that string in memory. Short substrings are always copied.
 */
function copyString(text: string): string {
  return text.length < MIN_SLICED_STRING_LENGTH ? text : Buffer.from(text, 'latin1').toString('latin1');
}

const MIN_SLICED_STRING_LENGTH = 13;

/** Returns the value of a cookie. If several cookies have the same name, the last one applies, as in a browser. */
function cookieOf(lines: readonly string[], name: string): ExtractedValue {
  const pair = lines.findLast((line) => line.slice(0, line.indexOf('=')).trim() === name);
  if (pair === undefined) return undefined;
  const value = pair.slice(pair.indexOf('=') + 1).split(';', 1)[0] ?? '';
  return copyString(value.trim());
}

/** Formats a JSON primitive as text. An integer that JSON parsing may have rounded is ignored. */
function formatScalar(value: unknown): ExtractedValue {
  if (!isScalar(value) || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  return toByteString(String(value));
}

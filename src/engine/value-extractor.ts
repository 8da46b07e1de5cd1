/** Extracts variables from the headers, cookies and body of a response. */
import type { JobVariable } from '../core/load/load-job.ts';
import { ANY_ITEM } from '../core/model/variable.ts';
import { splitPointer } from '../core/pointer.ts';
import { compilePattern, type Pattern } from '../pattern/pattern.ts';
import { CONTENT_ENCODING_HEADER, isScalar, valueAt } from './body-content.ts';
import type { ReceivedResponse } from './exchange.ts';
import { toByteString } from './request-template.ts';

/** Value as bytes in latin1 characters, or the JSON text of another type; undefined if the response has none. */
export type ExtractedValue = string | JsonText | undefined;

export interface JsonText {
  readonly json: string;
}

type ExtractValue = (response: ReceivedResponse, pick: number) => ExtractedValue;

export function textOfExtracted(value: string | JsonText): string {
  return typeof value === 'string' ? value : value.json;
}

/** Maximum length of a value. Longer values are ignored, because many later requests could contain such a value. */
const MAX_VALUE_LENGTH = 65_536;

export class ValueExtractor {
  /** Headers to capture for the variables, in lower case. */
  readonly headerNames: readonly Buffer[];
  readonly needsBody: boolean;
  readonly needsCookies: boolean;
  readonly needsPick: boolean;
  /**
   * Extractors of the variables; null if all variables are headers, which are captured in the order of the variables.
   */
  #extractors: readonly ExtractValue[] | null = null;

  constructor(variables: readonly JobVariable[]) {
    this.needsBody = variables.some((variable) => 'json' in variable || 'pattern' in variable);
    this.needsCookies = variables.some((variable) => 'cookie' in variable);
    this.needsPick = variables.some((variable) => 'json' in variable && variable.pick === 'random');
    const lists: string[] = [];
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
        const select = compileSelection(variable, lists);
        return ({ body, captured }, pick) =>
          body === null || body.isTooLarge ? undefined : select(body.parseJson(captured[coding]), pick);
      }
      if ('status' in variable) return ({ status }) => ({ json: String(status) });
      if ('pattern' in variable) return createPatternExtractor(variable.pattern, coding);
      const headerIndex = nextHeader++;
      return ({ captured }) => captured[headerIndex];
    });
  }

  /** @param pick - A random number below 2^32, the same for all variables of a response. */
  extract(response: ReceivedResponse, index: number, pick: number): ExtractedValue {
    if (this.#extractors === null) return response.captured[index];
    const value = this.#extractors[index]?.(response, pick);
    return value !== undefined && textOfExtracted(value).length > MAX_VALUE_LENGTH ? undefined : value;
  }
}

type SelectValue = (root: unknown, pick: number) => ExtractedValue;

/**
 * Compiles a JSON Pointer, in which `*` selects items of a list.
 * @param lists - Pointers to the lists from which items are selected. The list of this variable is added.
 */
function compileSelection(
  { json, pick = 'first' }: Extract<JobVariable, { readonly json: string }>,
  lists: string[],
): SelectValue {
  const segments = splitPointer(json);
  const at = segments.indexOf(ANY_ITEM);
  if (at < 0) return (root) => formatScalar(valueAt(root, segments));
  const [list, rest] = [segments.slice(0, at), segments.slice(at + 1)];
  const key = JSON.stringify(list);
  if (!lists.includes(key)) lists.push(key);
  // Variables from the same list use the same item. The salt makes the random choice differ between lists.
  const salt = Math.imul(lists.indexOf(key), 0x9e3779b1);
  return (root, random) => {
    const items = valueAt(root, list);
    // If the value is not a list, `*` is treated as the name of a map member.
    if (!Array.isArray(items)) return formatScalar(valueAt(root, segments));
    if (pick === 'all') {
      const values = items.map((item: unknown) => valueAt(item, rest)).filter((value) => value !== undefined);
      return { json: toByteString(JSON.stringify(values)) };
    }
    const fraction = ((random + salt) >>> 0) / 2 ** 32;
    const index =
      pick === 'first' ? 0 : pick === 'last' ? items.length - 1 : Math.floor(fraction * items.length);
    return formatScalar(valueAt(items[index], rest));
  };
}

/**
 * Creates an extractor that compiles its pattern on first use, so that validating a job does not compile its patterns.
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

/** Copies a string, because V8 represents a long substring as a reference that retains the whole string in memory. */
function copyString(text: string): string {
  return text.length < MIN_SLICED_STRING_LENGTH ? text : Buffer.from(text, 'latin1').toString('latin1');
}

const MIN_SLICED_STRING_LENGTH = 13;

/** If several cookies have the same name, the last one applies, as in a browser. */
function cookieOf(lines: readonly string[], name: string): ExtractedValue {
  const pair = lines.findLast((line) => line.slice(0, line.indexOf('=')).trim() === name);
  if (pair === undefined) return undefined;
  const value = pair.slice(pair.indexOf('=') + 1).split(';', 1)[0] ?? '';
  return copyString(value.trim());
}

/** Converts a JSON string, number or boolean. Returns undefined for other values and for unsafe integers. */
function formatScalar(value: unknown): ExtractedValue {
  if (!isScalar(value) || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  return typeof value === 'string' ? toByteString(value) : { json: String(value) };
}

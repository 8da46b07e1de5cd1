/** Rules for patterns. Their size is limited, because they may come from untrusted files. */
import { withCommas } from '../counted.ts';

/** `steps` is the size of the compiled program. */
export type PatternResult =
  | { readonly ok: true; readonly groups: number; readonly steps: number }
  /** `message` is the error message of RE2; `part` is the invalid part of the pattern, which may be empty. */
  | { readonly ok: false; readonly message: string; readonly part: string };

/** Compiles a pattern of at most `MAX_PATTERN_LENGTH` characters. */
export type CompilePattern = (text: string) => PatternResult;

/** Maximum length of one pattern, in characters. */
export const MAX_PATTERN_LENGTH = 200;

/** Maximum total length of the patterns of a test, in characters. */
const MAX_TOTAL_PATTERN_LENGTH = 10_000;

/** Maximum number of groups in a pattern. RE2 tracks every group at every step. */
const MAX_GROUPS = 10;

/** Maximum total number of steps in the patterns of a URL. A match can take as many steps per character. */
const MAX_STEPS = 500;

const EXAMPLE = 'such as "token=([^&]+)"';

export class PatternRules {
  readonly #read: CompilePattern;
  #characters = 0;
  /** Number of steps in the patterns of the current URL. */
  #steps = 0;

  constructor(read: CompilePattern) {
    this.#read = read;
  }

  nextUrl(): void {
    this.#steps = 0;
  }

  /**
   * Returns the error in a pattern as the end of a sentence; null if the pattern is valid.
   * @param purpose - the use of the pattern; extraction requires a group
   * @param written - for each character of the pattern, the text in the file: the character or a variable
   */
  faultOf(
    text: string,
    purpose: 'extract' | 'check',
    written: readonly string[] = text.split(''),
  ): string | null {
    if (text.length > MAX_PATTERN_LENGTH) return `is longer than ${MAX_PATTERN_LENGTH} characters`;
    this.#characters += text.length;
    if (this.#characters > MAX_TOTAL_PATTERN_LENGTH) {
      return `makes the patterns of the test too long: together, they can have at most ${withCommas(MAX_TOTAL_PATTERN_LENGTH)} characters`;
    }
    const reading = this.#read(text);
    if (!reading.ok) {
      const { message, part } = reading;
      const from = text.indexOf(part);
      return faultOfSyntax(message, written.slice(from, from + part.length).join(''));
    }
    if (reading.groups === 0 && purpose === 'extract') {
      return `has no capturing group; put parentheses around the value to extract, ${EXAMPLE}`;
    }
    if (reading.groups > MAX_GROUPS) {
      return `has ${reading.groups} capturing groups, but the maximum is ${MAX_GROUPS}; write all groups after the first as "(?:…)"`;
    }
    const before = this.#steps;
    this.#steps += reading.steps;
    if (before > MAX_STEPS || this.#steps <= MAX_STEPS) return null;
    return `is too large: the patterns of one URL can have ${MAX_STEPS} steps in total, but with this pattern, they have ${this.#steps}; reduce its repetitions ("{200}" counts 200 times, "+" and "*" count once)`;
  }
}

function faultOfSyntax(message: string, part: string): string {
  const [assertion] = /^\(\?<?[=!]/.exec(part) ?? [];
  if (assertion !== undefined) {
    return `contains ${JSON.stringify(assertion)}: RE2 does not support lookahead or lookbehind; match the text around the value, ${EXAMPLE}`;
  }
  if (/^\\[1-9k]/.test(part)) {
    return `contains ${JSON.stringify(part)}: RE2 does not support backreferences; repeat the content of the group`;
  }
  return `is not valid RE2 syntax: ${message}${part === '' ? '' : ` in ${JSON.stringify(part)}`}`;
}

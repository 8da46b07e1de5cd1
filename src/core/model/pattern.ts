/** What a pattern may be that takes a value from a body. Patterns come from strangers, so what they cost is bounded. */

/** What a compiler of patterns says of a text. `steps`: how large its program is. */
export type PatternResult =
  | { readonly ok: true; readonly groups: number; readonly steps: number }
  /** `words`: what is wrong, as RE2 says it; `part`: of the pattern, or empty. */
  | { readonly ok: false; readonly message: string; readonly part: string };

/** Asked only for texts of at most `MOST_CHARACTERS`. */
export type CompilePattern = (text: string) => PatternResult;

/** Of one pattern. */
const MAX_PATTERN_LENGTH = 200;

/** Of all patterns of a test, which are compiled before it runs. */
const MAX_TOTAL_PATTERN_LENGTH = 10_000;

/** Each of them is looked for at every step. */
const MAX_GROUPS = 10;

/** Of all patterns of a URL: an answer costs up to this many for each character that they see. */
const MAX_STEPS = 500;

const EXAMPLE = 'such as "token=([^&]+)"';

/** Judges the patterns of one test, in their order. */
export class PatternRules {
  readonly #read: CompilePattern;
  #characters = 0;
  /** Of the URL at hand. */
  #steps = 0;

  constructor(read: CompilePattern) {
    this.#read = read;
  }

  /** The next ones are those of another URL. */
  nextUrl(): void {
    this.#steps = 0;
  }

  /** What is wrong with a pattern, as the end of a sentence; null for nothing. */
  faultOf(text: string): string | null {
    if (text.length > MAX_PATTERN_LENGTH) return `is longer than ${MAX_PATTERN_LENGTH} characters`;
    this.#characters += text.length;
    if (this.#characters > MAX_TOTAL_PATTERN_LENGTH) {
      return `is one too many: all patterns of a test together have at most ${MAX_TOTAL_PATTERN_LENGTH} characters`;
    }
    if (this.#steps > MAX_STEPS) return null;
    const reading = this.#read(text);
    if (!reading.ok) return faultOfSyntax(reading.message, reading.part);
    if (reading.groups === 0) {
      return `has no group; put what is the value in parentheses, ${EXAMPLE}`;
    }
    if (reading.groups > MAX_GROUPS) {
      return `has ${reading.groups} groups, and at most ${MAX_GROUPS} may be; write those behind the first as "(?:…)"`;
    }
    this.#steps += reading.steps;
    if (this.#steps <= MAX_STEPS) return null;
    return `is too large: the patterns of a URL make at most ${MAX_STEPS} steps, with this one ${this.#steps}; a repetition such as {200} counts that often, and "+" and "*" once`;
  }
}

function faultOfSyntax(words: string, part: string): string {
  if (/^\(\?<?[=!]/.test(part)) {
    return `has ${JSON.stringify(part.slice(0, 3))}: RE2 has no look-ahead and no look-behind; say what stands around the value, ${EXAMPLE}`;
  }
  if (/^\\[1-9k]/.test(part)) {
    return `has ${JSON.stringify(part)}: RE2 has no backreferences; write out what the group stands for`;
  }
  return `is not in the syntax of RE2: ${words}${part === '' ? '' : ` in ${JSON.stringify(part)}`}`;
}

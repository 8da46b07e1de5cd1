/** Variables and functions of JMeter, such as `${name}` and `${__Random(1,9)}`. Taurus uses the same syntax. */
import type { SourceConstant, SourcePosition } from '../core/intake/intake.ts';
import { encodedText, literalOf, type IntakeText, type IntakeTextPart } from '../core/intake/intake-text.ts';
import { randomInteger, randomText } from './generated-values.ts';
import { valueNamed, variableName } from './names.ts';

export interface ExpressionNotes {
  lose: (at: SourcePosition, message: string) => void;
  change: (at: SourcePosition, message: string) => void;
}

/** Maximum nesting of functions, and of variables whose values contain variables. */
const MAX_EXPANSION = 10;

/** Number of parts of an expanded text above which no further references are expanded. */
const MAX_PARTS = 1000;

export class JMeterExpressions {
  readonly #notes: ExpressionNotes;
  readonly #constants = new Map<string, string>();
  /** Variables whose values are known only during the run. */
  readonly #variables = new Set<string>();
  /** Names of variables whose values a script stores as properties, by property name. */
  readonly #properties = new Map<string, string>();

  constructor(notes: ExpressionNotes) {
    this.#notes = notes;
  }

  get constants(): readonly SourceConstant[] {
    return Array.from(this.#constants, ([name, value]) => ({ name, value }));
  }

  define(name: string, value: string): void {
    this.#constants.set(name, value);
  }

  declare(name: string): void {
    this.#variables.add(name);
  }

  store(property: string, variable: string): void {
    this.#properties.set(property, variable);
  }

  isDeclared(name: string): boolean {
    return this.#variables.has(name);
  }

  isConstant(name: string): boolean {
    return this.#constants.has(name) && !this.#variables.has(name);
  }

  toText(text: string, at: SourcePosition): IntakeText {
    return this.#expand(text, at, 0).filter((part) => part !== '');
  }

  /** Returns the literal value of a text; null if the text contains a value that is known only during a run. */
  literal(text: string, at: SourcePosition): string | null {
    return literalOf(this.toText(text, at));
  }

  #expand(text: string, at: SourcePosition, depth: number): IntakeText {
    const parts: IntakeTextPart[] = [];
    let from = 0;
    for (let open = text.indexOf('${'); open !== -1; open = text.indexOf('${', from)) {
      const close = closingOf(text, open);
      if (close === -1 || depth > MAX_EXPANSION || parts.length > MAX_PARTS) break;
      parts.push(text.slice(from, open), ...this.#reference(text.slice(open + 2, close), at, depth + 1));
      from = close + 1;
    }
    return [...parts, text.slice(from)];
  }

  #reference(content: string, at: SourcePosition, depth: number): IntakeText {
    const [, name, given] = /^(__\w+)(?:\((.*)\))?$/s.exec(content.trim()) ?? [];
    if (name !== undefined) return this.#call(name, argumentsOf(given ?? ''), { at, depth });
    // A value that is set during a run takes precedence over the value in the plan.
    const variable = content.trim();
    if (this.#variables.has(variable)) return [{ variable: variableName(variable) }];
    const constant = this.#constants.get(variable);
    if (constant !== undefined) return this.#expand(constant, at, depth);
    this.#notes.lose(
      at,
      `the variable ${JSON.stringify(variable)} has no value, so "\${${content}}" is not replaced`,
    );
    return [`\${${content}}`];
  }

  #call(
    name: string,
    given: readonly string[],
    { at, depth }: { readonly at: SourcePosition; readonly depth: number },
  ): IntakeText {
    const texts = given.map((argument) => this.#expand(argument, at, depth));
    const [first = '', second = '', third = ''] = texts.map((text) => literalOf(text) ?? '');
    switch (name) {
      case '__P':
        return this.#property(first, texts[1], at);
      case '__property':
        return this.#property(first, texts[2], at);
      case '__env':
        return third === '' ? [{ secret: first.toUpperCase() }] : this.#property(first, texts[2] ?? [], at);
      case '__V':
      case '__eval':
        return this.#reference(first.replace(/^\$\{(.*)\}$/s, '$1'), at, depth);
      case '__Random':
        if (!/^-?\d+$/.test(first) || !/^-?\d+$/.test(second)) break;
        this.#dropVariable(third, at);
        return [randomInteger(Number(first), Number(second))];
      case '__RandomString':
        this.#dropVariable(third, at);
        if (/^[0-9]+$/.test(second)) return [{ expression: `digits:${lengthOf(first)}` }];
        if (second !== '' && !/^[a-z]+$/i.test(second))
          this.#notes.change(
            at,
            'the random text consists of letters and digits instead of the listed characters',
          );
        return [randomText(lengthOf(first))];
      case '__UUID':
        return [{ expression: 'uuid' }];
      case '__time': {
        const expression = valueNamed(first, TIMES);
        this.#dropVariable(second, at);
        if (expression !== undefined) return [{ expression }];
        this.#notes.lose(
          at,
          `the time format ${JSON.stringify(first)} is not converted; the time is inserted in ISO 8601 format`,
        );
        return [{ expression: 'now' }];
      }
      case '__threadNum':
        this.#notes.change(at, 'clients are numbered from 0, not from 1');
        return [{ expression: 'client' }];
      case '__counter':
        this.#notes.change(at, 'the counter is the index of the iteration in the run, starting at 0');
        return [{ expression: 'iteration' }];
      case '__urlencode':
        return encodedText(texts[0] ?? []);
      case '__base64Encode':
        if (texts[0] === undefined || literalOf(texts[0]) === null) break;
        return [Buffer.from(first, 'utf8').toString('base64')];
    }
    this.#notes.lose(
      at,
      `the function ${JSON.stringify(name)} is not converted, so "\${${name}}" is not replaced with a value`,
    );
    // The arguments of a function may be secret, so the text omits the arguments.
    return [`\${${name}}`];
  }

  /** Returns the value of a property; a reference to a secret if the plan contains no value. */
  #property(name: string, fallback: IntakeText | undefined, at: SourcePosition): IntakeText {
    const variable = this.#properties.get(name);
    if (variable !== undefined && this.#variables.has(variable))
      return [{ variable: variableName(variable) }];
    if (fallback === undefined) return [{ secret: name.replaceAll(/\W/g, '_').toUpperCase() }];
    this.#notes.change(at, `the property ${JSON.stringify(name)} is replaced with its default value`);
    return fallback;
  }

  #dropVariable(name: string, at: SourcePosition): void {
    if (name !== '')
      this.#notes.lose(at, `the value of the function is not stored in the variable ${JSON.stringify(name)}`);
  }
}

const TIMES: Readonly<Record<string, string>> = {
  '': 'now:unix_ms',
  '/1000': 'now:unix',
  'yyyy-MM-dd': 'now:date',
  "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'": 'now',
  "yyyy-MM-dd'T'HH:mm:ss.SSSX": 'now',
};

function lengthOf(text: string): number {
  return /^\d{1,4}$/.test(text) ? Math.min(Math.max(1, Number(text)), 1000) : 8;
}

/** Returns the index of the brace that closes a reference; -1 if the reference is not closed. */
function closingOf(text: string, open: number): number {
  let depth = 0;
  for (let index = open; index < text.length; index++) {
    if (text.startsWith('${', index)) depth += 1;
    else if (text.charAt(index) === '}') depth -= 1;
    if (depth === 0 && index > open) return index;
  }
  return -1;
}

/** Splits arguments at commas outside of braces and parentheses. A backslash escapes a comma, a backslash or `$`. */
function argumentsOf(text: string): readonly string[] {
  if (text.trim() === '') return [];
  const found: string[] = [];
  let argument = '';
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '\\' && /[,\\$]/.test(text.charAt(index + 1))) {
      index += 1;
      argument += text.charAt(index);
      continue;
    }
    if (character === '{' || character === '(') depth += 1;
    else if (character === '}' || character === ')') depth -= 1;
    if (character === ',' && depth === 0) {
      found.push(argument.trim());
      argument = '';
    } else argument += character;
  }
  return [...found, argument.trim()];
}

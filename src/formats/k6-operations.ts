/** Operators, members and built-in functions of JavaScript and k6, for values that are known before the run. */
import type { CallExpression, Expression, NewExpression } from 'acorn';
import { literalOf } from '../core/intake/intake-text.ts';
import { pointerOf } from '../core/pointer.ts';
import type { FlowRequest } from './flow-requests.ts';
import { MAX_STEPS, type K6Script } from './k6-script.ts';
import type { K6Texts } from './k6-texts.ts';
import {
  memberOf,
  NOTHING,
  numberOfValue,
  numberValue,
  stringOf,
  textValue,
  valueOfJson,
  type AnyNode,
  type FunctionNode,
  type Value,
} from './k6-values.ts';

export class K6Operations {
  readonly #script: K6Script;
  readonly #texts: K6Texts;
  /** Known values of environment variables. */
  environment: Value | undefined;

  constructor(script: K6Script, texts: K6Texts) {
    this.#script = script;
    this.#texts = texts;
  }

  binary(operator: string, left: Value, right: Value, node: AnyNode): Value {
    const [a, b] = [left.kind === 'number' ? left.value : null, right.kind === 'number' ? right.value : null];
    if (a !== null && b !== null) {
      const result = arithmetic(operator, a, b);
      if (result !== null)
        return typeof result === 'boolean' ? { kind: 'boolean', value: result } : numberValue(result);
    }
    const random = left.kind === 'random' ? left : right.kind === 'random' ? right : null;
    const other = left.kind === 'random' ? b : a;
    if (random !== null && other !== null) {
      const { min, max, step } = random;
      if (operator === '+' || (operator === '-' && left.kind === 'random')) {
        const offset = operator === '+' ? other : -other;
        return { ...random, min: min + offset, max: max + offset };
      }
      if (operator === '*' && other !== 0) {
        const bounds = [min * other, max * other];
        return {
          kind: 'random',
          min: Math.min(...bounds),
          max: Math.max(...bounds),
          step: step === null ? null : step * Math.abs(other),
        };
      }
    }
    // Client numbers begin with 0, and the rows repeat after the last row, so `- 1` and `%` are not needed.
    if (isClientNumber(left) && ((operator === '-' && b === 1) || operator === '%')) return left;
    const shifted = shiftedTime(operator, left, b);
    if (shifted !== null) return shifted;
    const isSum = [left, right].every((value) => value.kind === 'number' || isNumeric(value));
    if (operator === '+' && !isSum && [left, right].some(({ kind }) => kind === 'text'))
      return { kind: 'text', text: [...this.#texts.text(left, node), ...this.#texts.text(right, node)] };
    if (/^[!=]==?$/.test(operator) && [left, right].some(({ kind }) => kind === 'nothing')) {
      const isKnown = [left, right].every(
        ({ kind }) => !['unknown', 'part', 'builtin', 'row'].includes(kind),
      );
      if (isKnown) return { kind: 'boolean', value: (left.kind === right.kind) === operator.startsWith('=') };
    }
    const [x, y] = [stringOf(left), stringOf(right)];
    if (x !== null && y !== null && ['===', '==', '!==', '!='].includes(operator))
      return { kind: 'boolean', value: (x === y) === operator.startsWith('=') };
    return this.#script.unknown(node, 'value');
  }

  unary(operator: string, value: Value, node: AnyNode): Value {
    if (operator === '!') {
      const isTrue = truthOf(value);
      return isTrue === null ? this.#script.unknown(node, 'value') : { kind: 'boolean', value: !isTrue };
    }
    if (value.kind === 'number' && (operator === '-' || operator === '+'))
      return numberValue(operator === '-' ? -value.value : value.value);
    return this.#script.unknown(node, 'value');
  }

  member(object: Value, name: string, node: AnyNode): Value {
    if (object.kind === 'map') {
      return object.members.get(name) ?? NOTHING;
    }
    if (object.kind === 'list') {
      if (name === 'length') return numberValue(object.items.length);
      return /^\d+$/.test(name) ? (object.items[Number(name)] ?? NOTHING) : this.#script.unknown(node, name);
    }
    if (object.kind === 'text') {
      const text = stringOf(object);
      return name === 'length' && text !== null ? numberValue(text.length) : this.#script.unknown(node, name);
    }
    if (object.kind === 'builtin') {
      if (object.name === '__ENV') return this.#variable(name);
      return EXECUTION[`${object.name}.${name}`] ?? { kind: 'builtin', name: `${object.name}.${name}` };
    }
    if (object.kind === 'response') {
      return responsePart(object.request, name);
    }
    if (object.kind === 'part') {
      if (object.source === 'header' && object.property === '') return { ...object, property: name };
      if (object.source === 'json') return { ...object, property: object.property + pointerOf([name]) };
      return { ...object, source: 'other' };
    }
    if (object.kind === 'rows') {
      // The length is typically the bound of a random index, for which any large number suffices.
      return name === 'length' ? numberValue(MAX_STEPS) : this.#script.unknown(node, name);
    }
    if (object.kind === 'row') {
      return { kind: 'text', text: [{ variable: this.#texts.column(object, name) }] };
    }
    return this.#script.unknown(node, name);
  }

  #variable(name: string): Value {
    const given = memberOf(this.environment, name);
    return given ?? { kind: 'text', text: [{ secret: name.toUpperCase().replaceAll(/[^A-Z0-9_]/g, '_') }] };
  }

  item(object: Value, property: Value, node: AnyNode): Value {
    const key = stringOf(property);
    if (key !== null) return this.member(object, key, node);
    if (object.kind === 'rows') {
      if (property.kind === 'random' && (property.min > 0 || property.max < MAX_STEPS - 1))
        this.#script.lose(
          node,
          'the random row is selected from the whole file, not only from the range of the index',
        );
      const order =
        property.kind === 'random' ? 'random' : isClientNumber(property) ? 'client' : 'sequential';
      return { kind: 'row', file: object.file, order };
    }
    if (object.kind === 'list' && property.kind === 'random' && property.step !== null) {
      const { min, max, step } = property;
      if (min < 0 || max >= object.items.length)
        this.#script.lose(
          node,
          'the random index can be outside the list; the test selects only existing items',
        );
      const isSelected = (index: number) => index >= min && index <= max && (index - min) % step === 0;
      return this.picked(
        object.items.filter((_, index) => isSelected(index)),
        node,
      );
    }
    return this.#script.unknown(node, 'item');
  }

  picked(items: readonly Value[], node: AnyNode): Value {
    const texts = items.map(stringOf).filter((text) => text !== null && text !== '' && !/[,{}]/.test(text));
    if (texts.length === items.length && items.length > 0) {
      // An expression must not contain the slash after the host of a URL, so the slash precedes the expression.
      const isPath = texts.every((text) => text?.startsWith('/') === true && text.length > 1);
      const expression = `pick:${texts.map((text) => (isPath ? text?.slice(1) : text)).join(',')}`;
      return { kind: 'text', text: [...(isPath ? ['/'] : []), { expression }] };
    }
    this.#script.lose(node, 'the random selection is not converted; only the first item of the list is used');
    return items[0] ?? NOTHING;
  }

  rounded(name: string, value: Value | undefined, node: AnyNode): Value {
    const number = numberOfValue(value);
    if (number !== null) return numberValue(roundedNumber(name, number));
    if (value?.kind !== 'random')
      return value?.kind === 'text' ? value : this.#script.unknown(node, 'number');
    const { min, max, step } = value;
    if (step !== null && Number.isInteger(step) && Number.isInteger(min)) return value;
    if (step !== null)
      return {
        kind: 'random',
        min: roundedNumber(name, min),
        max: roundedNumber(name, max),
        step: Math.max(1, step),
      };
    // The random number is always less than `max`.
    if (name === 'Math.ceil')
      return { kind: 'random', min: Math.floor(min) + 1, max: Math.ceil(max), step: 1 };
    if (name === 'Math.round') return { kind: 'random', min: Math.round(min), max: Math.round(max), step: 1 };
    return { kind: 'random', min: Math.floor(min), max: Math.ceil(max) - 1, step: 1 };
  }

  /** Evaluates `JSON.parse` for the body of a response, a file or a literal string. */
  parsed(value: Value | undefined, node: AnyNode): Value {
    if (value?.kind === 'part' && value.source === 'body')
      return { kind: 'part', request: value.request, source: 'json', property: '' };
    const file = value?.kind === 'file' ? this.#script.source.readFile(value.path) : null;
    if (value?.kind === 'file' && file !== null && 'reason' in file)
      this.#script.lose(node, `the file ${JSON.stringify(value.path)} ${file.reason}`);
    const text = file !== null && 'text' in file ? file.text : stringOf(value);
    try {
      return text === null ? this.#script.unknown(node, 'data') : valueOfJson(JSON.parse(text));
    } catch {
      return this.#script.unknown(node, 'data');
    }
  }

  jsonPart(request: FlowRequest, path: Value | undefined, node: AnyNode): Value {
    const text = path === undefined ? '' : stringOf(path);
    if (text === null || /[#*?|@]/.test(text)) return this.#script.unknown(node, 'value');
    const pointer = text === '' ? '' : pointerOf(text.split('.'));
    return { kind: 'part', request, source: 'json', property: pointer };
  }
}

/** Maximum number of literal characters of a text, and maximum number of parts of a text or items of a list. */
const MAX_TEXT = 1_000_000;
const MAX_PARTS = 10_000;

/** Reports whether a value must not grow further. In a loop, a value can double in each repetition. */
export function isTooLarge(value: Value): boolean {
  if (value.kind === 'list') return value.items.length > MAX_PARTS;
  if (value.kind !== 'text') return false;
  const { text } = value;
  return (
    text.length > MAX_PARTS ||
    text.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0) > MAX_TEXT
  );
}

export const NOW: Value = { kind: 'text', text: [{ expression: 'now:unix_ms' }], isNumber: true };

function isClientNumber(value: Value): boolean {
  const [part, ...others] = value.kind === 'text' ? value.text : [];
  return (
    others.length === 0 && typeof part === 'object' && 'expression' in part && part.expression === 'client'
  );
}

export function lengthsOf(value: Value | undefined): readonly [number, number] {
  if (value?.kind === 'random') return [value.min, value.max];
  const length = numberOfValue(value) ?? 8;
  return [length, length];
}

export function isNumeric(value: Value): boolean {
  return value.kind === 'text' && value.isNumber === true;
}

/** Returns the current time plus or minus a positive number of milliseconds; null for other operations. */
function shiftedTime(operator: string, value: Value, offset: number | null): Value | null {
  const [only, ...others] = value.kind === 'text' ? value.text : [];
  const isNow = typeof only === 'object' && 'expression' in only && only.expression === 'now:unix_ms';
  if (!isNow || others.length > 0 || offset === null || !Number.isInteger(offset) || offset <= 0) return null;
  if (operator !== '+' && operator !== '-') return null;
  const text = [{ expression: `now${operator}${offset}ms:unix_ms` }];
  return { kind: 'text', text, isNumber: true };
}

const EXECUTION: Readonly<Record<string, Value>> = {
  'execution.vu.idInTest': { kind: 'text', text: [{ expression: 'client' }] },
  'execution.vu.idInInstance': { kind: 'text', text: [{ expression: 'client' }] },
  'execution.scenario.iterationInTest': { kind: 'text', text: [{ expression: 'iteration' }] },
  'execution.vu.iterationInInstance': { kind: 'text', text: [{ expression: 'iteration' }] },
};

export function builtinName(path: string, name: string): string {
  if (path === 'k6/http') return name === 'default' || name === '*' ? 'http' : `http.${name}`;
  if (path === 'k6') return name === 'default' || name === '*' ? 'k6' : name;
  if (path === 'k6/metrics') return 'metric';
  if (path === 'k6/data') return name;
  if (path === 'k6/encoding') return name === 'default' || name === '*' ? 'encoding' : `encoding.${name}`;
  if (path === 'k6/execution') return name === 'default' || name === '*' ? 'execution' : `execution.${name}`;
  if (path.includes('papaparse')) return 'papaparse';
  if (/k6-utils|k6\/utils/.test(path)) return `utils.${name}`;
  return `module.${name}`;
}

function responsePart(request: FlowRequest, name: string): Value {
  const part = (source: 'status' | 'body' | 'header' | 'other', property = ''): Value => ({
    kind: 'part',
    request,
    source,
    property,
  });
  if (name === 'status' || name === 'body') return part(name);
  return name === 'headers' ? part('header') : part('other', name);
}

export function environmentNameOf(value: Value): string | null {
  const [only, ...others] = value.kind === 'text' ? value.text : [];
  return typeof only === 'object' && 'secret' in only && others.length === 0 ? only.secret : null;
}

/** Reports whether a value is truthy; null if this is unknown before the run. */
export function truthOf(value: Value): boolean | null {
  if (value.kind === 'boolean') {
    return value.value;
  }
  if (value.kind === 'number') {
    return value.value !== 0;
  }
  if (value.kind === 'nothing') {
    return false;
  }
  if (
    value.kind === 'list' ||
    value.kind === 'map' ||
    value.kind === 'function' ||
    value.kind === 'response'
  ) {
    return true;
  }
  if (value.kind === 'text') {
    return literalOf(value.text) === null ? null : value.text.length > 0;
  }
  return null;
}

function roundedNumber(name: string, value: number): number {
  if (name === 'Math.ceil') return Math.ceil(value);
  if (name === 'Math.round') return Math.round(value);
  return name === 'Math.floor' ? Math.floor(value) : Math.trunc(value);
}

/** Returns the value of `text.replace(/\/$/, '')`, which removes slashes at the end; null for any other call. */
export function withoutEnd(
  object: Value,
  { arguments: given }: CallExpression | NewExpression,
): Value | null {
  const [pattern, replacement] = given;
  const text = stringOf(object);
  const end = pattern?.type === 'Literal' && 'regex' in pattern ? ENDS.get(pattern.regex.pattern) : undefined;
  const isRemoved = replacement?.type === 'Literal' && replacement.value === '';
  return text !== null && end !== undefined && isRemoved ? textValue(text.replace(end, '')) : null;
}

/** Patterns that match slashes at the end of a string, by their source text. */
const ENDS: ReadonlyMap<string, RegExp> = new Map(
  [/\/$/, /\/+$/, /\/*$/].map((pattern) => [pattern.source, pattern]),
);

function arithmetic(operator: string, a: number, b: number): number | boolean | null {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b === 0 ? null : a / b;
    case '%':
      return b === 0 ? null : a % b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    case '===':
    case '==':
      return a === b;
    case '!==':
    case '!=':
      return a !== b;
    default:
      return null;
  }
}

/** Returns the expression that a function returns; null if the body contains other statements. */
export function expressionOf({ body }: FunctionNode): Expression | null {
  if (body.type !== 'BlockStatement') return body;
  const [only, ...others] = body.body;
  return only?.type === 'ReturnStatement' && others.length === 0 ? (only.argument ?? null) : null;
}

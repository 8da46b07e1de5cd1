/** Converts the conditions of `check` to expectations. */
import type { ExpectedValue } from '../core/model/condition.ts';
import { parseExpectedStatus, type Expectation, type StatusClass } from '../core/model/expectation.ts';
import { itemsOfValue, numberOfValue, stringOf, type AnyNode, type Value } from './k6-values.ts';
import { ResponseExpectation } from './response-expectation.ts';

export class CheckedResponse {
  readonly #expected: ResponseExpectation;
  readonly #evaluate: (node: AnyNode) => Value;

  /**
   * Collects conditions in addition to an existing expectation.
   * @param before - Expectation of the request so far; null if the request has none.
   */
  constructor(before: Expectation | null, evaluate: (node: AnyNode) => Value) {
    this.#expected = new ResponseExpectation(before);
    this.#evaluate = evaluate;
  }

  get expectation(): Expectation | null {
    return this.#expected.build();
  }

  /** Adds a condition. Returns false if the condition, or an operand of `&&` in it, cannot be expressed. */
  add(node: AnyNode): boolean {
    if (node.type === 'LogicalExpression') {
      return this.#addLogical(node.operator, node.left, node.right);
    }
    if (node.type === 'BinaryExpression') {
      return this.#addRelation(
        node.operator,
        this.#evaluate(node.left),
        this.#evaluate(node.right),
        node.left,
      );
    }
    if (node.type === 'UnaryExpression') {
      return (
        node.operator === '!' && node.argument.type === 'CallExpression' && this.#addCall(node.argument, true)
      );
    }
    if (node.type === 'CallExpression') {
      return this.#addCall(node, false) || this.#addMember(this.#evaluate(node));
    }
    if (node.type === 'ParenthesizedExpression') {
      return this.add(node.expression);
    }
    return this.#addMember(this.#evaluate(node));
  }

  #addLogical(operator: string, left: AnyNode, right: AnyNode): boolean {
    if (operator === '&&') {
      // Two bounds joined by `&&` form a range of status codes.
      const bounds = [left, right].map((one) => this.#statusBound(one));
      const [low, high] = [
        bounds.find((one) => one?.isLow === true),
        bounds.find((one) => one?.isLow === false),
      ];
      if (low !== undefined && low !== null && high !== undefined && high !== null)
        return this.#addRange(low.value, high.value);
      const isLeft = this.add(left);
      return this.add(right) && isLeft;
    }
    const status = operator === '||' ? [left, right].map((one) => this.#statusesOf(one)) : [null];
    if (status.some((codes) => codes === null)) return false;
    return this.#expected.status(status.flatMap((codes) => codes ?? []));
  }

  #statusBound(node: AnyNode): { readonly isLow: boolean; readonly value: number } | null {
    if (node.type !== 'BinaryExpression') return null;
    const [left, right] = [this.#evaluate(node.left), numberOfValue(this.#evaluate(node.right))];
    if (left.kind !== 'part' || left.source !== 'status' || right === null) return null;
    if (node.operator === '>=') {
      return { isLow: true, value: right };
    }
    if (node.operator === '>') {
      return { isLow: true, value: right + 1 };
    }
    if (node.operator === '<') {
      return { isLow: false, value: right - 1 };
    }
    if (node.operator === '<=') {
      return { isLow: false, value: right };
    }
    return null;
  }

  #addRange(low: number, high: number): boolean {
    if (low % 100 !== 0 || high % 100 !== 99) return false;
    const count = Math.floor(high / 100) - low / 100 + 1;
    return this.#expected.status(Array.from({ length: count }, (_, index) => `${low / 100 + index}xx`));
  }

  /** Returns the status codes of an equality, or of equalities that are joined by `||`; null for other conditions. */
  #statusesOf(node: AnyNode): readonly (number | StatusClass)[] | null {
    if (node.type === 'ParenthesizedExpression') return this.#statusesOf(node.expression);
    if (node.type === 'LogicalExpression' && node.operator === '||') {
      const [left, right] = [this.#statusesOf(node.left), this.#statusesOf(node.right)];
      return left === null || right === null ? null : [...left, ...right];
    }
    if (node.type !== 'BinaryExpression' || !node.operator.startsWith('==')) return null;
    const [left, right] = [this.#evaluate(node.left), numberOfValue(this.#evaluate(node.right))];
    const status = right === null ? null : parseExpectedStatus(right);
    return left.kind === 'part' && left.source === 'status' && status !== null ? [status] : null;
  }

  #addRelation(operator: string, left: Value, right: Value, leftNode: AnyNode): boolean {
    const isNegative = operator.startsWith('!');
    if (left.kind !== 'part') return operator !== '===' && this.#addIndexOf(leftNode, operator, right);
    const number = numberOfValue(right);
    if (left.source === 'status') {
      if (operator.startsWith('==') && number !== null) return this.#expected.status([number]);
      // Codes of 400 and above are errors by default, so `< 400` and `<= 399` add nothing.
      return (operator === '<' && number === 400) || (operator === '<=' && number === 399);
    }
    if (left.source !== 'json') return false;
    const length = /^(.*)\/length$/s.exec(left.property)?.[1];
    if (length !== undefined && number !== null)
      return this.#addJson(length, { length: `${shortened(operator)} ${number}` });
    if (isNegative && right.kind === 'nothing') return this.#addJson(left.property, { exists: true });
    const expected = scalarOf(right);
    if (expected === undefined) return false;
    if (operator.startsWith('==')) return this.#addJson(left.property, expected);
    if (isNegative) return this.#addJson(left.property, { not: expected });
    return number !== null && this.#addJson(left.property, { number: `${operator} ${number}` });
  }

  #addJson(pointer: string, value: ExpectedValue): boolean {
    return this.#expected.json(pointer, value);
  }

  /** Adds `body.indexOf(text) !== -1` and similar conditions. Returns false for any other condition. */
  #addIndexOf(node: AnyNode, operator: string, right: Value): boolean {
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
    const { object, property } = node.callee;
    const [argument] = node.arguments;
    if (property.type !== 'Identifier' || property.name !== 'indexOf' || argument === undefined) return false;
    const [text, body] = [stringOf(this.#evaluate(argument)), this.#evaluate(object)];
    const number = numberOfValue(right);
    const isFound =
      ((operator.startsWith('!') || operator === '>') && number === -1) ||
      (operator === '>=' && number === 0);
    if (text === null || body.kind !== 'part' || body.source !== 'body' || !isFound) return false;
    this.#expected.body('contains', [text]);
    return true;
  }

  #addCall(node: AnyNode, isNegated: boolean): boolean {
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
    const { object, property } = node.callee;
    const [argument] = node.arguments;
    if (property.type !== 'Identifier' || argument === undefined) return false;
    if (property.name === 'test' && object.type === 'Literal' && 'regex' in object) {
      const value = this.#evaluate(argument);
      if (value.kind !== 'part' || value.source !== 'body' || isNegated || object.regex.flags !== '')
        return false;
      this.#expected.body('matches', [object.regex.pattern]);
      return true;
    }
    if (property.name !== 'includes') return false;
    const [target, value] = [this.#evaluate(object), this.#evaluate(argument)];
    const text = stringOf(value);
    if (target.kind === 'part' && target.source === 'body' && text !== null) {
      this.#expected.body(isNegated ? 'notContains' : 'contains', [text]);
      return true;
    }
    const codes = itemsOfValue(target).map((item) => numberOfValue(item) ?? '');
    return !isNegated && value.kind === 'part' && value.source === 'status' && this.#expected.status(codes);
  }

  #addMember(value: Value): boolean {
    return (
      value.kind === 'part' && value.source === 'json' && this.#addJson(value.property, { exists: true })
    );
  }
}

export function shortened(operator: string): string {
  return operator === '===' ? '==' : operator === '!==' ? '!=' : operator;
}

function scalarOf(value: Value): string | number | boolean | null | undefined {
  if (value.kind === 'number' || value.kind === 'boolean') return value.value;
  if (value.kind === 'nothing') return null;
  return stringOf(value) ?? undefined;
}

/** Conversion of values of k6 scripts to texts of requests. */
import type { IntakeRows } from '../core/intake/intake.ts';
import { secretName } from '../core/intake/intake-secrets.ts';
import { joinTexts, jsonStringOf, type IntakeText, type IntakeTextPart } from '../core/intake/intake-text.ts';
import type { FlowRequest } from './flow-requests.ts';
import { randomInteger } from './generated-values.ts';
import type { K6Script } from './k6-script.ts';
import type { AnyNode, Value } from './k6-values.ts';
import { variableName } from './names.ts';

export class K6Texts {
  readonly #script: K6Script;
  /** Names of captures and values that are in use, each with a string that identifies the value. */
  readonly #names = new Map<string, string>();
  /** Numbers that distinguish the names of captures, by request. */
  readonly #numbers = new Map<FlowRequest, number>();
  /** Files with rows, by the names of their columns. */
  readonly rows = new Map<string, IntakeRows>();

  constructor(script: K6Script) {
    this.#script = script;
  }

  /** Returns a value as text. Captures a part of a response as a variable. */
  text(value: Value, node: AnyNode): IntakeText {
    if (value.kind === 'list' && this.#isExhausted(node)) return [];
    switch (value.kind) {
      case 'text':
        return value.text;
      case 'number':
      case 'boolean':
        return [String(value.value)];
      case 'nothing':
        return [];
      case 'random':
        return [this.#randomText(value, node)];
      case 'part':
        return this.#partText(value, node);
      case 'unknown': {
        const name = secretName(value.name);
        this.#script.lose(
          node,
          `the value of ${JSON.stringify(value.name)} is unknown and is read from the environment variable ${name}`,
        );
        return [{ secret: name }];
      }
      case 'list':
        return this.joined(value.items, ',', node);
      case 'builtin':
      case 'function':
      case 'map':
      case 'response':
      case 'checked':
      case 'rows':
      case 'row':
      case 'file':
      case 'upload':
        this.#script.lose(node, 'the value is omitted, because it cannot be converted to text');
        return [];
    }
  }

  joined(items: readonly Value[], separator: string, node: AnyNode): IntakeText {
    return joinTexts(
      items.map((item) => this.text(item, node)),
      separator,
    );
  }

  #randomText({ min, max, step }: Value & { readonly kind: 'random' }, node: AnyNode): IntakeTextPart {
    if (step === 1 && Number.isInteger(min)) return randomInteger(min, max);
    if (step !== null)
      this.#script.lose(
        node,
        `the random number can be any decimal number from ${min} to ${max}, not only values at intervals of ${step}`,
      );
    return { expression: `decimal:${Number(min.toFixed(6))}-${Number(max.toFixed(6))}` };
  }

  #partText(part: Value & { readonly kind: 'part' }, node: AnyNode): IntakeText {
    const { source } = part;
    const property = source === 'status' ? '' : part.property;
    if (source === 'other' || source === 'body') {
      this.#script.lose(
        node,
        'the value from the response is omitted; if the body contains the value, capture it with "variables"',
      );
      return [];
    }
    const { captures } = part.request.request;
    const known = captures.find((one) => one.source === source && one.property === property);
    if (known !== undefined) return [{ variable: known.name }];
    const last = property.split('/').findLast((step) => !/^\d*$/.test(step)) ?? 'value';
    const number = this.#numbers.get(part.request) ?? this.#numbers.size;
    this.#numbers.set(part.request, number);
    const name = this.uniqueName(source === 'status' ? source : last, `${number} ${source} ${property}`);
    part.request.update({ captures: [...captures, { name, source, property }] });
    return [{ variable: name }];
  }

  column(row: Value & { readonly kind: 'row' }, name: string): string {
    this.rows.set(name, { file: row.file, order: row.order });
    return variableName(name);
  }

  json(value: Value, node: AnyNode): IntakeText {
    const parts: IntakeTextPart[] = [];
    this.#addJson(parts, value, node);
    return parts;
  }

  /** Adds the JSON text of a value to the parts, so that deeply nested values take linear time. */
  #addJson(parts: IntakeTextPart[], value: Value, node: AnyNode): void {
    if (this.#isExhausted(node)) {
      parts.push('null');
    } else if (value.kind === 'list') {
      parts.push('[');
      for (const [index, item] of value.items.entries()) {
        if (index > 0) parts.push(',');
        this.#addJson(parts, item, node);
      }
      parts.push(']');
    } else if (value.kind === 'map') {
      const members = [...value.members].filter(([, member]) => member.kind !== 'function');
      parts.push('{');
      for (const [index, [key, member]] of members.entries()) {
        parts.push(`${index === 0 ? '' : ','}${JSON.stringify(key)}:`);
        this.#addJson(parts, member, node);
      }
      parts.push('}');
    } else {
      parts.push(...this.#jsonScalar(value, node));
    }
  }

  #jsonScalar(value: Value, node: AnyNode): IntakeText {
    if (value.kind === 'nothing') return ['null'];
    if (value.kind === 'number' || value.kind === 'boolean' || value.kind === 'random') {
      return this.text(value, node);
    }
    if (value.kind === 'part' && value.source === 'json' && !this.#script.requests.has(value.request))
      this.#script.lose(
        node,
        'the value from "setup" is sent as a JSON string, even if it is a number or a boolean',
      );
    const text = this.text(value, node);
    if (value.kind === 'text' && value.isNumber === true) return text;
    return jsonStringOf(text);
  }

  uniqueName(name: string, what: string): string {
    const base = variableName(name);
    let key = base;
    for (let count = 2; this.#names.has(key) && this.#names.get(key) !== what; count++)
      key = `${base}_${count}`;
    this.#names.set(key, what);
    return key;
  }

  /** Counts a step. Reports whether the script exceeds the maximum number of steps. */
  #isExhausted(node: AnyNode): boolean {
    if (!this.#script.countStep()) return false;
    this.#script.lose(node, 'the script is too complex; a part of this value is omitted');
    return true;
  }
}

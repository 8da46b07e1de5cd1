/** Values of a k6 script that are known without running the script. */
import type { AnyNode, Function as FunctionNode } from 'acorn';
import { literalOf, type IntakeText } from '../core/intake/intake-text.ts';
import type { IntakePart, SourcePosition } from '../core/intake/intake.ts';
import type { FlowRequest } from './flow-requests.ts';

export type Value =
  | {
      readonly kind: 'text';
      readonly text: IntakeText;
      readonly isJson?: boolean;
      readonly isNumber?: boolean;
    }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** `null` or `undefined`. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'list'; readonly items: Value[] }
  | { readonly kind: 'map'; readonly members: Map<string, Value> }
  | { readonly kind: 'function'; readonly node: FunctionNode; readonly scope: Scope }
  /** A function or object of k6 or of JavaScript, by its name. */
  | { readonly kind: 'builtin'; readonly name: string }
  | { readonly kind: 'response'; readonly request: FlowRequest }
  /** Result of the checks on a response: true if all checks pass. */
  | { readonly kind: 'checked'; readonly request: FlowRequest }
  | {
      readonly kind: 'part';
      readonly request: FlowRequest;
      readonly source: 'json' | 'header' | 'cookie' | 'body' | 'status' | 'other';
      readonly property: string;
    }
  /** A random number: `min`, `min + step`, … `max`; if `step` is null, any number from `min` to below `max`. */
  | { readonly kind: 'random'; readonly min: number; readonly max: number; readonly step: number | null }
  /** The content of a CSV file as a list, and a row of this list. */
  | { readonly kind: 'rows'; readonly file: string }
  | { readonly kind: 'row'; readonly file: string; readonly order: 'sequential' | 'random' | 'client' }
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 'upload';
      readonly content: IntakePart['content'];
      readonly fileName: string | null;
      readonly type: string | null;
    }
  /** A value that is known only when the script runs. */
  | { readonly kind: 'unknown'; readonly name: string; readonly at: SourcePosition };

export type { AnyNode, FunctionNode };

export class Scope {
  readonly #outer: Scope | null;
  readonly #level: number;
  #values = new Map<string, Value>();

  constructor(outer: Scope | null = null) {
    this.#outer = outer;
    this.#level = outer === null ? 0 : outer.#level + 1;
  }

  get level(): number {
    return this.#level;
  }

  /** Returns the level of the scope that declares a variable; 0 if no scope declares the variable. */
  levelOf(name: string): number {
    return this.#values.has(name) ? this.#level : (this.#outer?.levelOf(name) ?? 0);
  }

  snapshot(): () => void {
    const values = new Map(this.#values);
    return () => {
      this.#values = new Map(values);
    };
  }

  declare(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  /** Assigns a value in the scope that declares the variable, or in the outermost scope. */
  assign(name: string, value: Value): void {
    if (this.#values.has(name) || this.#outer === null) this.#values.set(name, value);
    else this.#outer.assign(name, value);
  }

  find(name: string): Value | undefined {
    return this.#values.get(name) ?? this.#outer?.find(name);
  }
}

export const NOTHING: Value = { kind: 'nothing' };

export function textValue(text: string): Value {
  return { kind: 'text', text: text === '' ? [] : [text] };
}

export function numberValue(value: number): Value {
  return { kind: 'number', value };
}

/** Returns a number or a literal text as a string; null for any other value. */
export function stringOf(value: Value | undefined): string | null {
  if (value?.kind === 'number') return String(value.value);
  return value?.kind === 'text' ? literalOf(value.text) : null;
}

export function numberOfValue(value: Value | undefined): number | null {
  if (value?.kind === 'number') return value.value;
  const text = stringOf(value);
  return text !== null && /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : null;
}

export function memberOf(value: Value | undefined, ...path: readonly string[]): Value | undefined {
  let found = value;
  for (const name of path) found = found?.kind === 'map' ? found.members.get(name) : undefined;
  return found;
}

export function membersOfValue(value: Value | undefined): readonly (readonly [string, Value])[] {
  return value?.kind === 'map' ? [...value.members] : [];
}

export function itemsOfValue(value: Value | undefined): readonly Value[] {
  return value?.kind === 'list' ? value.items : [];
}

export function valueOfJson(json: unknown): Value {
  if (typeof json === 'string') return textValue(json);
  if (typeof json === 'number') return numberValue(json);
  if (typeof json === 'boolean') return { kind: 'boolean', value: json };
  if (Array.isArray(json)) return { kind: 'list', items: json.map(valueOfJson) };
  if (typeof json !== 'object' || json === null) return NOTHING;
  return { kind: 'map', members: new Map(Object.entries(json).map(([key, one]) => [key, valueOfJson(one)])) };
}

/** Creates sample values for the JSON schemas in API descriptions. */
import { secretName } from '../core/intake/intake-secrets.ts';
import { jsonStringOf, type IntakeText } from '../core/intake/intake-text.ts';
import type { SourcePosition } from '../core/intake/intake.ts';
import { isCredentialName } from '../core/model/header-name.ts';
import { randomText } from './generated-values.ts';
import { jsonList, jsonMap } from './json-text.ts';
import { valueNamed } from './names.ts';
import {
  at,
  entriesOf,
  flagOf,
  itemsOf,
  jsonOfScalar,
  numberOf,
  textOf,
  type Scalar,
  type SourceNode,
} from './source-tree.ts';

export type Sample =
  | { readonly kind: 'scalar'; readonly value: Scalar }
  | { readonly kind: 'text'; readonly text: IntakeText }
  | { readonly kind: 'list'; readonly items: readonly Sample[] }
  | { readonly kind: 'map'; readonly members: readonly (readonly [string, Sample])[] };

/** Maximum nesting of a sample. Optional members at this depth are omitted. */
const MAX_SAMPLE_DEPTH = 8;

const MAX_SAMPLE_VALUES = 1000;

/** Maximum number of schemas that one value combines through `allOf`, `oneOf` and `anyOf`. */
const MAX_COMBINED = 100;

export class SchemaSampler {
  /** Constraints that samples may violate. */
  readonly unmet: { readonly at: SourcePosition; readonly message: string }[] = [];
  readonly #resolve: (node: SourceNode) => SourceNode | null;
  #values = 0;

  /** @param resolve - Follows a reference; returns null if the target does not exist. */
  constructor(resolve: (node: SourceNode) => SourceNode | null) {
    this.#resolve = resolve;
  }

  /** Returns a sample value of a schema; an empty map if no value can be determined. */
  sample(schema: SourceNode | null, name: string): Sample {
    this.#values = 0;
    return (schema === null ? null : this.#sample(schema, name, [])) ?? { kind: 'map', members: [] };
  }

  /** Returns a sample value; null if the schema cannot be resolved, contains itself or exceeds a limit. */
  #sample(schema: SourceNode, name: string, parents: readonly SourceNode[]): Sample | null {
    this.#values += 1;
    if (parents.length > MAX_SAMPLE_DEPTH || this.#values > MAX_SAMPLE_VALUES) return null;
    const parts = this.#combined(schema);
    const [first] = parts;
    if (first === undefined || parents.includes(first)) return null;
    const facet = (key: string) => facetOf(parts, key);
    const [listed] = itemsOf(facet('examples'));
    const given =
      facet('example') ?? listed ?? facet('const') ?? facet('default') ?? itemsOf(facet('enum'))[0] ?? null;
    if (given !== null) return sampleOf(given);
    const within = [...parents, first];
    switch (typeOf(parts) ?? 'any') {
      case 'object':
        return this.#object(parts, within);
      case 'array': {
        const items = facet('items');
        const min = Math.max(1, ...parts.map((part) => numberOf(at(part, 'minItems')) ?? 0));
        const list: Sample[] = [];
        while (items !== null && list.length < min) {
          const item = this.#sample(items, name, within);
          if (item === null) break;
          list.push(item);
        }
        return { kind: 'list', items: list };
      }
      case 'boolean':
        return { kind: 'scalar', value: true };
      case 'null':
        return { kind: 'scalar', value: null };
      case 'integer':
      case 'number':
        return { kind: 'scalar', value: this.#number(parts, name) };
      case 'string':
        return this.#string(parts, name);
      default:
        return { kind: 'map', members: [] };
    }
  }

  #object(parts: readonly SourceNode[], within: readonly SourceNode[]): Sample {
    const required = new Set(parts.flatMap((part) => itemsOf(at(part, 'required')).map(textOf)));
    const members = new Map<string, Sample>();
    for (const [name, { node }] of parts.flatMap((part) => entriesOf(at(part, 'properties')))) {
      if (members.has(name)) continue;
      const property = this.#resolve(node);
      if (property === null || flagOf(at(property, 'readOnly')) === true) continue;
      const sample = this.#sample(property, name, within);
      if (sample !== null) members.set(name, sample);
      else if (required.has(name)) members.set(name, { kind: 'scalar', value: null });
    }
    return { kind: 'map', members: [...members] };
  }

  /** Returns a number close to 1 that meets the constraints, if possible. */
  #number(parts: readonly SourceNode[], name: string): number {
    const lower = boundsOf(parts, 'minimum', 'exclusiveMinimum');
    const upper = boundsOf(parts, 'maximum', 'exclusiveMaximum');
    const steps = parts.map((part) => numberOf(at(part, 'multipleOf')) ?? 0).filter((step) => step > 0);
    const [grid = 1] = steps;
    if (typeOf(parts) === 'integer') steps.push(1);
    const isAllowed = (number: number) =>
      lower.every(({ value, isExclusive }) => number > value || (number === value && !isExclusive)) &&
      upper.every(({ value, isExclusive }) => number < value || (number === value && !isExclusive)) &&
      steps.every((step) => Math.abs(number / step - Math.round(number / step)) < 1e-9);
    const min = Math.max(...lower.map(({ value }) => value));
    const max = Math.min(...upper.map(({ value }) => value));
    const closest = Math.max(min, Math.min(max, 1));
    const [above, below] = [Math.ceil(closest / grid), Math.floor(closest / grid)];
    const multiples = [above, below, above + 1, below - 1].map((count) => multiple(count, grid));
    const found = [closest, ...multiples, (min + max) / 2].find(isAllowed);
    const [first] = parts;
    if (found === undefined && first !== undefined)
      this.unmet.push({
        at: first.at,
        message: `the value of ${JSON.stringify(name)} is ${closest}, which its schema does not allow; replace the value`,
      });
    return found ?? closest;
  }

  #string(parts: readonly SourceNode[], name: string): Sample {
    const facet = (key: string) => facetOf(parts, key);
    const format = textOf(facet('format')) ?? '';
    if (format === 'password' || isCredentialName(name))
      return { kind: 'text', text: [{ secret: secretName(name) }] };
    const formatted = valueNamed(format, FORMATTED);
    if (formatted !== undefined) return { kind: 'text', text: formatted };
    const pattern = facet('pattern');
    if (pattern !== null)
      this.unmet.push({
        at: pattern.at,
        message: `the value of ${JSON.stringify(name)} is random text that can violate its pattern; replace the value if the target rejects it`,
      });
    const min = numberOf(facet('minLength')) ?? 0;
    const max = numberOf(facet('maxLength')) ?? Number.POSITIVE_INFINITY;
    return { kind: 'text', text: max < 1 ? [] : [randomText(Math.min(Math.max(TEXT_LENGTH, min), max))] };
  }

  /** Returns a schema and the schemas that it combines. Uses only the first alternative whose type is not `null`. */
  #combined(schema: SourceNode): readonly SourceNode[] {
    const parts: SourceNode[] = [];
    const add = (node: SourceNode) => {
      const part = this.#resolve(node);
      if (part === null || parts.includes(part) || parts.length >= MAX_COMBINED) return;
      parts.push(part);
      for (const one of itemsOf(at(part, 'allOf'))) add(one);
      for (const key of ['oneOf', 'anyOf']) {
        const alternatives = itemsOf(at(part, key));
        const used = alternatives.find((one) => textOf(at(one, 'type')) !== 'null') ?? alternatives[0];
        if (used !== undefined) add(used);
      }
    };
    add(schema);
    return parts;
  }
}

/** Length of random strings, unless the schema requires a different length. */
const TEXT_LENGTH = 8;

const FORMATTED: Readonly<Record<string, IntakeText>> = {
  uuid: [{ expression: 'uuid' }],
  'date-time': [{ expression: 'now' }],
  date: [{ expression: 'now:date' }],
  email: [randomText(TEXT_LENGTH), '@example.com'],
  uri: ['https://www.example.com/'],
  url: ['https://www.example.com/'],
  hostname: ['www.example.com'],
  ipv4: ['192.0.2.1'],
  ipv6: ['2001:db8::1'],
  time: ['12:00:00Z'],
  byte: ['dGV4dA=='],
  binary: ['text'],
};

function facetOf(parts: readonly SourceNode[], key: string): SourceNode | null {
  for (const part of parts) {
    const found = at(part, key);
    if (found !== null) return found;
  }
  return null;
}

function typeOf(parts: readonly SourceNode[]): string | null {
  const type = facetOf(parts, 'type');
  const names = type?.kind === 'list' ? type.items.map(textOf) : [textOf(type)];
  const name = names.find((one) => one !== null && one !== 'null') ?? names[0] ?? null;
  if (name !== null) return name;
  if (parts.some((part) => at(part, 'properties') !== null)) return 'object';
  return facetOf(parts, 'items') === null ? null : 'array';
}

interface Bound {
  readonly value: number;
  readonly isExclusive: boolean;
}

/**
 * Returns the bounds of a number. In OpenAPI 3.0, the keyword in `exclusive` is a flag that makes the bound in
 * `inclusive` exclusive.
 */
function boundsOf(parts: readonly SourceNode[], inclusive: string, exclusive: string): readonly Bound[] {
  return parts.flatMap((part): readonly Bound[] => {
    const [own, other] = [numberOf(at(part, inclusive)), numberOf(at(part, exclusive))];
    return [
      ...(own === null ? [] : [{ value: own, isExclusive: flagOf(at(part, exclusive)) === true }]),
      ...(other === null ? [] : [{ value: other, isExclusive: true }]),
    ];
  });
}

/** Returns a multiple of a step without a rounding error. */
function multiple(count: number, step: number): number {
  const product = count * step;
  return Number.isInteger(step) ? product : Number(product.toPrecision(15));
}

export function sampleOf(node: SourceNode): Sample {
  if (node.kind === 'scalar') return { kind: 'scalar', value: node.value };
  if (node.kind === 'list') return { kind: 'list', items: node.items.map(sampleOf) };
  return {
    kind: 'map',
    members: entriesOf(node).map(([name, entry]) => [name, sampleOf(entry.node)] as const),
  };
}

export function jsonTextOf(sample: Sample): IntakeText {
  switch (sample.kind) {
    case 'scalar':
      return [jsonOfScalar(sample.value)];
    case 'text':
      return jsonStringOf(sample.text);
    case 'list':
      return jsonList(sample.items.map(jsonTextOf));
    case 'map':
      return jsonMap(sample.members.map(([name, value]) => [name, jsonTextOf(value)]));
  }
}

/** Returns a sample as the value of a parameter. Lists and maps are converted to JSON. */
export function plainTextOf(sample: Sample): IntakeText {
  if (sample.kind === 'scalar') return [String(sample.value ?? '')];
  return sample.kind === 'text' ? sample.text : jsonTextOf(sample);
}

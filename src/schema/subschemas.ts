import { splitPointer } from '../core/pointer.ts';
import { objectOf } from '../core/unknown-value.ts';
import type { JsonSchema } from './validator.ts';

export function branchesOf(schema: JsonSchema, root: JsonSchema): JsonSchema[] {
  const branches: unknown = schema['oneOf'];
  return Array.isArray(branches)
    ? branches.map((branch: unknown) => resolveReference(toSchema(branch), root))
    : [];
}

/** Returns the schema to which `$ref` refers; without `$ref`, the schema itself. */
export function resolveReference(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const reference = schema['$ref'];
  return typeof reference === 'string'
    ? toSchema(splitPointer(reference.replace(/^#/, '')).reduce<unknown>(member, root))
    : schema;
}

/** Returns the schema of a key in a map; undefined if the key is not allowed or has no schema. */
export function schemaOfKey(schema: JsonSchema, key: string): unknown {
  const patterns = Object.entries(toSchema(schema['patternProperties']));
  const [, ofPattern] = patterns.find(([pattern]) => new RegExp(pattern, 'u').test(key)) ?? [];
  const form = member(schema['properties'], key) ?? ofPattern ?? schema['additionalProperties'];
  return form === false ? undefined : form;
}

export function member(value: unknown, key: string): unknown {
  // The cast is valid, because the value is an object or a list.
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

export function toSchema(value: unknown): JsonSchema {
  return objectOf(value);
}

export function keywordNames(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((member) => typeof member === 'string');
}

/** Steps down a schema, from one of its parts to another. */
import { splitPointer } from '../core/pointer.ts';
import type { JsonSchema } from './validator.ts';

/** The branches of a oneOf. */
export function branchesOf(schema: JsonSchema, root: JsonSchema): JsonSchema[] {
  const branches: unknown = schema['oneOf'];
  return Array.isArray(branches)
    ? branches.map((branch: unknown) => resolveReference(toSchema(branch), root))
    : [];
}

/** What a schema refers to, or itself. */
export function resolveReference(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const reference = schema['$ref'];
  return typeof reference === 'string'
    ? toSchema(splitPointer(reference.replace(/^#/, '')).reduce<unknown>(member, root))
    : schema;
}

/** What a map's schema says of a key; undefined where it knows none such. */
export function schemaOfKey(schema: JsonSchema, key: string): unknown {
  const patterns = Object.entries(toSchema(schema['patternProperties']));
  const [, ofPattern] = patterns.find(([pattern]) => new RegExp(pattern, 'u').test(key)) ?? [];
  const form = member(schema['properties'], key) ?? ofPattern ?? schema['additionalProperties'];
  return form === false ? undefined : form;
}

/** Undefined: it has none of the name. */
export function member(value: unknown, key: string): unknown {
  // Any object may be asked for its own members; what is none gives undefined.
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

/** What is no schema says nothing. */
export function toSchema(value: unknown): JsonSchema {
  // Checked to be an object just before; a schema's members are read as unknown.
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {};
}

/** A keyword that takes one name or several. */
export function keywordNames(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((member) => typeof member === 'string');
}

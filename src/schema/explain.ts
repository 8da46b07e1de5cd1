/** Findings of a validator as sentences. It knows the schema and the value; where the value stands is not its business. */
import type { Code } from '../core/codes.ts';
import { pointerOf, splitPointer } from '../core/pointer.ts';
import { nearestKey } from './nearest.ts';
import type { JsonSchema, SchemaError } from './validator.ts';

export interface Explained {
  readonly code: Code;
  readonly message: string;
  readonly hint: string | null;
  /** The place that the mark belongs under. */
  readonly pointer: string;
  readonly at: 'key' | 'value';
}

/**
 * Says what is wrong, once for each thing that is.
 *
 * Shape:  a oneOf speaks for the branch whose type fits the value, never for all of them.
 */
export function explain(errors: readonly SchemaError[], value: unknown, schema: JsonSchema): Explained[] {
  const choices = errors.filter((error) => error.keyword === 'oneOf');
  const chosen = new Map(choices.map((error) => [error.instancePath, error]));
  return errors.flatMap((error) => {
    // The finding about the map that holds the name says it all.
    if (error.propertyName !== undefined) return [];
    const choice = chosen.get(error.instancePath);
    if (choice === undefined) return explainOne(error, value, schema);
    const found = valueAt(value, error.instancePath);
    const types = typesOfBranches(choice, schema);
    if (types.includes(typeOf(found))) {
      const aboutAnotherBranch = error.keyword === 'oneOf' || error.keyword === 'type';
      return aboutAnotherBranch ? [] : explainOne(error, value, schema);
    }
    return error === choice ? [wrongType(error.instancePath, found, types)] : [];
  });
}

function explainOne(error: SchemaError, value: unknown, schema: JsonSchema): Explained[] {
  const pointer = error.instancePath;
  const found = valueAt(value, pointer);
  const field = fieldOf(pointer);
  const rule = schemaAt(schema, error.schemaPath, 1);
  switch (error.keyword) {
    case 'additionalProperties':
      return [unknownKey(pointer, textOf(error.params['additionalProperty']), rule)];
    case 'required':
      return [missing(pointer, textOf(error.params['missingProperty']))];
    case 'propertyNames':
      return [badName(pointer, textOf(error.params['propertyName']), schemaAt(schema, error.schemaPath, 0))];
    case 'type':
      return [wrongType(pointer, found, namesOf(error.params['type']))];
    case 'enum': {
      const known = namesOf(error.params['allowedValues']);
      return [
        shape(
          pointer,
          `${quote(found)} is not known${meant(found, known)}; ${field} is one of ${known.join(', ')}`,
        ),
      ];
    }
    case 'const':
      return [
        shape(
          pointer,
          `${quote(found)} is not known; ${field} must be ${quote(error.params['allowedValue'])}`,
        ),
      ];
    case 'pattern':
      return [shape(pointer, `${quote(found)} does not fit; ${field} takes ${textOf(rule['$comment'])}`)];
    case 'minimum':
      return [
        shape(
          pointer,
          `${quote(found)} is too small; ${field} must be at least ${quote(error.params['limit'])}`,
        ),
      ];
    case 'maximum':
      return [
        shape(
          pointer,
          `${quote(found)} is too large; ${field} must be at most ${quote(error.params['limit'])}`,
        ),
      ];
    case 'minItems':
    case 'minLength':
      return [
        shape(
          pointer,
          `${field} is empty; it needs at least one ${error.keyword === 'minItems' ? 'entry' : 'character'}`,
        ),
      ];
    default:
      return [shape(pointer, `${field} ${error.message ?? 'does not fit the schema'}`)];
  }
}

function shape(pointer: string, message: string, hint: string | null = null): Explained {
  return { code: 'LT_CONFIG_SHAPE', message, hint, pointer, at: 'value' };
}

function unknownKey(parent: string, key: string, rule: JsonSchema): Explained {
  const known = Object.keys(asSchema(rule['properties']));
  const nearest = nearestKey(key, known);
  const suggestion = nearest === null ? '' : `; did you mean "${nearest}"?`;
  return {
    code: 'LT_CONFIG_UNKNOWN_KEY',
    message: key === '<<' ? `unknown key "<<"; ${MERGE_RULE}` : `unknown key ${quote(key)}${suggestion}`,
    hint: nearest === null && known.length > 0 ? `known here: ${known.join(', ')}` : null,
    pointer: parent + pointerOf([key]),
    at: 'key',
  };
}

const MERGE_RULE =
  'merge keys are no part of YAML 1.2; give the fields themselves, or put them below "defaults"';

function missing(parent: string, key: string): Explained {
  const where = parent === '' ? 'the file' : fieldOf(parent);
  const message = `${where} has no "${key}"; it is needed`;
  return { code: 'LT_CONFIG_SHAPE', message, hint: null, pointer: parent, at: 'key' };
}

function badName(parent: string, name: string, rule: JsonSchema): Explained {
  const message = `${quote(name)} cannot be a key; ${name === '<<' ? MERGE_RULE : textOf(rule['$comment'])}`;
  return { code: 'LT_CONFIG_SHAPE', message, hint: null, pointer: parent + pointerOf([name]), at: 'key' };
}

/** The value itself is not repeated: it may be a password that lacks its quotes. */
function wrongType(pointer: string, found: unknown, types: readonly string[]): Explained {
  if (pointer.endsWith('/<<')) return badName(pointer.slice(0, -'/<<'.length), '<<', {});
  const quotes = types.includes('string') && ['number', 'integer', 'boolean'].includes(typeOf(found));
  const wanted = joinWords([...new Set(types.map((type) => WORDS[type] ?? type))]);
  const has = found === null ? 'has no value' : `is ${WORDS[typeOf(found)] ?? 'something else'}`;
  return shape(
    pointer,
    `${fieldOf(pointer)} ${has}; it must be ${wanted}`,
    quotes ? 'put the value in quotes' : null,
  );
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'a map',
  array: 'a list',
  null: 'empty',
};

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

function typesOfBranches(choice: SchemaError, schema: JsonSchema): string[] {
  const branches = nodeAt(schema, choice.schemaPath);
  if (!Array.isArray(branches)) return [];
  return branches.flatMap((branch: unknown) => {
    const own = asSchema(branch);
    const reference = own['$ref'];
    return namesOf(typeof reference === 'string' ? asSchema(nodeAt(schema, reference))['type'] : own['type']);
  });
}

/** The last named part of a pointer, in quotes, with the place of a list's member. */
function fieldOf(pointer: string): string {
  const path = splitPointer(pointer);
  const last = path.at(-1);
  if (last === undefined) return 'the file';
  const parent = path.at(-2);
  return /^\d+$/.test(last) && parent !== undefined
    ? `entry ${Number(last) + 1} of "${parent}"`
    : `"${last}"`;
}

function meant(found: unknown, known: readonly string[]): string {
  const nearest = typeof found === 'string' ? nearestKey(found, known) : null;
  return nearest === null ? '' : ` (did you mean "${nearest}"?)`;
}

/** A value for people, short enough for one line. */
function quote(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…"` : text;
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function namesOf(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((member) => typeof member === 'string');
}

function valueAt(root: unknown, pointer: string): unknown {
  return splitPointer(pointer).reduce<unknown>(member, root);
}

/** The schema that a schemaPath such as `#/definitions/Test/additionalProperties` lies in, `up` levels higher. */
function schemaAt(schema: JsonSchema, schemaPath: string, up: number): JsonSchema {
  const path = schemaPath.split('/');
  return asSchema(nodeAt(schema, path.slice(0, path.length - up).join('/')));
}

function nodeAt(schema: JsonSchema, schemaPath: string): unknown {
  return splitPointer(decodeURIComponent(schemaPath.replace(/^#/, ''))).reduce<unknown>(member, schema);
}

function member(value: unknown, key: string): unknown {
  // Any object may be asked for its own members; what is none gives undefined.
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

function asSchema(value: unknown): JsonSchema {
  // Checked to be an object just before; a schema's members are read as unknown.
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {};
}

/** Converts validation errors to messages, based on the schema and the value. */
import type { Code } from '../core/codes.ts';
import { pointerOf, splitPointer } from '../core/pointer.ts';
import { quote } from '../core/quote.ts';
import { toSchema, branchesOf, member, keywordNames, resolveReference, schemaOfKey } from './subschemas.ts';
import { nearestKey } from './nearest-key.ts';
import { translateKey } from './words-of-other-tools.ts';
import type { JsonSchema, SchemaError } from './validator.ts';

export interface ExplainedError {
  readonly code: Code;
  readonly message: string;
  readonly hint: string | null;
  /** Lines of YAML that show the valid alternative. */
  readonly example?: readonly string[];
  /** JSON Pointer of the key or value to underline. */
  readonly pointer: string;
  readonly at: 'key' | 'value';
  /** True if the map or list at the pointer lacks a key or an entry. */
  readonly lacks: boolean;
  /** The missing key, if the map at the pointer lacks one. */
  readonly missing?: string;
}

/**
 * Explains validation errors, one message per mistake.
 * @remarks Errors of a `oneOf` are reported only for the branch whose type matches the value.
 */
export function explainErrors(
  errors: readonly SchemaError[],
  value: unknown,
  schema: JsonSchema,
): ExplainedError[] {
  const choices = new Set(
    errors.filter(({ keyword }) => keyword === 'oneOf').map((error) => error.instancePath),
  );
  const mistyped = new Set(
    errors.filter(({ keyword }) => keyword === 'type').map((error) => error.instancePath),
  );
  const explained = errors.flatMap((error) => {
    // A value of the wrong type is one mistake, even if it is also outside the bounds.
    if (['minimum', 'maximum'].includes(error.keyword) && mistyped.has(error.instancePath)) return [];
    // Omits the error about the name of a key, because the error about the map contains the name.
    if (error.propertyName !== undefined) return [];
    const position = positionAt(error.instancePath, value, schema);
    if (!choices.has(error.instancePath)) return [explainError(error, position)];
    const types = position.branches.flatMap((branch) => keywordNames(branch['type']));
    const fits = fitsType(position.value, types);
    if (error.keyword === 'oneOf') return fits ? [] : [wrongTypeError(error.instancePath, position, types)];
    // Omits type errors of other branches.
    return fits && error.keyword !== 'type' ? [explainError(error, position)] : [];
  });
  return explained.filter((one) => !isShownInExample(one, explained));
}

function isShownInExample({ missing, pointer }: ExplainedError, all: readonly ExplainedError[]): boolean {
  return (
    missing !== undefined &&
    all.some(
      (other) =>
        other.at === 'key' &&
        other.pointer.slice(0, other.pointer.lastIndexOf('/')) === pointer &&
        other.example?.some((line) => line.startsWith(`${missing}:`)) === true,
    )
  );
}

function explainError(error: SchemaError, position: SchemaPosition): ExplainedError {
  const { instancePath: pointer, params } = error;
  const { value: found, schema: rule } = position;
  const field = fieldOf(pointer);
  const shown = quote(parameterText(found));
  const limit = parameterText(params['limit']);
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownKeyError(pointer, parameterText(params['additionalProperty']), rule);
    case 'required':
      return missingKeyError(pointer, parameterText(params['missingProperty']));
    case 'propertyNames':
      return badNameError(pointer, parameterText(params['propertyName']), toSchema(rule['propertyNames']));
    case 'type':
      return wrongTypeError(pointer, position, keywordNames(params['type']));
    case 'enum': {
      const known = keywordNames(params['allowedValues']);
      const suggestion = suggestionText(found, known);
      return shapeError(
        pointer,
        `${shown} is not a valid value${suggestion}; ${field} must be one of ${known.join(', ')}`,
      );
    }
    case 'const': {
      const only = params['allowedValue'];
      return shapeError(
        pointer,
        `${shown} is not a valid value; ${field} must be the ${typeof only} ${parameterText(only)}`,
      );
    }
    case 'pattern':
      return shapeError(
        pointer,
        `${shown} is not a valid value; ${field} accepts ${parameterText(rule['$comment'])}`,
      );
    case 'minimum':
      return shapeError(pointer, `${shown} is too small; ${field} must be at least ${limit}`);
    case 'exclusiveMinimum':
      return shapeError(pointer, `${shown} is too small; ${field} must be above ${limit}`);
    case 'maximum':
      return shapeError(pointer, `${shown} is too large; ${field} must be at most ${limit}`);
    case 'minProperties':
    case 'minItems':
      return params['limit'] === 1
        ? { ...shapeError(pointer, `${field} is empty; add at least one entry`), lacks: true }
        : shapeError(pointer, `${field} has too few entries; write at least ${limit}`);
    case 'maxProperties':
    case 'maxItems':
      return shapeError(pointer, `${field} has too many entries; write at most ${limit}`);
    case 'minLength':
      return shapeError(pointer, `${field} is empty; write at least one character`);
    default:
      return shapeError(pointer, `${field} ${error.message ?? 'does not match the schema'}`);
  }
}

function shapeError(pointer: string, message: string, hint: string | null = null): ExplainedError {
  return { code: 'LT_CONFIG_SHAPE', message, hint, pointer, at: 'value', lacks: false };
}

function unknownKeyError(parent: string, key: string, rule: JsonSchema): ExplainedError {
  const known = Object.keys(toSchema(rule['properties']));
  const translation = translateKey(key, known);
  const form = translation?.advice ?? numberedKeyForm(key, rule, known);
  const nearest = form === null ? nearestKey(key, known) : null;
  const suggestion = form ?? (nearest === null ? null : `did you mean "${nearest}"?`);
  return {
    code: 'LT_CONFIG_UNKNOWN_KEY',
    message:
      key === '<<'
        ? `unknown key "<<"; ${MERGE_RULE}`
        : `unknown key ${quote(key)}${suggestion === null ? '' : `; ${suggestion}`}`,
    hint: suggestion === null && known.length > 0 ? `valid keys: ${known.join(', ')}` : null,
    ...(translation === null ? {} : { example: translation.example }),
    pointer: parent + pointerOf([key]),
    at: 'key',
    lacks: false,
  };
}

/**
 * Returns the form of numbered keys if the key begins with their prefix (`within_`) or differs from a known key only in
 * its number; otherwise null.
 */
function numberedKeyForm(key: string, rule: JsonSchema, known: readonly string[]): string | null {
  const forms = Object.entries(toSchema(rule['patternProperties'])).flatMap(([pattern, schema]) => {
    const text = toSchema(schema)['$comment'];
    return typeof text === 'string' ? [{ start: /^\^(\w*)/.exec(pattern)?.[1] ?? '', text }] : [];
  });
  const begun = forms.find(({ start }) => start.length > 1 && key.startsWith(start));
  if (begun !== undefined) return begun.text;
  const form = forms[0]?.text;
  const shapeOf = (name: string): string => name.replaceAll(/\d[\d.]*/g, '#');
  const shaped = shapeOf(key);
  return form !== undefined && shaped !== key && known.some((name) => shapeOf(name) === shaped) ? form : null;
}

const MERGE_RULE = 'YAML 1.2 has no merge keys; repeat the fields, or move them to "defaults"';

function missingKeyError(parent: string, key: string): ExplainedError {
  const subject = parent === '' ? 'the file' : fieldOf(parent);
  const message = `${subject} has no "${key}", which is required`;
  return { ...shapeError(parent, message), at: 'key', lacks: true, missing: key };
}

function badNameError(parent: string, name: string, rule: JsonSchema): ExplainedError {
  const message = `${quote(name)} is not a valid key; ${name === '<<' ? MERGE_RULE : parameterText(rule['$comment'])}`;
  return { ...shapeError(parent + pointerOf([name]), message), at: 'key' };
}

/** The message omits the value, which may be a password. */
function wrongTypeError(pointer: string, position: SchemaPosition, types: readonly string[]): ExplainedError {
  const { value: found, schema } = position;
  if (pointer.endsWith('/<<')) return badNameError(pointer.slice(0, -'/<<'.length), '<<', {});
  // A string is only for references if the schema also allows a flag, or a number with a minimum.
  const isNumeric =
    /integer|boolean/.test(types.join()) || 'minimum' in schema || 'exclusiveMinimum' in schema;
  const isMapOrNumber = types.includes('object') && types.includes('integer');
  const hasReference = isMapOrNumber || (types.length === 2 && isNumeric);
  const accepted = hasReference ? types.filter((type) => type !== 'string') : types;
  const isBare = accepted.includes('string') && ['number', 'boolean'].includes(typeOf(found));
  const words = joinWords([
    ...new Set(
      accepted.flatMap((type) => (type === 'boolean' ? ['true', 'false'] : (TYPE_WORDS[type] ?? type))),
    ),
  ]);
  const problem = found === null ? 'has no value' : `is ${describe(found)}`;
  return shapeError(
    pointer,
    `${fieldOf(pointer)} ${problem}; it must be ${words}`,
    isBare ? adviceOnString(position) : null,
  );
}

/** Returns advice on writing a string instead of a number or a flag. */
function adviceOnString({ value, schema, branches }: SchemaPosition): string {
  const [example] = [schema, ...branches].flatMap((one) => keywordNames(one['examples']));
  if (example !== undefined) return `write a string such as ${quote(withSuggestedNumber(example, value))}`;
  const rule = schema['$comment'];
  return rule === undefined ? 'quote the value' : `quote the value; the field accepts ${parameterText(rule)}`;
}

/**
 * Inserts the number from the file into the example of a threshold. Does not insert a number below 1, which may be a
 * fraction or a number of seconds.
 */
function withSuggestedNumber(example: string, value: unknown): string {
  return typeof value === 'number' && value >= 1
    ? example.replace(/(?<=^[<>]=? )\d+/, String(value))
    : example;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  object: 'a map',
  array: 'a list',
  null: 'null',
};

function describe(value: unknown): string {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a fraction';
  return TYPE_WORDS[typeOf(value)] ?? 'of an unknown type';
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

function fitsType(value: unknown, types: readonly string[]): boolean {
  return types.includes(typeOf(value)) || (Number.isInteger(value) && types.includes('integer'));
}

/** Returns the name of the last component of a pointer, with its position if it is in a list. */
function fieldOf(pointer: string): string {
  const path = splitPointer(pointer);
  const last = path.at(-1);
  if (last === undefined) return 'the file';
  const parent = path.at(-2);
  return /^\d+$/.test(last) && parent !== undefined
    ? `entry ${Number(last) + 1} of "${parent}"`
    : `"${last}"`;
}

function suggestionText(found: unknown, known: readonly string[]): string {
  const nearest = typeof found === 'string' ? nearestKey(found, known) : null;
  return nearest === null ? '' : ` (did you mean "${nearest}"?)`;
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

function parameterText(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : describe(value);
}

interface SchemaPosition {
  readonly value: unknown;
  readonly schema: JsonSchema;
  /** The branches of a `oneOf`; empty if there is none. `schema` is the matching branch, if any. */
  readonly branches: readonly JsonSchema[];
}

/**
 * Follows a pointer through the value and the schema in parallel. The `schemaPath` of an error is unsuitable, because
 * it restarts at every `$ref`.
 */
function positionAt(pointer: string, value: unknown, root: JsonSchema): SchemaPosition {
  let position = selectBranch(root, value, root);
  for (const part of splitPointer(pointer)) {
    const isList = Array.isArray(position.value);
    const next = isList ? position.schema['items'] : schemaOfKey(position.schema, part);
    position = selectBranch(toSchema(next), member(position.value, part), root);
  }
  return position;
}

function selectBranch(schema: JsonSchema, value: unknown, root: JsonSchema): SchemaPosition {
  const choice = resolveReference(schema, root);
  const branches = branchesOf(choice, root);
  const fitting = branches.find((branch) => fitsType(value, keywordNames(branch['type'])));
  return { value, schema: fitting ?? choice, branches };
}

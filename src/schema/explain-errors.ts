/** Findings of a validator as sentences. It knows the schema and the value; where the value stands is not its business. */
import type { Code } from '../core/codes.ts';
import { pointerOf, splitPointer } from '../core/pointer.ts';
import { toSchema, branchesOf, member, keywordNames, resolveReference, schemaOfKey } from './subschemas.ts';
import { nearestKey } from './nearest-key.ts';
import { translateKey } from './key-synonyms.ts';
import type { JsonSchema, SchemaError } from './validator.ts';

export interface ExplainedError {
  readonly code: Code;
  readonly message: string;
  readonly hint: string | null;
  /** The place that the mark belongs under. */
  readonly pointer: string;
  readonly at: 'key' | 'value';
  /** It is what the map or list at the pointer does not hold. */
  readonly lacks: boolean;
}

/**
 * Says what is wrong, once for each thing that is.
 *
 * Shape:  a oneOf speaks for the branch whose type fits the value, never for all of them.
 */
export function explainErrors(
  errors: readonly SchemaError[],
  value: unknown,
  schema: JsonSchema,
): ExplainedError[] {
  const choices = new Set(
    errors.filter(({ keyword }) => keyword === 'oneOf').map((error) => error.instancePath),
  );
  return errors.flatMap((error) => {
    // The finding about the map that holds the name says it all.
    if (error.propertyName !== undefined) return [];
    const place = positionAt(error.instancePath, value, schema);
    if (!choices.has(error.instancePath)) return [explainError(error, place)];
    const types = place.branches.flatMap((branch) => keywordNames(branch['type']));
    const fits = types.includes(typeOf(place.value));
    if (error.keyword === 'oneOf') return fits ? [] : [wrongTypeError(error.instancePath, place, types)];
    // A type that is wrong here is the type of a branch that was not meant.
    return fits && error.keyword !== 'type' ? [explainError(error, place)] : [];
  });
}

function explainError(error: SchemaError, place: SchemaPosition): ExplainedError {
  const pointer = error.instancePath;
  const { value: found, schema: rule } = place;
  const field = fieldOf(pointer);
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownKeyError(pointer, textOf(error.params['additionalProperty']), rule);
    case 'required':
      return missingKeyError(pointer, textOf(error.params['missingProperty']));
    case 'propertyNames':
      return badNameError(pointer, textOf(error.params['propertyName']), toSchema(rule['propertyNames']));
    case 'type':
      return wrongTypeError(pointer, place, keywordNames(error.params['type']));
    case 'enum': {
      const known = keywordNames(error.params['allowedValues']);
      return shapeError(
        pointer,
        `${quote(found)} is not a valid value${suggestionText(found, known)}; ${field} must be one of ${known.join(', ')}`,
      );
    }
    case 'const':
      return shapeError(
        pointer,
        `${quote(found)} is not a valid value; ${field} must be the ${typeof error.params['allowedValue']} ${textOf(error.params['allowedValue'])}`,
      );
    case 'pattern':
      return shapeError(
        pointer,
        `${quote(found)} is not a valid value; ${field} takes ${textOf(rule['$comment'])}`,
      );
    case 'minimum':
      return shapeError(
        pointer,
        `${quote(found)} is too small; ${field} must be at least ${textOf(error.params['limit'])}`,
      );
    case 'maximum':
      return shapeError(
        pointer,
        `${quote(found)} is too large; ${field} must be at most ${textOf(error.params['limit'])}`,
      );
    case 'minItems':
      if (error.params['limit'] === 1) {
        return { ...shapeError(pointer, `${field} is empty; it needs at least one entry`), lacks: true };
      }
      return shapeError(pointer, `${field} has too few entries; it takes ${textOf(error.params['limit'])}`);
    case 'maxItems':
      return shapeError(
        pointer,
        `${field} has too many entries; it takes at most ${textOf(error.params['limit'])}`,
      );
    case 'minLength':
      return shapeError(pointer, `${field} is empty; it needs at least one character`);
    default:
      return shapeError(pointer, `${field} ${error.message ?? 'does not fit the schema'}`);
  }
}

function shapeError(pointer: string, message: string, hint: string | null = null): ExplainedError {
  return { code: 'LT_CONFIG_SHAPE', message, hint, pointer, at: 'value', lacks: false };
}

function unknownKeyError(parent: string, key: string, rule: JsonSchema): ExplainedError {
  const known = Object.keys(toSchema(rule['properties']));
  const form = translateKey(key, known) ?? numberedKeyForm(key, rule, known);
  const nearest = form === null ? nearestKey(key, known) : null;
  const suggestion = form ?? (nearest === null ? null : `did you mean "${nearest}"?`);
  return {
    code: 'LT_CONFIG_UNKNOWN_KEY',
    message:
      key === '<<'
        ? `unknown key "<<"; ${MERGE_RULE}`
        : `unknown key ${quote(key)}${suggestion === null ? '' : `; ${suggestion}`}`,
    hint: suggestion === null && known.length > 0 ? `known here: ${known.join(', ')}` : null,
    pointer: parent + pointerOf([key]),
    at: 'key',
    lacks: false,
  };
}

/** The form of keys with numbers, for one that differs from known keys in its number alone; null for any other. */
function numberedKeyForm(key: string, rule: JsonSchema, known: readonly string[]): string | null {
  const forms = Object.values(toSchema(rule['patternProperties'])).map((form) => toSchema(form)['$comment']);
  const form = forms.find((text) => typeof text === 'string');
  const shapeOf = (name: string): string => name.replaceAll(/\d[\d.]*/g, '#');
  const shaped = shapeOf(key);
  return form !== undefined && shaped !== key && known.some((name) => shapeOf(name) === shaped) ? form : null;
}

const MERGE_RULE = 'merge keys are not part of YAML 1.2; repeat the fields, or move them below "defaults"';

function missingKeyError(parent: string, key: string): ExplainedError {
  const where = parent === '' ? 'the file' : fieldOf(parent);
  const message = `${where} has no "${key}", which is required`;
  return { code: 'LT_CONFIG_SHAPE', message, hint: null, pointer: parent, at: 'key', lacks: true };
}

function badNameError(parent: string, name: string, rule: JsonSchema): ExplainedError {
  const message = `${quote(name)} cannot be a key; ${name === '<<' ? MERGE_RULE : textOf(rule['$comment'])}`;
  return {
    code: 'LT_CONFIG_SHAPE',
    message,
    hint: null,
    pointer: parent + pointerOf([name]),
    at: 'key',
    lacks: false,
  };
}

/** The value itself is not repeated: it may be a password that lacks its quotes. */
function wrongTypeError(pointer: string, place: SchemaPosition, types: readonly string[]): ExplainedError {
  const { value: found } = place;
  if (pointer.endsWith('/<<')) return badNameError(pointer.slice(0, -'/<<'.length), '<<', {});
  // Text stands beside a whole number or a flag only because a reference may give it.
  const wanted =
    types.length === 2 && /integer|boolean/.test(types.join())
      ? types.filter((type) => type !== 'string')
      : types;
  const isBare = wanted.includes('string') && ['number', 'boolean'].includes(typeOf(found));
  const words = joinWords([...new Set(wanted.map((type) => TYPE_WORDS[type] ?? type))]);
  const has = found === null ? 'has no value' : `is ${describe(found)}`;
  return shapeError(
    pointer,
    `${fieldOf(pointer)} ${has}; it must be ${words}`,
    isBare ? adviceOnText(place) : null,
  );
}

/** What text to write in place of a number or a flag: in quotes it has not always the form that the field takes. */
function adviceOnText({ value, schema, branches }: SchemaPosition): string {
  const [example] = [schema, ...branches].flatMap((one) => keywordNames(one['examples']));
  if (example !== undefined) return `such as ${quote(withSuggestedNumber(example, value))}`;
  const rule = schema['$comment'];
  return rule === undefined ? 'quote the value' : `quote the value; it takes ${textOf(rule)}`;
}

/** The example of a limit, with the number that was meant. Below 1 it may be a share, or a number of seconds. */
function withSuggestedNumber(example: string, value: unknown): string {
  return typeof value === 'number' && value >= 1
    ? example.replace(/(?<=^[<>]=? )\d+/, String(value))
    : example;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'a map',
  array: 'a list',
  null: 'empty',
};

function describe(value: unknown): string {
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a fraction';
  return TYPE_WORDS[typeOf(value)] ?? 'something else';
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
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

function suggestionText(found: unknown, known: readonly string[]): string {
  const nearest = typeof found === 'string' ? nearestKey(found, known) : null;
  return nearest === null ? '' : ` (did you mean "${nearest}"?)`;
}

/** A value for people, short enough for one line. */
function quote(value: unknown): string {
  const text = JSON.stringify(typeof value === 'string' ? value : textOf(value));
  return text.length > 80 ? `${text.slice(0, 77)}…"` : text;
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

function textOf(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : describe(value);
}

/** A value, and what the schema says of it. */
interface SchemaPosition {
  readonly value: unknown;
  readonly schema: JsonSchema;
  /** Those of a oneOf, of which the schema is the one that fits, if any. */
  readonly branches: readonly JsonSchema[];
}

/**
 * Goes down the schema along with the value. The schemaPath of a finding would be shorter, but it begins anew at
 * every $ref.
 */
function positionAt(pointer: string, value: unknown, root: JsonSchema): SchemaPosition {
  let place = selectBranch(root, value, root);
  for (const part of splitPointer(pointer)) {
    const isList = Array.isArray(place.value);
    const next = isList ? place.schema['items'] : schemaOfKey(place.schema, part);
    place = selectBranch(toSchema(next), member(place.value, part), root);
  }
  return place;
}

function selectBranch(schema: JsonSchema, value: unknown, root: JsonSchema): SchemaPosition {
  const choice = resolveReference(schema, root);
  const branches = branchesOf(choice, root);
  const fitting = branches.find((branch) => keywordNames(branch['type']).includes(typeOf(value)));
  return { value, schema: fitting ?? choice, branches };
}

// The schema of the file as the program checks it, from the one that is published.
//
// Editors see a file before `${…}` is resolved, and check the form of every text. The program checks what it has
// resolved, and reads durations, limits and the like itself, with better words for what is wrong with them.

import { OVERLAY } from './overlay-schema.mjs';

/** The definitions that the program does without: after resolving nothing of the kind is left. */
const UNRESOLVED = ['Reference', 'ExtensionKey'];

/** The types that the program lets in for what it reads itself. */
const READ_LATER = {
  Scalar: ['string', 'number', 'boolean'],
  JsonScalar: ['string', 'number', 'boolean', 'null'],
  Flag: ['boolean', 'string'],
  WholeText: ['string'],
  PositiveText: ['string'],
  PercentText: ['string'],
  StatusText: ['string'],
  Duration: ['string', 'number'],
  DurationOrZero: ['string', 'number'],
  Seconds: ['number', 'string'],
  WholeSeconds: ['number', 'string'],
  WholeSecondsOrZero: ['number', 'string'],
  Milliseconds: ['number', 'string'],
  MillisecondsOrZero: ['number', 'string'],
  HttpUrl: ['string'],
  AppHost: ['string'],
  HeaderName: ['string'],
  Line: ['string'],
  MailAddress: ['string'],
  Instant: ['string'],
  RateLimit: ['string'],
  TimeLimit: ['string'],
  CountLimit: ['string'],
  Worsening: ['string'],
};

/** Texts of a form that a number in quotes does not have: what is said of one takes the field's example, or this one. */
const EXAMPLES = {
  HttpUrl: 'https://www.example.com/',
  MailAddress: 'team@example.com',
  Instant: '2026-12-24 03:00:00',
  RateLimit: '< 1%',
  TimeLimit: '< 300ms',
  CountLimit: '>= 1000',
  Worsening: '10%',
};

/** Of an environment that was not chosen, the program itself knows that null takes away. */
const isOverlay = (name) => name.endsWith(OVERLAY);

const FOR_EDITORS = ['$id', 'title', 'default', 'examples'];

/** Its titles name the types that are made from it. */
export function programSchema({ definitions, ...schema }) {
  const kept = Object.entries(definitions).filter(
    ([name]) => !UNRESOLVED.includes(name) && !(name in READ_LATER) && !isOverlay(name),
  );
  return {
    ...resolved(schema),
    title: 'ConfigFile',
    definitions: Object.fromEntries(
      kept.map(([name, one]) => [name, { title: `${name}Entry`, ...resolved(one) }]),
    ),
  };
}

/** Null: nothing is left of it. */
function resolved(schema) {
  const kept = Object.entries(schema).filter(([key]) => !FOR_EDITORS.includes(key));
  const { $ref, ...rest } = Object.fromEntries(kept);
  if ($ref !== undefined)
    return referred(isOverlay($ref) ? $ref.slice(0, -OVERLAY.length) : $ref, rest, schema.examples);
  const { anyOf, if: condition, then, else: otherwise, ...own } = rest;
  if (condition !== undefined) return { ...own, oneOf: [resolved(then), resolved(otherwise)] };
  if (anyOf !== undefined)
    return {
      ...own,
      ...joined(
        own,
        anyOf.map(resolved).filter((one) => one !== null),
      ),
    };
  return withParts(own);
}

function referred($ref, beside, examples) {
  const name = /^#\/definitions\/(\w+)$/.exec($ref)?.[1];
  if (UNRESOLVED.includes(name)) return null;
  const types = READ_LATER[name];
  if (types === undefined) return { ...beside, $ref };
  const type = types.length === 1 ? types[0] : types;
  return name in EXAMPLES ? { ...beside, type, examples: examples ?? [EXAMPLES[name]] } : { ...beside, type };
}

/** The choices as one schema where they are values, or of different types. */
function joined({ description }, branches) {
  if (branches.every((branch) => 'const' in branch && 'description' in branch)) {
    const values = branches.map((branch) => branch.const);
    return { description: [description, ...branches.map(valueInWords)].join(' '), enum: values };
  }
  if (branches.length === 1) return branches[0];
  const types = branches.flatMap(({ type }) => type ?? []);
  const simple = branches.every((branch) => !('description' in branch) && typeof branch.type === 'string');
  if (!simple || new Set(types).size < types.length) return { anyOf: branches };
  return { ...Object.assign({}, ...branches), type: types };
}

/** As the reference tells it, in the same paragraph as all others. */
function valueInWords({ const: value, description }) {
  return `\`${value}\`: ${description.charAt(0).toLowerCase()}${description.slice(1)}`;
}

/** Names that lowering reads need no rule here. */
function withParts({ propertyNames, items, additionalProperties, properties, patternProperties, ...rest }) {
  const names = propertyNames === undefined ? undefined : resolved(propertyNames);
  const one = (schema) => (typeof schema === 'object' ? resolved(schema) : schema);
  return defined({
    ...rest,
    propertyNames: names?.pattern === undefined ? undefined : names,
    items: one(items),
    additionalProperties: one(additionalProperties),
    properties: each(properties),
    patternProperties: eachPattern(patternProperties),
  });
}

function each(schemas) {
  return schemas && Object.fromEntries(Object.entries(schemas).map(([key, value]) => [key, resolved(value)]));
}

/** The reference calls the fields of a pattern by its title. */
function eachPattern(schemas) {
  const titled = ([pattern, schema]) => [pattern, defined({ title: schema.title, ...resolved(schema) })];
  return schemas && Object.fromEntries(Object.entries(schemas).map(titled));
}

function defined(schema) {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

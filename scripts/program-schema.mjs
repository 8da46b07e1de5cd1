// Derives the schema that the program validates with from the published schema.
//
// Editors check a file before `${…}` is resolved, including the format of every string. The program checks
// the resolved file and parses durations, limits and similar values itself, with more specific error
// messages.

import { defined, each, OVERLAY } from './overlay-schema.mjs';

/** Definitions that the program does not need, because references are resolved by then. */
const UNRESOLVED = ['Reference', 'ExtensionKey'];

/** Types that the program accepts for values that it parses itself. */
const READ_LATER = {
  Scalar: ['string', 'number', 'boolean'],
  JsonScalar: ['string', 'number', 'boolean', 'null'],
  Flag: ['boolean', 'string'],
  LevelText: ['string'],
  PositiveLevelText: ['string'],
  PositiveText: ['string'],
  PercentText: ['string'],
  StatusCode: ['number', 'string'],
  StatusText: ['string'],
  TlsVersion: ['string', 'number'],
  IpVersion: ['string', 'number'],
  NumberComparison: ['string', 'number'],
  Duration: ['string', 'number'],
  DurationOrZero: ['string', 'number'],
  Seconds: ['number', 'string'],
  WholeSeconds: ['number', 'string'],
  WholeSecondsOrZero: ['number', 'string'],
  Milliseconds: ['number', 'string'],
  MillisecondsOrZero: ['number', 'string'],
  HttpUrl: ['string'],
  RequestUrl: ['string'],
  AppHost: ['string'],
  HeaderName: ['string'],
  Line: ['string'],
  MailAddress: ['string'],
  Instant: ['string'],
  Limit: ['string'],
  Worsening: ['string'],
};

/**
 * Examples for string formats that a quoted number does not match. They are used if the field has no example.
 */
const EXAMPLES = {
  StatusCode: '2xx',
  TlsVersion: '1.3',
  IpVersion: 4,
  HttpUrl: 'https://www.example.com/',
  RequestUrl: 'https://www.example.com/',
  MailAddress: 'team@example.com',
  Instant: '2026-12-24 03:00:00',
  Limit: '< 500ms',
  Worsening: '10%',
};

/** Choices between the condition of a threshold, with an example, and a map. */
const THRESHOLDS = { RateThreshold: '< 1%', TimeThreshold: '< 300ms', CountThreshold: '>= 1000' };

/** The program checks that null removes a value in environments that are not selected. */
const isOverlay = (name) => name.endsWith(OVERLAY);

const FOR_EDITORS = ['$id', 'title', 'default', 'examples'];

/** Titles are the names of the generated types. */
export function programSchema({ definitions, ...schema }) {
  const kept = Object.entries(definitions).filter(
    ([name]) => !UNRESOLVED.includes(name) && !(name in { ...READ_LATER, ...THRESHOLDS }) && !isOverlay(name),
  );
  return {
    ...resolved(schema),
    title: 'ConfigFile',
    definitions: Object.fromEntries(
      kept.map(([name, one]) => [name, { title: `${name}Entry`, ...resolved(one) }]),
    ),
  };
}

/** Returns null if nothing remains. */
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
  if (name in THRESHOLDS) {
    const condition = { type: 'string', examples: examples ?? [THRESHOLDS[name]] };
    return { ...beside, oneOf: [condition, { $ref: '#/definitions/ThresholdOptions' }] };
  }
  const types = READ_LATER[name];
  if (types === undefined) return { ...beside, $ref };
  const type = types.length === 1 ? types[0] : types;
  return name in EXAMPLES ? { ...beside, type, examples: examples ?? [EXAMPLES[name]] } : { ...beside, type };
}

/** Merges choices into one schema if they are values or have different types. */
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

/** Uses the same paragraph as the reference. */
function valueInWords({ const: value, description }) {
  return `\`${value}\`: ${description.charAt(0).toLowerCase()}${description.slice(1)}`;
}

/** Names that are parsed later need no rule here. */
function withParts({ propertyNames, items, additionalProperties, properties, patternProperties, ...rest }) {
  const names = propertyNames === undefined ? undefined : resolved(propertyNames);
  const one = (schema) => (typeof schema === 'object' ? resolved(schema) : schema);
  return defined({
    ...rest,
    propertyNames: names?.pattern === undefined ? undefined : names,
    items: one(items),
    additionalProperties: one(additionalProperties),
    properties: each(properties, resolved),
    patternProperties: each(patternProperties, resolved),
  });
}

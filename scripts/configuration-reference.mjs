// docs/reference/configuration.md: every key of the file with its type, default and example.
//
// Two sentences of a description become lines of their own: "Default: …." and "Extension: `name`.". Editors show them as
// they are written.
import { Document, visit } from 'yaml';
import { alternatives, table } from './format-generated.mjs';

/** Types by the name of their definition. Null: a form of another type in quotes, which needs no mention. */
const TYPES = {
  Scalar: 'string, number or boolean',
  JsonScalar: 'string, number, boolean or null',
  Flag: 'boolean',
  LevelText: null,
  PositiveLevelText: null,
  PositiveText: null,
  PercentText: null,
  StatusText: 'string',
  Reference: null,
  Duration: 'duration with a unit',
  DurationOrZero: 'duration with a unit',
  Seconds: 'duration (a number means seconds)',
  WholeSeconds: 'duration (a number means seconds)',
  WholeSecondsOrZero: 'duration (a number means seconds)',
  Milliseconds: 'duration (a number means milliseconds)',
  MillisecondsOrZero: 'duration (a number means milliseconds)',
  HttpUrl: 'URL',
  RequestUrl: 'URL',
  AppHost: '`host[:port]`',
  HeaderName: 'header name',
  Line: 'string of one line',
  MailAddress: 'email address',
  Instant: 'date and time',
  Limit: '`"OPERATOR NUMBER"` with the unit of the metric',
  RateThreshold: '`"OPERATOR NUMBER%"`',
  TimeThreshold: '`"OPERATOR NUMBERms"`',
  CountThreshold: '`"OPERATOR NUMBER"`',
  Worsening: '`NUMBER%`',
};

/** These repeat the keys of other sections, so they are listed last. */
const LAST = ['environments', 'defaults'];

/** Their keys are metrics, which metrics.md defines. */
const OF_METRICS = ['Thresholds', 'Regression'];

const EXTENSION = / ?Extension: `(\w+)`\./;
const DEFAULT = / ?Default: ([^.]*(?:\.\d[^.]*)*)\.(?= |$)/;

/** Returns the page as Markdown, generated from the published schema. */
export function configurationPage(note, schema) {
  const top = Object.entries(schema.properties).toSorted(([a], [b]) => late(a) - late(b));
  const documented = new Map();
  const sections = top.flatMap(([key, value]) =>
    keySection({ key, value, path: key, level: 2, required: schema.required }, { schema, documented }),
  );
  return [
    note,
    '',
    '# Configuration reference',
    '',
    'This page lists every key of `loadtests.yaml`. The [guides](../README.md) explain how to use them, and `loadtests validate` checks a file.',
    '',
    schema.description,
    '',
    'In headings, `KEY` and `NAME` are placeholders for names that you choose, and `[]` marks the entries of a list. A key with an **Extension** line requires the embedded service, `loadtests serve`, or a service that supports this [extension](../guides/hosted-service.md#extensions).',
    '',
    ...table(
      ['Key', 'Description'],
      top.map(([key, value]) => [`[\`${key}\`](#${anchor(key)})`, value.description]),
    ),
    ...sections,
  ].join('\n');
}

function late(key) {
  return LAST.includes(key) ? 1 : 0;
}

/** As GitHub makes it of a heading. */
function anchor(path) {
  return path
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * The section of a key, and the sections of the keys in it.
 *
 * @param about `documented`: sections of definitions, by name
 */
function keySection({ key, value, path, level, required = [] }, about) {
  const { schema } = about;
  const { own, name } = resolved(value, schema);
  const description = value.description ?? own.description;
  if (description === undefined) throw new Error(`the schema does not describe "${path}"`);
  const [, extension] = EXTENSION.exec(description) ?? [];
  const [, fallback] = DEFAULT.exec(description) ?? [];
  const text = description.replace(EXTENSION, '').replace(DEFAULT, '').trim();
  const examples = value.examples ?? own.examples ?? (value.default === undefined ? [] : [value.default]);
  return [
    `${'#'.repeat(Math.min(level, 3))} ${path}`,
    '',
    text,
    '',
    `- **Type**: ${typeOf(value, schema)}`,
    ...rules(value, schema),
    ...(required.includes(key) ? ['- **Required**'] : []),
    ...(fallback === undefined ? [] : [`- **Default**: ${fallback}`]),
    ...(extension === undefined ? [] : [`- **Extension**: \`${extension}\``]),
    '',
    ...valuesOf(value, schema),
    ...exampleBlock(key, examples),
    ...inner({ own, name, path, level }, about),
  ];
}

/** The sections of the keys of a map, of the maps in a map, and of the maps in a list. */
function inner({ own, name, path, level }, about) {
  const { schema, documented } = about;
  if (own.then !== undefined) {
    const maps = union(own, schema).filter((one) => resolved(one, schema).own.type === 'object');
    return maps.flatMap((one) => inner({ ...resolved(one, schema), path, level }, about));
  }
  if (own.items !== undefined) {
    return union(own.items, schema).flatMap((one) =>
      inner({ ...resolved(one, schema), path: `${path}[]`, level }, about),
    );
  }
  if (OF_METRICS.includes(name))
    return path.includes('[]') ? sameKeys(OF_TESTS[name]) : metricTable(own, schema);
  if (own.properties !== undefined) {
    const seen = documented.get(name);
    if (seen !== undefined) return sameKeys(seen);
    if (name !== undefined) documented.set(name, path);
    const entries = Object.entries(own.properties);
    const repeated = entries.filter(([, value]) => homeOf(value, about) !== null);
    return [
      ...(repeated.length === 0 ? [] : repeatedKeys(repeated, about)),
      ...entries
        .filter((entry) => !repeated.includes(entry))
        .flatMap(([key, value]) =>
          keySection({ key, value, path: `${path}.${key}`, level: level + 1, required: own.required }, about),
        ),
    ];
  }
  const { additionalProperties: values } = own;
  if (typeof values !== 'object') return [];
  const maps = union(values, schema).filter((one) => resolved(one, schema).own.properties !== undefined);
  return maps.flatMap((one) => {
    const below = `${path}.${path === 'environments' ? 'NAME' : 'KEY'}`;
    const found = resolved(one, schema);
    return inner({ ...found, path: below, level }, about);
  });
}

/** The sections with the tables of metrics. */
const OF_TESTS = { Thresholds: 'tests.KEY.thresholds' };

/** A map below any key has no heading of its own. */
function sameKeys(path) {
  const section = anchor(path.replace(/\.(?:KEY|NAME)$/, ''));
  return [`The keys are the same as in [\`${path}\`](#${section}).`, ''];
}

/** The path of the section that documents a key already; null without one. */
function homeOf(value, { documented }) {
  const [, name, key] =
    /^#\/definitions\/(\w+?)(?:Overlay)?(?:\/properties\/(\w+))?$/.exec(value.$ref ?? '') ?? [];
  if (name === undefined) return null;
  if (key !== undefined) return `${documented.get(name) ?? ''}.${key}`;
  return value.$ref.endsWith('Overlay') ? (TOP[name] ?? null) : null;
}

/** Below "environments", a map has the keys of the section with its name. */
const TOP = {
  Service: 'service',
  WebServer: 'web_server',
  Vars: 'vars',
  Defaults: 'defaults',
  Apps: 'apps',
  Tests: 'tests',
  Limits: 'limits',
};

function repeatedKeys(entries, about) {
  return table(
    ['Key', 'Documented in'],
    entries.map(([key, value]) => {
      const home = homeOf(value, about);
      return [`\`${key}\``, `[\`${home}\`](#${anchor(home)})`];
    }),
  );
}

function metricTable(own, schema) {
  const patterns = Object.values(own.patternProperties ?? {}).filter(({ title }) => title !== undefined);
  const metrics = [
    ...Object.entries(own.properties),
    ...patterns.map((value) => [value.title, value, /`(\w+)`/.exec(value.description)[1]]),
  ];
  return [
    ...table(
      ['Metric', 'Value', 'Example', 'Description'],
      metrics.map(([key, value, example = key]) => [
        `[\`${key}\`](metrics.md#${metricAnchor(key)})`,
        typeOf(value, schema),
        `\`${example}: ${quoted(value.examples[0])}\``,
        value.description,
      ]),
    ),
    ...optionsTable(metrics, schema),
  ];
}

/** The keys of the map that a metric accepts in place of its condition. */
function optionsTable([[, value]], schema) {
  const { then } = resolved(value, schema).own;
  if (then === undefined) return [];
  const options = Object.entries(resolved(then, schema).own.properties);
  return [
    'A map with these keys is also a threshold:',
    '',
    ...table(
      ['Key', 'Type', 'Example', 'Description'],
      options.map(([key, option]) => [
        `\`${key}\``,
        typeOf(option, schema),
        `\`${key}: ${quoted(option.examples[0])}\``,
        option.description,
      ]),
    ),
  ];
}

/** metrics.md describes all percentiles in one section, as it does both ends of the times. */
function metricAnchor(metric) {
  if (metric.startsWith('p')) return 'percentiles';
  if (metric.startsWith('iteration_p')) return 'iteration_percentiles';
  if (metric.startsWith('within_')) return 'within_time';
  return metric;
}

function quoted(text) {
  return /^[<>]/.test(text) ? `'${text}'` : text;
}

/** Follows references. `name` is the name of the definition. */
function resolved(value, schema) {
  if (value.$ref === undefined) return { own: value, name: undefined };
  const [first, ...path] = value.$ref.split('/').slice(2);
  let own = schema.definitions[first];
  for (const part of path) own = own?.[part];
  if (own === undefined) throw new Error(`the schema has no ${value.$ref}`);
  const further = resolved(own, schema);
  return { own: further.own, name: further.name ?? (path.length === 0 ? first : undefined) };
}

/** The forms that a value may have. */
function union(value, schema) {
  if (value.then !== undefined) return [value.then, value.else].flatMap((one) => union(one, schema));
  return (value.anyOf ?? [value]).filter(
    ({ $ref, type }) => type !== 'null' && $ref !== '#/definitions/Reference',
  );
}

function typeOf(value, schema) {
  const types = union(value, schema).flatMap((one) => {
    const name = /^#\/definitions\/(\w+)$/.exec(one.$ref ?? '')?.[1];
    if (name !== undefined && name in TYPES) return TYPES[name] ?? [];
    const { own } = resolved(one, schema);
    if (own !== one && own.then !== undefined) return typeOf(own, schema);
    if (own.const !== undefined) return `\`${JSON.stringify(own.const).replaceAll('"', '')}\``;
    if (own.anyOf !== undefined) return typeOf(own, schema);
    if (own.type === 'array') return `list of ${plural(typeOf(own.items, schema))}`;
    if (own.properties !== undefined) return 'map';
    if (own.type === 'object') return mapType(own, schema);
    if (own.type === undefined) return 'any value';
    return own.type;
  });
  const unique = [...new Set(types)].toSorted(
    (a, b) => Number(a.startsWith('list')) - Number(b.startsWith('list')),
  );
  return alternatives(unique);
}

function mapType({ additionalProperties: values }, schema) {
  return typeof values === 'object' ? `map of ${plural(typeOf(values, schema))}` : 'map';
}

function plural(type) {
  return /^[a-z]+$/.test(type) ? `${type}s` : type;
}

/** Bounds of numbers and lists, and rules for strings in words. */
function rules(value, schema) {
  if (/^#\/definitions\/(\w+)$/.exec(value.$ref ?? '')?.[1] in TYPES) return [];
  const { own } = resolved(value, schema);
  const parts = [own, ...union(own, schema)].flatMap(
    ({ minimum, maximum, minItems, maxItems, $comment, pattern, type }) => [
      ...(pattern === undefined || $comment === undefined ? [] : [$comment]),
      ...(minimum === undefined
        ? []
        : [maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`]),
      ...(type !== 'array' || minItems === undefined
        ? []
        : [maxItems === undefined ? `at least ${minItems} entry` : entries(minItems, maxItems)]),
    ],
  );
  return parts.length === 0 ? [] : [`- **Constraints**: ${[...new Set(parts)].join('; ')}`];
}

function entries(min, max) {
  return min === max ? `${min} entries` : `${min} to ${max} entries`;
}

/** The meaning of each value of a list of values. */
function valuesOf(value, schema) {
  const values = union(resolved(value, schema).own, schema).filter(
    (one) => one.const !== undefined && one.description !== undefined,
  );
  if (values.length === 0) return [];
  return table(
    ['Value', 'Description'],
    values.map(({ const: name, description }) => [`\`${name}\``, description]),
  );
}

function exampleBlock(key, examples) {
  if (examples.length === 0) return [];
  const lines = examples.flatMap((example, index) => [
    ...(index === 0 ? [] : ['# or']),
    yamlOf({ [key]: example }),
  ]);
  return ['```yaml', ...lines, '```', ''];
}

/** One line of YAML, in which values that begin with an operator are quoted. */
function yamlOf(map) {
  const document = new Document(map);
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && /^[<>]/.test(node.value)) node.type = 'QUOTE_SINGLE';
    },
    Collection: (_, node) => {
      if (node !== document.contents) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, singleQuote: true }).trim();
}

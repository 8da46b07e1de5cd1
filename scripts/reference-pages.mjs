// The pages of docs/ that follow from the schema of the file and from the table of codes.
import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';

const NOTE = '<!-- Written by "npm run generate"; never edited. -->';

/** Path to text of every generated page. */
export async function referencePages(schema) {
  return new Map([
    ['docs/reference.md', filePage(schema)],
    ['docs/problem-codes.md', codePage(await readCodes())],
  ]);
}

async function readCodes() {
  const source = readFileSync('src/core/codes.ts', 'utf8');
  const { code } = await transform(source, { loader: 'ts', format: 'esm' });
  const { CODES } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return CODES;
}

function codePage(codes) {
  const rows = Object.entries(codes).map(
    ([code, { title, exit }]) => `| [\`${code}\`](#${code.toLowerCase()}) | ${exit} | ${title} |`,
  );
  const sections = Object.entries(codes).map(([code, { title, exit, text }]) =>
    [`## ${code}`, '', `${title}. Exit code ${exit}.`, '', escaped(text), ''].join('\n'),
  );
  return [
    NOTE,
    '',
    '# Problem codes',
    '',
    'Every problem that loadtests reports has a code. A code, once released, keeps its meaning. `loadtests explain CODE` prints the same text.',
    '',
    '| code | exit code | meaning |',
    '|---|---|---|',
    ...rows,
    '',
    ...sections,
  ].join('\n');
}

/** Markdown reads `<` as the beginning of a tag, and `_` or `*` in a path as emphasis. */
function escaped(text) {
  return text.replaceAll(/[<*]/g, '\\$&');
}

/** These repeat the fields of tests, which are documented below "tests". */
const LAST = ['environments', 'defaults'];

/** A section for the whole file, and one for each kind of map in it: what stands higher in the file comes first. */
function filePage(schema) {
  const sections = sectionsOf(schema);
  const anchors = new Map(sections.map(({ node, path }) => [node, path.join('').toLowerCase()]));
  const texts = sections.map(({ path, node }) => {
    const patterns = Object.values(node.patternProperties ?? {}).filter(({ title }) => title !== undefined);
    const fields = [...Object.entries(node.properties), ...patterns.map((value) => [value.title, value])];
    const rows = fields.map(([key, value]) => row(key, value, { node, schema, anchors }));
    const heading = path.length === 0 ? '# Reference of `loadtests.yaml`' : `## \`${path.join('.')}\``;
    return [heading, '', node.description, '', '| key | type | meaning |', '|---|---|---|', ...rows, ''].join(
      '\n',
    );
  });
  return [NOTE, '', ...texts].join('\n');
}

function sectionsOf(schema) {
  const sections = [{ path: [], node: schema }];
  const seen = new Set([schema]);
  for (const { path, node } of sections) {
    for (const [key, value] of inOrder(Object.entries(node.properties))) {
      for (const map of mapsIn(value, schema)) {
        if (seen.has(map)) continue;
        seen.add(map);
        sections.push({ path: [...path, key], node: map });
      }
    }
  }
  return sections;
}

function inOrder(entries) {
  const late = ([key]) => (LAST.includes(key) ? 1 : 0);
  return entries.toSorted((a, b) => late(a) - late(b));
}

/** The maps with known keys that a value may be, through references, lists, maps and choices. */
function mapsIn(value, schema) {
  const target = resolve(value, schema);
  if (target.properties !== undefined) return [target];
  const inner = [
    ...(target.oneOf ?? target.anyOf ?? []),
    ...(target.items === undefined ? [] : [target.items]),
    ...(typeof target.additionalProperties === 'object' ? [target.additionalProperties] : []),
  ];
  return inner.flatMap((one) => mapsIn(one, schema));
}

/** Follows a reference such as `#/definitions/Test/properties/name` to its end. */
function resolve(value, schema) {
  if (value.$ref === undefined) return value;
  let target = schema;
  for (const part of value.$ref.split('/').slice(1)) target = target?.[part];
  if (target === undefined) throw new Error(`the schema has no ${value.$ref}`);
  return resolve(target, schema);
}

function row(key, value, { node, schema, anchors }) {
  const required = (node.required ?? []).includes(key) ? ' (required)' : '';
  const description = value.description ?? resolve(value, schema).description;
  if (description === undefined) throw new Error(`the schema does not describe "${key}"`);
  return `| \`${key}\`${required} | ${typeOf(value, schema, anchors)} | ${description.replaceAll('|', '\\|')} |`;
}

const TYPES = { string: 'string', integer: 'integer', number: 'number', boolean: 'boolean', null: 'null' };

function typeOf(value, schema, anchors) {
  const target = resolve(value, schema);
  if (target.const !== undefined) return `\`${JSON.stringify(target.const)}\``;
  if (target.enum !== undefined) return target.enum.map((one) => `\`${one}\``).join(', ');
  const choices = target.oneOf ?? target.anyOf;
  if (choices !== undefined) {
    return [...new Set(choices.map((one) => typeOf(one, schema, anchors)))].join(' or ');
  }
  if (target.type === 'array') return `list of ${typeOf(target.items, schema, anchors)}`;
  if (target.properties !== undefined) return `[map](#${anchors.get(target)})`;
  if (target.type === 'object') {
    const values = target.additionalProperties;
    return typeof values === 'object' ? `map of ${typeOf(values, schema, anchors)}` : 'map';
  }
  if (target.type === undefined) return 'any value';
  return [target.type]
    .flat()
    .map((type) => {
      if (TYPES[type] === undefined) throw new Error(`the reference has no word for the type "${type}"`);
      return TYPES[type];
    })
    .join(' or ');
}

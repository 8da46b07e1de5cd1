// The parts of the README that follow from the schema and from the table of codes.
import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';

/** Puts the generated parts between their marks. */
export async function withReference(readme, schema) {
  const codes = await readCodes();
  return replacePart(replacePart(readme, 'reference', fileReference(schema)), 'codes', codeTable(codes));
}

function replacePart(text, name, part) {
  const begin = `<!-- ${name}: written by "npm run generate" -->`;
  const end = `<!-- end of ${name} -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`README.md has no place for the ${name}`);
  return `${text.slice(0, from)}${begin}\n\n${part}\n${text.slice(to)}`;
}

async function readCodes() {
  const source = readFileSync('src/core/codes.ts', 'utf8');
  const { code } = await transform(source, { loader: 'ts', format: 'esm' });
  const { CODES } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return CODES;
}

function codeTable(codes) {
  const rows = Object.entries(codes).map(([code, { title, exit }]) => `| \`${code}\` | ${exit} | ${title} |`);
  return ['| code | exit | what it says |', '|---|---|---|', ...rows, ''].join('\n');
}

/** A table for the whole file, and one for each kind of entry in it, in the order they are met. */
function fileReference(schema) {
  const definitions = schema.definitions ?? {};
  const sections = [];
  const seen = new Set();
  const visit = (title, node) => {
    const rows = Object.entries(node.properties ?? {}).map(([key, value]) =>
      row(key, value, node, definitions),
    );
    if (rows.length > 0) {
      const intro = node.description === undefined ? [] : [node.description, ''];
      sections.push(
        [`### ${title}`, '', ...intro, '| key | kind | meaning |', '|---|---|---|', ...rows, ''].join('\n'),
      );
    }
    for (const [key, value] of entriesOf(node)) {
      for (const { name, target } of objectsIn(value, definitions)) {
        if (seen.has(name ?? target)) continue;
        seen.add(name ?? target);
        visit(titleOf(title, key), target);
      }
    }
  };
  visit('The file', schema);
  return sections.join('\n');
}

function entriesOf(node) {
  const entries = Object.entries(node.properties ?? {});
  if (typeof node.additionalProperties === 'object') entries.push(['*', node.additionalProperties]);
  return entries;
}

function titleOf(parent, key) {
  const path = parent === 'The file' ? [] : [parent.replaceAll('`', '')];
  return `\`${[...path, key].join('.')}\``;
}

/** The objects with keys of their own that a value may be, through references, lists, maps and choices. */
function objectsIn(value, definitions) {
  const { name, target } = resolve(value, definitions);
  if (target.properties !== undefined) return [{ name, target }];
  const inner = [
    ...(target.oneOf ?? target.anyOf ?? []),
    ...(target.items === undefined ? [] : [target.items]),
    ...(typeof target.additionalProperties === 'object' ? [target.additionalProperties] : []),
  ];
  return inner.flatMap((one) => objectsIn(one, definitions));
}

function resolve(value, definitions) {
  const ref = value.$ref;
  if (ref === undefined) return { name: null, target: value };
  const name = ref.replace('#/definitions/', '');
  return { name, target: definitions[name] ?? {} };
}

function row(key, value, node, definitions) {
  const required = (node.required ?? []).includes(key) ? ' (required)' : '';
  const description = value.description ?? resolve(value, definitions).target.description ?? '';
  return `| \`${key}\`${required} | ${kindOf(value, definitions)} | ${description.replaceAll('|', '\\|')} |`;
}

function kindOf(value, definitions) {
  const { target } = resolve(value, definitions);
  if (target.const !== undefined) return `\`${JSON.stringify(target.const)}\``;
  if (target.enum !== undefined) return target.enum.map((one) => `\`${one}\``).join(', ');
  const choices = target.oneOf ?? target.anyOf;
  if (choices !== undefined) return [...new Set(choices.map((one) => kindOf(one, definitions)))].join(' or ');
  if (target.type === 'array') return `list of ${kindOf(target.items ?? {}, definitions)}`;
  if (target.type === 'object') return target.properties === undefined ? 'map' : 'map with keys';
  const types = {
    string: 'text',
    integer: 'whole number',
    number: 'number',
    boolean: 'true or false',
    null: 'nothing',
  };
  return [target.type ?? 'anything']
    .flat()
    .map((type) => types[type] ?? type)
    .join(' or ');
}

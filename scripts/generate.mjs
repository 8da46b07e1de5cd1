// Generates the committed files that follow from schemas/: types, declarations of validators, and documentation.
// With "--check" it writes nothing and fails if a file differs.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';
import { formatted } from './format-generated.mjs';
import { referencePages } from './reference-pages.mjs';
import {
  apiSchemas,
  CLUSTER_MESSAGES,
  clusterSchema,
  CONFIG_SCHEMA,
  configSchema,
  pascalCase,
  publishedSchema,
  readSchema,
} from './schemas.mjs';
import { writeValidators } from './validators.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

const NOTE = 'Written by "npm run generate" from schemas/; never edited.';
const REPORT_DIRECTORY = 'schemas/report';
const OUTPUT_DIRECTORIES = ['cluster', 'config', 'contract', 'core/report', 'schema'].map(
  (room) => `src/${room}/generated`,
);

const reportSchemas = readdirSync(REPORT_DIRECTORY).map((name) => readSchema(`${REPORT_DIRECTORY}/${name}`));

/** Path to content of every generated file. */
const files = new Map();
files.set(CONFIG_SCHEMA, await formatted(JSON.stringify(publishedSchema, null, 2), 'json'));
files.set(
  'src/config/generated/config-file.ts',
  await typesOf(withoutExtensions(configSchema), 'ConfigFile'),
);
for (const { name, schema } of apiSchemas) {
  files.set(`src/contract/generated/${name}.ts`, await typesOf(schema, pascalCase(name)));
}
files.set('src/core/report/generated/documents.ts', await reportTypes());
files.set('src/cluster/generated/cluster-messages.ts', await clusterTypes());
files.set('src/schema/generated/config-validator.d.ts', await formatted(configDeclaration(), 'ts'));
files.set(
  'src/schema/generated/api-validators.d.ts',
  await declarationOf(apiSchemas.map(({ name }) => name)),
);
files.set('src/schema/generated/cluster-validators.d.ts', await declarationOf(CLUSTER_MESSAGES));
files.set('src/schema/generated/plan-validator.d.ts', await declarationOf(['Plan', 'Plans']));

// The pages on commands are made from the source, which imports the validators.
await writeValidators();
for (const [path, page] of await referencePages(publishedSchema))
  files.set(path, await formatted(page, 'md'));

if (process.argv.includes('--check')) check();
else write();

async function typesOf(schema, title) {
  const text = await compile(JSON.parse(JSON.stringify(schema)), title, {
    bannerComment: `/* ${NOTE} */`,
    cwd: root,
    format: false,
  });
  return formatted(text, 'ts');
}

/**
 * Generates the types of all documents in one file. They are closed and readonly: a member that is missing in
 * the schema does not compile. The schemas themselves are open, because members may be added.
 */
async function reportTypes() {
  const text = JSON.stringify(reportSchemas).replaceAll(/"[a-z-]+\.schema\.json#/g, '"#');
  const schemas = JSON.parse(text);
  const definitions = Object.assign({}, ...schemas.map((schema) => schema.definitions));
  definitions.Json = { tsType: 'Json' };
  const events = schemas.filter(({ properties }) => properties?.event !== undefined);
  for (const { title, ...event } of events) definitions[title] = event;
  const documents = Object.keys(definitions).filter((name) => name.endsWith('Document'));
  const unionOf = (description, names) => ({
    description,
    anyOf: names.map((name) => ({ $ref: `#/definitions/${name}` })),
  });
  definitions.CommandDocument = unionOf('The document of a command that had something to report.', documents);
  definitions.Report = unionOf('The document of a command.', ['CommandDocument', 'Failure']);
  const names = ['Report', ...events.map(({ title }) => title)];
  const output = {
    ...unionOf('The JSON output of a command: a document, or lines.', names),
    definitions,
  };
  return await readonlyTypes(output, "import type { Json } from '../../canonical.ts';");
}

/** Generates the types of the messages between a service and its workers. */
async function clusterTypes() {
  const { definitions, description } = JSON.parse(JSON.stringify(clusterSchema));
  const messages = { title: 'ClusterMessage', description };
  messages.anyOf = CLUSTER_MESSAGES.map((name) => ({ $ref: `#/definitions/${name}` }));
  return await readonlyTypes(
    { ...messages, definitions },
    "import type { Milliseconds } from '../../core/units.ts';",
  );
}

/** Generates closed and readonly types. */
async function readonlyTypes(schema, imports) {
  const types = await compile(schema, schema.title ?? 'JsonOutput', {
    bannerComment: `/* ${NOTE} */\n${imports}`,
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    format: false,
  });
  const readonly = (await formatted(types, 'ts'))
    .replaceAll(/^( +)((?:\w+|'[^']+')\??: |\[k: string\])/gm, '$1readonly $2')
    .replaceAll(/(: |= )(\w+)\[\]/g, '$1readonly $2[]')
    .replaceAll(/(: |\| )\((.*)\)\[\]/g, '$1readonly ($2)[]')
    .replace('export type Json = Json;\n', '');
  return formatted(readonly, 'ts');
}

/**
 * Removes keys that begin with "x-", because they are dropped before a file is typed. Also removes
 * descriptions next to a $ref, which would create a second type with the same fields.
 */
function withoutExtensions(schema) {
  if (Array.isArray(schema)) return schema.map(withoutExtensions);
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema) return { $ref: schema.$ref };
  return Object.fromEntries(
    Object.entries(schema)
      .map(([key, value]) => [
        key,
        key === 'patternProperties' ? namedPatterns(value) : withoutExtensions(value),
      ])
      .filter(([, value]) => value !== undefined),
  );
}

/** Returns one key pattern of fields, or undefined if there is none. All patterns of a map have values of the same type. */
function namedPatterns(patterns) {
  const named = Object.entries(patterns).filter(([pattern]) => pattern !== '^x-');
  return named.length === 0 ? undefined : Object.fromEntries(named.slice(0, 1));
}

function configDeclaration() {
  return `/* ${NOTE} */
import type { JsonSchema, Validator } from '../validator.ts';
export declare const validateConfig: Validator;
/** The schema without its annotations, except the rules for names. */
export declare const configSchema: JsonSchema;
`;
}

function declarationOf(names) {
  const lines = names.map((name) => `export declare const validate${pascalCase(name)}: Validator;`);
  return formatted(
    `/* ${NOTE} */\nimport type { Validator } from '../validator.ts';\n${lines.join('\n')}\n`,
    'ts',
  );
}

/** Returns committed files in the generated directories that no longer belong to a schema. */
function leftovers() {
  return OUTPUT_DIRECTORIES.filter((directory) => existsSync(directory))
    .flatMap((directory) => readdirSync(directory).map((name) => `${directory}/${name}`))
    .filter((path) => path.endsWith('.ts') && !files.has(path));
}

function write() {
  for (const path of leftovers()) rmSync(path);
  for (const [path, text] of files) {
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  }
}

function check() {
  const differing = [...files]
    .filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
    .map(([path]) => path)
    .concat(leftovers());
  if (differing.length === 0) return;
  console.error(
    `These files do not follow from schemas/; run "npm run generate":\n  ${differing.join('\n  ')}`,
  );
  process.exitCode = 1;
}

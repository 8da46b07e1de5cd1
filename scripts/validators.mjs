// Compiles the schemas of configuration files, API documents and messages of workers to validators, so that no command loads a
// schema compiler. The build writes them to src/schema/generated/, next to their declarations.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import {
  apiSchemas,
  CLUSTER_MESSAGES,
  clusterSchema,
  configSchema,
  pascalCase,
  readSchema,
} from './schemas.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Writes the validators. Unchanged files keep their time. */
export async function writeValidators() {
  const files = {
    'config-validator.js': await configValidator(),
    'api-validators.js': await apiValidators(),
    'cluster-validators.js': await clusterValidators(),
    'plan-validator.js': await planValidator(),
  };
  for (const [name, text] of Object.entries(files)) {
    const path = `${root}src/schema/generated/${name}`;
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  }
}

/**
 * Creates the validator compiler. It is strict, and it never coerces, fills in or removes values.
 *
 * @param allErrors - True to report all problems of a configuration file. False for requests, so that an
 * untrusted client cannot cause extra work.
 */
function ajvOf(allErrors, options = {}) {
  return new Ajv({
    ...options,
    strict: true,
    allowUnionTypes: true,
    allErrors,
    coerceTypes: false,
    useDefaults: false,
    removeAdditional: false,
    validateFormats: false,
    inlineRefs: false,
    code: { source: true, esm: true, lines: false },
  });
}

async function configValidator() {
  const ajv = ajvOf(true);
  ajv.addSchema(withoutTitles(configSchema), 'config');
  const code = standalone.default(ajv, { validateConfig: 'config' });
  // The schema explainer reads known keys and name rules from it.
  return bundle(`${code}\nexport const configSchema = ${JSON.stringify(shapeOf(configSchema))};\n`);
}

async function apiValidators() {
  const ajv = ajvOf(false);
  for (const { name, schema } of apiSchemas) ajv.addSchema(withoutTitles(schema), name);
  const names = Object.fromEntries(apiSchemas.map(({ name }) => [`validate${pascalCase(name)}`, name]));
  return bundle(standalone.default(ajv, names));
}

async function clusterValidators() {
  // A refused message is not explained.
  const ajv = ajvOf(false, { messages: false });
  ajv.addSchema(withoutTitles(clusterSchema), 'cluster');
  const names = CLUSTER_MESSAGES.map((name) => [`validate${name}`, `cluster#/definitions/${name}`]);
  return bundle(standalone.default(ajv, Object.fromEntries(names)));
}

/** Creates the validator of plan documents, which "show" reads. */
async function planValidator() {
  const ajv = ajvOf(false, { messages: false });
  ajv.addSchema(
    withoutTitles(readSchema('schemas/report/definitions.schema.json')),
    'definitions.schema.json',
  );
  ajv.addSchema(withoutTitles(readSchema('schemas/report/plan.schema.json')), 'plan.schema.json');
  return bundle(
    standalone.default(ajv, {
      validatePlan: 'plan.schema.json#/definitions/PlanDocument',
      validatePlans: 'plan.schema.json#/definitions/PlansDocument',
    }),
  );
}

/** Removes annotations for readers, editors and the type generator. */
function withoutTitles(schema) {
  return strip(schema, ['title', 'description', '$schema', '$comment', 'tsType']);
}

/** Keeps the keywords that the schema explainer needs: known keys, types and name rules. */
function shapeOf(schema) {
  return strip(schema, ['title', 'description', '$schema', 'pattern']);
}

/** Removes keywords, except from maps whose keys are property names. */
function strip(schema, dropped, isMapOfSchemas = false) {
  if (Array.isArray(schema)) return schema.map((member) => strip(member, dropped));
  if (typeof schema !== 'object' || schema === null) return schema;
  const maps = ['properties', 'patternProperties', 'definitions'];
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => isMapOfSchemas || !dropped.includes(key))
      .map(([key, value]) => [key, strip(value, dropped, !isMapOfSchemas && maps.includes(key))]),
  );
}

/** Bundles the code into one file without imports. */
async function bundle(code) {
  const result = await build({
    stdin: { contents: code, resolveDir: root, loader: 'js' },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    // The paths in the output do not depend on the location of node_modules.
    preserveSymlinks: true,
    treeShaking: true,
    legalComments: 'none',
    banner: { js: '// Written by "npm run build" from schemas/; never edited.' },
    logLevel: 'warning',
  });
  const imports = Object.values(result.metafile.outputs).flatMap((output) => output.imports);
  if (imports.length > 0) throw new Error('a validator is not self-contained');
  return result.outputFiles[0].text;
}

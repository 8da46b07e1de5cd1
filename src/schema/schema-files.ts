/** JSON Schemas of this package. */
import { readFileSync } from 'node:fs';

/** Schemas that `loadtests schema` prints. */
export const SCHEMA_NAMES = [
  'config',
  'baseline-file',
  'validate',
  'plan',
  'apply',
  'run',
  'result',
  'stop',
  'status',
  'status-event',
  'results',
  'verify',
  'import',
  'recover',
  'destroy',
  'serve-event',
  'worker-event',
  'backup',
  'open',
  'baseline',
  'init',
  'explain',
  'schema',
  'completion',
] as const;

export type SchemaName = (typeof SCHEMA_NAMES)[number];

export function schemaText(name: SchemaName): string {
  if (name === 'config') return readSchemaText('loadtests');
  if (name === 'baseline-file') return readSchemaText(name);
  const { definitions, ...schema } = reportSchema(name);
  return `${JSON.stringify({ ...schema, definitions: reachableDefinitions(schema, definitions) }, null, 2)}\n`;
}

/** @param name - Must be a constant, because it becomes part of a path. */
export function apiSchemaText(name: string): string {
  return readSchemaText(`api/${name}`);
}

function readSchemaText(name: string): string {
  return readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8');
}

interface ReportSchema {
  readonly definitions: Definitions;
}

type Definitions = Readonly<Record<string, object>>;

function reportSchema(name: string): ReportSchema {
  const text = readSchemaText(`report/${name}`);
  const others = new Set(Array.from(text.matchAll(/"([a-z-]+)\.schema\.json#/g), ([, other = '']) => other));
  // The schemas of this package are objects with definitions, so the cast is valid.
  const schema = JSON.parse(text.replaceAll(/"[a-z-]+\.schema\.json#/g, '"#')) as Partial<ReportSchema>;
  const definitions = [...others].map((other) => reportSchema(other).definitions);
  return { ...schema, definitions: Object.assign({}, ...definitions, schema.definitions) as Definitions };
}

/** Returns the definitions to which a schema refers, directly or indirectly. */
function reachableDefinitions(schema: object, definitions: Definitions): Definitions {
  const found: Record<string, object> = {};
  const queue = [schema];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const [, name = ''] of JSON.stringify(next).matchAll(/"#\/definitions\/(\w+)/g)) {
      const definition = definitions[name];
      if (definition === undefined || name in found) continue;
      found[name] = definition;
      queue.push(definition);
    }
  }
  return found;
}

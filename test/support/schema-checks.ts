/** The schemas, compiled here anew, so that answers and documents are judged by the files themselves. */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv, type ErrorObject } from 'ajv';

const SCHEMA_DIRECTORY = new URL('../../schemas/', import.meta.url);
const AJV_OPTIONS = { strict: true, allowUnionTypes: true, allErrors: true } as const;

function schemaOf(path: string): object {
  return JSON.parse(readFileSync(new URL(`${path}.schema.json`, SCHEMA_DIRECTORY), 'utf8')) as object;
}

const api = new Ajv(AJV_OPTIONS);

/** Gives what is wrong with an answer of the API; null when it fits. */
export function apiMismatch(schema: string, value: unknown): string | null {
  // Compiled once: a property asks thousands of times.
  const validate =
    api.getSchema(schema) ?? api.addSchema(schemaOf(`api/${schema}`), schema).getSchema(schema);
  if (validate === undefined) throw new Error('there is no such schema');
  return validate(value) ? null : api.errorsText(validate.errors);
}

/** The same, by the text of a schema as it is shipped. */
export function schemaTextMismatch(schema: string, value: unknown): string | null {
  const ajv = new Ajv(AJV_OPTIONS);
  const validate = ajv.compile(JSON.parse(schema) as object);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

const reports = new Ajv(AJV_OPTIONS);
const REPORTS = readdirSync(new URL('report/', SCHEMA_DIRECTORY)).map((file) =>
  file.replace('.schema.json', ''),
);
for (const name of REPORTS) reports.addSchema(closeSchema(schemaOf(`report/${name}`)), `${name}.schema.json`);

/** Schemas are open, since members are added. Here a member that its schema does not know is a mistake. */
function closeSchema<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(closeSchema) as Schema;
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).map(([key, value]) => [key, closeSchema(value)] as const);
  const isObject = 'properties' in schema && 'type' in schema && schema.type === 'object';
  const rest =
    isObject && !('additionalProperties' in schema) ? [['additionalProperties', false] as const] : [];
  return Object.fromEntries<unknown>([...members, ...rest]) as Schema;
}

/** Gives what is wrong with the document or line that a command printed with `--json`; null when it fits. */
export function reportMismatch(printed: unknown): string | null {
  const validate = reports.getSchema(reportSchemaOf(printed));
  if (validate === undefined) throw new Error('there is no such schema');
  if (validate(printed) === true) return null;
  const errors: readonly ErrorObject[] = validate.errors ?? [];
  return errors
    .map((one) => `${one.instancePath} ${one.message ?? ''} ${JSON.stringify(one.params)}`)
    .join('\n');
}

/** Which command prints an event. */
const EVENT_COMMANDS = new Map<unknown, string>([
  ['listening', 'serve'],
  ['ready', 'worker'],
]);

function reportSchemaOf(printed: unknown): string {
  const { command, event } = Object(printed) as { command?: unknown; event?: unknown };
  if (event !== undefined) return `${EVENT_COMMANDS.get(event) ?? 'status'}-event.schema.json`;
  // A word that is no command is told as one.
  const known = REPORTS.find((name) => name === command);
  return known === undefined ? 'definitions.schema.json#/definitions/Failure' : `${known}.schema.json`;
}

/**
 * Validators compiled from the schema files, so that responses and documents are checked independently of the
 * product.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv, type ErrorObject } from 'ajv';
import { FAST_COMPILATION } from './ajv-options.ts';

const SCHEMA_DIRECTORY = new URL('../../schemas/', import.meta.url);
const AJV_OPTIONS = { strict: true, allowUnionTypes: true, allErrors: true, ...FAST_COMPILATION } as const;

function schemaOf(path: string): object {
  return JSON.parse(readFileSync(new URL(`${path}.schema.json`, SCHEMA_DIRECTORY), 'utf8')) as object;
}

const api = new Ajv(AJV_OPTIONS);

/** Returns the error of a response of the API; null if it is valid. */
export function apiMismatch(schema: string, value: unknown): string | null {
  // Compiled once, because property tests call it thousands of times.
  const validate =
    api.getSchema(schema) ?? api.addSchema(schemaOf(`api/${schema}`), schema).getSchema(schema);
  if (validate === undefined) throw new Error('unknown schema');
  return validate(value) ? null : api.errorsText(validate.errors);
}

/** Returns the error of a value by the text of a published schema; null if it is valid. */
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

/** Rejects unknown members. The published schemas allow them, so that members can be added. */
function closeSchema<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(closeSchema) as Schema;
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).map(([key, value]) => [key, closeSchema(value)] as const);
  const isObject = 'properties' in schema && 'type' in schema && schema.type === 'object';
  const rest =
    isObject && !('additionalProperties' in schema) ? [['additionalProperties', false] as const] : [];
  return Object.fromEntries<unknown>([...members, ...rest]) as Schema;
}

/** Returns the error of a document or line that a command printed with `--json`; null if it is valid. */
export function reportMismatch(printed: unknown): string | null {
  const validate = reports.getSchema(reportSchemaOf(printed));
  if (validate === undefined) throw new Error('unknown schema');
  if (validate(printed) === true) return null;
  const errors: readonly ErrorObject[] = validate.errors ?? [];
  return errors
    .map((one) => `${one.instancePath} ${one.message ?? ''} ${JSON.stringify(one.params)}`)
    .join('\n');
}

/** Commands by the events that they print. */
const EVENT_COMMANDS = new Map<unknown, string>([
  ['listening', 'serve'],
  ['ready', 'worker'],
]);

function reportSchemaOf(printed: unknown): string {
  const { command, event } = Object(printed) as { command?: unknown; event?: unknown };
  if (event !== undefined) return `${EVENT_COMMANDS.get(event) ?? 'status'}-event.schema.json`;
  // An unknown command is reported as a failure.
  const known = REPORTS.find((name) => name === command);
  return known === undefined ? 'definitions.schema.json#/definitions/Failure' : `${known}.schema.json`;
}

/** Documents with any content that fits their schema, for property tests. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { CommandDocument } from '../../src/core/report/generated/documents.ts';
import type { ProjectsDocument } from '../../src/core/report/several-projects.ts';

interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly minimum?: number;
}

type DocumentCommand = CommandDocument['command'];

/** The document of a command for one file. */
type DocumentOf<Name extends DocumentCommand> = Extract<
  Exclude<CommandDocument, ProjectsDocument>,
  { command: Name }
>;

/**
 * Generates documents of a command.
 * @param text - values for all strings of the document
 * @param alternative - index of the document in the schema of the command, which may have several
 */
export function arbitraryDocument<Name extends DocumentCommand>(
  command: Name,
  text: fc.Arbitrary<string>,
  alternative = 0,
): fc.Arbitrary<DocumentOf<Name>> {
  const documents = arbitraryOfSchema(`${command}.schema.json#/anyOf/${alternative}`, text);
  // It fits the schema from which the type was generated.
  return documents as fc.Arbitrary<DocumentOf<Name>>;
}

function arbitraryOfSchema(reference: string, text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const [file = '', path = ''] = reference.split('#');
  let found: unknown = JSON.parse(
    readFileSync(new URL(`../../schemas/report/${file}`, import.meta.url), 'utf8'),
  );
  for (const name of path.split('/').slice(1)) found = (found as Readonly<Record<string, unknown>>)[name];
  return arbitraryValue(found as Schema, file, text);
}

function arbitraryValue(schema: Schema, file: string, text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const { $ref, anyOf } = schema;
  if ($ref !== undefined) return arbitraryOfSchema($ref.startsWith('#') ? `${file}${$ref}` : $ref, text);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => arbitraryValue(one, file, text)));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === undefined)
    return fc.oneof(text, fc.constant(null), fc.integer(), fc.dictionary(text, fc.array(text)));
  const types = [schema.type].flat();
  return fc.oneof(...types.map((type) => arbitraryOfType(type, schema, { file, text })));
}

function arbitraryOfType(
  type: string,
  schema: Schema,
  from: { readonly file: string; readonly text: fc.Arbitrary<string> },
): fc.Arbitrary<unknown> {
  const { file, text } = from;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? -5, max: 10_000 });
    case 'array':
      return fc.array(arbitraryValue(schema.items ?? {}, file, text), { maxLength: 2 });
    case 'object':
      return arbitraryObject(schema, from);
    case 'string':
      return text;
    default:
      throw new Error(`unknown type: ${type}`);
  }
}

function arbitraryObject(
  { properties = {}, required = [], additionalProperties: others }: Schema,
  { file, text }: { readonly file: string; readonly text: fc.Arbitrary<string> },
): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, member]) => {
    // Instants were validated before, and loadtests formats them.
    const isInstant = name.endsWith('_at');
    const value = isInstant ? fc.constant('2026-12-24T03:00:00.000Z') : arbitraryValue(member, file, text);
    return [name, value] as const;
  });
  const own = fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
  if (typeof others !== 'object') return own;
  return fc.dictionary(text, arbitraryValue(others, file, text), { maxKeys: 2 });
}

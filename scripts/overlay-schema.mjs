// Builds the schema forms for maps under "environments": they have the same fields, and each value may be
// null, which removes the value of the file. They are written at the end of the published schema, because
// JSON Schema cannot derive them.

/** Suffix of the names of these definitions. */
export const OVERLAY = 'Overlay';

const NOTE = 'Follows from the definition of the same name; written by "npm run generate", never edited.';
const HEAD = '#/definitions/';

/** Returns the schema with an overlay form for each map that an environment may change. */
export function withOverlays({ definitions, ...schema }) {
  const written = Object.entries(definitions).filter(([name]) => !name.endsWith(OVERLAY));
  const forms = new Map();
  const add = (part) => {
    for (const name of overlaysIn(part)) {
      if (forms.has(name)) continue;
      const own = definitions[name.slice(0, -OVERLAY.length)];
      if (own === undefined) throw new Error(`the schema has no definition for ${name}`);
      const { title, description, ...rest } = orNull(own, definitions);
      const form = { title, description, $comment: NOTE, ...rest };
      forms.set(name, form);
      add(form);
    }
  };
  add(Object.fromEntries(written));
  return { ...schema, definitions: Object.fromEntries([...written, ...forms]) };
}

function overlaysIn(schema) {
  const refs = JSON.stringify(schema).matchAll(/"\$ref":"#\/definitions\/(\w+)/g);
  return Array.from(refs, ([, name]) => name).filter((name) => name.endsWith(OVERLAY));
}

/**
 * Returns a schema that also accepts null. Lists are replaced as a whole, so their items do not accept null.
 *
 * For a map, null is added to its type: with a choice, editors would underline the whole map for one typo.
 */
function orNull(schema, definitions) {
  const { $ref, anyOf, type, else: otherwise, ...rest } = schema;
  if ($ref !== undefined) return referred($ref, rest, definitions);
  if (anyOf !== undefined) return { ...rest, anyOf: [...anyOf, { type: 'null' }] };
  if (otherwise !== undefined) return { ...rest, else: orNull(otherwise, definitions) };
  if (type === undefined) return schema;
  const { properties, patternProperties, additionalProperties, ...own } = rest;
  return defined({
    type: [type, 'null'],
    ...own,
    additionalProperties:
      typeof additionalProperties === 'object'
        ? orNull(additionalProperties, definitions)
        : additionalProperties,
    patternProperties: each(patternProperties, definitions),
    properties: each(properties, definitions),
  });
}

/** A reference points to a map, a value, or the same field of another map. */
function referred($ref, beside, definitions) {
  const [name, ...path] = $ref.slice(HEAD.length).split('/');
  const isMap = definitions[name]?.type === 'object';
  if (isMap) return { ...beside, $ref: HEAD + [name + OVERLAY, ...path].join('/') };
  return { ...beside, anyOf: [{ $ref }, { type: 'null' }] };
}

function each(schemas, definitions) {
  if (schemas === undefined) return undefined;
  return Object.fromEntries(Object.entries(schemas).map(([key, one]) => [key, orNull(one, definitions)]));
}

function defined(schema) {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

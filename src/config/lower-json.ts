/** Conversion of a JSON value in the file to the text of a request body. */
import { findExpressions, isNumeric, parseExpression } from '../core/model/expression.ts';
import { compileTemplate } from '../core/model/template.ts';
import type { BodyFields } from '../core/model/request-body.ts';
import { Secret } from '../core/model/secret.ts';
import { mergeAdjacentStrings } from '../core/merge-adjacent.ts';
import type { ConfigNode, ScalarNode } from './config-tree.ts';

type JsonPart = string | Secret;

/**
 * Serializes a value without whitespace, with members in file order.
 * @remarks Numbers that are valid JSON in the file, such as `1.10`, are inserted as written. `jsonBody` is true if
 * values that are inserted at run time must be escaped.
 */
export function lowerJson(node: ConfigNode): Pick<BodyFields, 'body' | 'jsonBody'> {
  // Merges adjacent strings, as required by comparisons of bodies.
  const parts = mergeAdjacentStrings(jsonParts(node));
  const plain = parts.map((part) => (typeof part === 'string' ? part : '')).join('');
  return {
    body: parts.every((part) => typeof part === 'string') ? plain : { parts },
    jsonBody: compileTemplate(plain).names.length > 0 || null,
  };
}

function jsonParts(node: ConfigNode): readonly JsonPart[] {
  switch (node.kind) {
    case 'scalar':
      return scalarParts(node);
    case 'list':
      return joinParts(
        '[',
        ']',
        node.items.map((item) => jsonParts(item)),
      );
    case 'map':
      return joinParts(
        '{',
        '}',
        [...node.entries].map(([key, entry]) => [`${JSON.stringify(key)}:`, ...jsonParts(entry.node)]),
      );
  }
}

function joinParts(
  open: string,
  close: string,
  members: readonly (readonly JsonPart[])[],
): readonly JsonPart[] {
  return [open, ...members.flatMap((member, index) => (index === 0 ? member : [',', ...member])), close];
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

function scalarParts({ value, written, secret }: ScalarNode): readonly JsonPart[] {
  if (secret !== null) return ['"', ...secret.parts.map(escapePart), '"'];
  if (typeof value === 'string') return [jsonString(value)];
  // Numbers in the file are finite, so JSON can represent them.
  return [typeof value === 'number' && JSON_NUMBER.test(written) ? written : JSON.stringify(value)];
}

function escapePart(part: JsonPart): JsonPart {
  if (typeof part === 'string') return withoutQuotes(part);
  return new Secret(part.name, part.present ? withoutQuotes(part.reveal()) : null);
}

function withoutQuotes(text: string): string {
  return restoreEscapes(JSON.stringify(text)).slice(1, -1);
}

/** Converts a string to JSON. A string that consists of one `%{…}` for a number becomes a number. */
export function jsonString(text: string): string {
  const [only] = findExpressions(text);
  const isAlone = only?.at === 0 && only.end === text.length;
  const expression = isAlone ? parseExpression(only.text) : null;
  return expression !== null && isNumeric(expression) ? text : restoreEscapes(JSON.stringify(text));
}

/** Restores the single backslash of `\{{` and `\%{`, which JSON doubles. */
function restoreEscapes(json: string): string {
  return json.includes('\\') ? json.replaceAll(DOUBLED_ESCAPE, '$1\\') : json;
}

/** Matches an escape in JSON: two backslashes after a number of backslashes that is a multiple of four. */
const DOUBLED_ESCAPE = /(?<!\\)((?:\\{4})*)\\{2}(?=\{\{|%\{)/g;

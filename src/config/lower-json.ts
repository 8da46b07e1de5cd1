/** A JSON value of the file as the text of a body. */
import { findExpressions } from '../core/load/expression.ts';
import { compileTemplate } from '../core/load/template.ts';
import type { TargetSpec } from '../core/model/load-test.ts';
import { Secret } from '../core/model/secret.ts';
import { joinTexts } from '../core/neighbours.ts';
import type { ConfigNode, ScalarNode } from './tree.ts';

type Part = string | Secret;

/**
 * Writes a value without white space, in the order of the file. Texts and secrets are escaped as JSON wants it.
 *
 * Shape: numbers keep their digits; a text that is one `%{…}` and nothing else loses its quotes, so that it makes a
 *        number of each request. `jsonBody`: whether values are filled in later, which then need escapes.
 */
export function lowerJson(node: ConfigNode): Pick<TargetSpec, 'body' | 'jsonBody'> {
  // As they are compared.
  const parts = joinTexts(partsOf(node));
  const plain = parts.map((part) => (typeof part === 'string' ? part : '')).join('');
  return {
    body: parts.every((part) => typeof part === 'string') ? plain : { parts },
    jsonBody: compileTemplate(plain).names.length > 0 || null,
  };
}

function partsOf(node: ConfigNode): readonly Part[] {
  switch (node.kind) {
    case 'scalar':
      return scalarParts(node);
    case 'list':
      return between(
        '[',
        ']',
        node.items.map((item) => partsOf(item)),
      );
    case 'map':
      return between(
        '{',
        '}',
        [...node.entries].map(([key, entry]) => [`${JSON.stringify(key)}:`, ...partsOf(entry.node)]),
      );
  }
}

function between(open: string, close: string, members: readonly (readonly Part[])[]): readonly Part[] {
  return [open, ...members.flatMap((member, index) => (index === 0 ? member : [',', ...member])), close];
}

/** As JSON writes numbers. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

function scalarParts({ value, written, secret }: ScalarNode): readonly Part[] {
  if (secret !== null) return ['"', ...secret.parts.map(escaped), '"'];
  if (typeof value === 'string') return [isOneExpression(value) ? value : JSON.stringify(value)];
  // The file has finite numbers only.
  return [typeof value === 'number' && NUMBER.test(written) ? written : JSON.stringify(value)];
}

function escaped(part: Part): Part {
  if (typeof part === 'string') return withoutQuotes(part);
  return new Secret(part.name, part.present ? withoutQuotes(part.reveal()) : null);
}

function withoutQuotes(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Whether a text is one `%{…}` and nothing else. */
export function isOneExpression(text: string): boolean {
  const [only] = findExpressions(text);
  return only?.at === 0 && only.end === text.length;
}

import type { IntakeText, IntakeTextPart } from '../core/intake/intake-text.ts';

/** Matches `{{ name }}`, with the content of the braces as its first group. */
export const BRACES = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** Replaces the references in a string. `resolve` receives the first group of each match of the pattern. */
export function resolveReferences(
  text: string,
  pattern: RegExp,
  resolve: (content: string) => IntakeText,
): IntakeText {
  const parts: IntakeTextPart[] = [];
  let from = 0;
  for (const { 0: reference, 1: content = '', index } of text.matchAll(pattern)) {
    parts.push(text.slice(from, index), ...resolve(content));
    from = index + reference.length;
  }
  return [...parts, text.slice(from)].filter((part) => part !== '');
}

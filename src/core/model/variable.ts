/** Where the value of a variable comes from. */

/** `header` is the only one that the API names; the others are an extension. */
export const VARIABLE_SOURCES = ['header', 'cookie', 'json', 'body'] as const;

export type VariableSource = (typeof VARIABLE_SOURCES)[number];

/** Null for a word that only another service knows. */
export function parseVariableSource(word: string): VariableSource | null {
  return VARIABLE_SOURCES.find((source) => source === word) ?? null;
}

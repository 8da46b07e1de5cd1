/** Sources of the values of variables. */

/** Only `header` is in the API document; the others are an extension. */
export const VARIABLE_SOURCES = ['header', 'cookie', 'json', 'body'] as const;

export type VariableSource = (typeof VARIABLE_SOURCES)[number];

/** Parses the source of a variable. Returns null for a source that only third-party services support. */
export function parseVariableSource(text: string): VariableSource | null {
  return VARIABLE_SOURCES.find((source) => source === text) ?? null;
}

/** Sources of the values of variables. */

/** Only `header` is in the API document; the others are an extension. */
export const VARIABLE_SOURCES = ['header', 'cookie', 'json', 'body'] as const;

export type VariableSource = (typeof VARIABLE_SOURCES)[number];

/** Reports whether a text is a valid name of a variable. */
export function isVariableName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(text);
}

/** Describes an invalid name as the end of a sentence. */
export const VARIABLE_NAME_FAULT = 'is not a valid variable name; use letters, digits, _ and -';

/** Parses the source of a variable. Returns null for a source that only third-party services support. */
export function parseVariableSource(text: string): VariableSource | null {
  return VARIABLE_SOURCES.find((source) => source === text) ?? null;
}

/** Names of variables, and sources of their values. */

/** Only `header` is in the API document; the other sources are an extension. */
export const VARIABLE_SOURCES = ['header', 'cookie', 'json', 'body', 'status'] as const;

export type VariableSource = (typeof VARIABLE_SOURCES)[number];

/** Item of a list that becomes the value of a variable; `all` selects the whole list. */
export const VARIABLE_PICKS = ['first', 'last', 'random', 'all'] as const;

export type VariablePick = (typeof VARIABLE_PICKS)[number];

export function parseVariablePick(text: unknown): VariablePick | null {
  return VARIABLE_PICKS.find((pick) => pick === text) ?? null;
}

/** Segment of a JSON Pointer that matches every item of a list. */
export const ANY_ITEM = '*';

export function hasAnyItem(pointer: string): boolean {
  return pointer.split('/').includes(ANY_ITEM);
}

export function isVariableName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(text);
}

export function namesOf(list: readonly { readonly name: string }[] | null | undefined): readonly string[] {
  return list?.map(({ name }) => name) ?? [];
}

export const VARIABLE_NAME_FAULT =
  'is not a valid variable name; use letters, digits, _ and -, and begin with a letter or _';

/** Parses the source of a variable; returns null for a source that only third-party services support. */
export function parseVariableSource(text: string): VariableSource | null {
  return VARIABLE_SOURCES.find((source) => source === text) ?? null;
}

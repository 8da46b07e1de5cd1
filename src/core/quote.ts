/** Quotes a word of a command line for a POSIX shell, unless the word needs no quotes. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Quotes a value for a message, and truncates long values. */
export function quote(value: string | number | boolean): string {
  const text = JSON.stringify(String(value));
  return text.length > 80 ? `${text.slice(0, 77)}…"` : text;
}

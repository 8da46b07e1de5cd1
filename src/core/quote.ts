/** Quotes a value for a message, and truncates long values. */
export function quote(value: string | number | boolean): string {
  const text = JSON.stringify(String(value));
  return text.length > 80 ? `${text.slice(0, 77)}…"` : text;
}

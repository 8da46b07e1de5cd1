export function mergeAdjacentStrings<T>(parts: readonly (string | T)[]): readonly (string | T)[] {
  const all: (string | T)[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (typeof part === 'string' && typeof last === 'string') all[all.length - 1] = last + part;
    else all.push(part);
  }
  return all;
}

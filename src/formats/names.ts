export function variableName(name: string): string {
  const word = name.replaceAll(/[^\w-]+/g, '_').slice(0, 60);
  return /^[A-Za-z_]/.test(word) ? word : `value_${word}`;
}

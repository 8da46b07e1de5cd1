/** Names of variables and secrets from names of other tools. */

/** Returns the name of a variable of the file. */
export function variableName(name: string): string {
  const word = name.replaceAll(/[^\w-]+/g, '_').slice(0, 60);
  return /^[A-Za-z_]/.test(word) ? word : `value_${word}`;
}

/** Returns the name of an environment variable for a secret. */
export function secretName(name: string): string {
  const word = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 60);
  return `LT_${word === '' ? 'SECRET' : word}`;
}

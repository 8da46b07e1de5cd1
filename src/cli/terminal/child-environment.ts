/** Environment of the programs that a command starts. */
import type { Context } from './context.ts';

/**
 * Removes the variables of loadtests, including those that contain keys and those that a file names. Other
 * programs do not need these variables.
 */
export function childEnvironment(env: Context['env']): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('LOADTESTS_')),
  );
}

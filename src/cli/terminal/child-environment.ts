/** What programs that a command starts get of its environment. */
import type { Context } from './context.ts';

/** Without variables of ours: they hold keys, a file says in which, and none is of use to others. */
export function childEnvironment(env: Context['env']): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('LOADTESTS_')),
  );
}

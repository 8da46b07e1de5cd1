/** The content of a file in each of its environments, for reviews. */
import { environmentNamesIn, evaluateInEach, withOverlayOf } from './environment-overlay.ts';
import {
  createLoadContext,
  evaluateTree,
  readConfig,
  type ConfigInput,
  type EvaluatedTree,
} from './load-config.ts';
import type { DesiredState } from '../core/model/state.ts';
import type { FileSide } from '../core/reconcile/file-review.ts';
import { once } from '../core/once.ts';

/**
 * Evaluates a file in its environments, and without an environment (key null).
 * @remarks Unset environment variables are not errors, because a reviewer may not have the variables of all
 * environments.
 * @param except - Environment to omit, because its content is already known.
 * @returns The contents by environment; empty if the file cannot be parsed. After the total size of the contents
 * exceeds a maximum, further environments are omitted.
 */
export function evaluateEnvironments(
  input: Omit<ConfigInput, 'environment'>,
  except?: string | null,
): ReadonlyMap<string | null, FileSide> {
  const { root, ...read } = readConfig(input.file);
  const sides = new Map<string | null, FileSide>();
  if (root === null) return sides;
  const context = createLoadContext({ ...input, environment: null });
  const names = [null, ...environmentNamesIn(root)].filter((name) => name !== except);
  const inEach = evaluateInEach(names, (environment) =>
    evaluateTree({ ...read, root: withOverlayOf(root, environment) }, context, {
      environment,
      unsetSeverity: 'warning',
    }),
  );
  for (const [environment, evaluated] of inEach) {
    if (evaluated.content === null) continue;
    sides.set(environment, { content: evaluated.content(), desired: once(() => desiredOf(evaluated)) });
  }
  return sides;
}

function desiredOf({ problems, lower }: EvaluatedTree): DesiredState | null {
  if (problems.some(({ severity }) => severity === 'error')) return null;
  const lowered = lower();
  return lowered?.ok === true ? lowered.value.desired : null;
}

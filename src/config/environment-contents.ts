/** The content of a file in each of its environments, for reviews. */
import { sizeWithDefaults } from './defaults.ts';
import { environmentNamesIn, withOverlayOf } from './environment-overlay.ts';
import { createLoadContext, evaluateConfig, readConfig, type ConfigInput } from './load-config.ts';
import type { FileSide } from '../core/reconcile/file-review.ts';

/** Maximum total number of values that are evaluated in all environments. */
const MAX_VALUES = 1_000_000;

/**
 * Evaluates a file in each of its environments and without an environment, whose name is null.
 * @remarks Unset environment variables are not errors, because a reviewer does not have the variables of all
 * environments.
 * @returns The sides by environment, without environments beyond the maximum size; empty if the file cannot be parsed.
 */
export function evaluateEnvironments(
  input: Omit<ConfigInput, 'environment'>,
): ReadonlyMap<string | null, FileSide> {
  const { root, ...read } = readConfig(input.file);
  const sides = new Map<string | null, FileSide>();
  if (root === null) return sides;
  const context = createLoadContext({ ...input, environment: null });
  let values = 0;
  for (const environment of [null, ...environmentNamesIn(root)]) {
    if (values > MAX_VALUES) break;
    const {
      loaded,
      content,
      problems,
      root: evaluated,
    } = evaluateConfig({ ...read, root: withOverlayOf(root, environment) }, context, {
      environment,
      unsetSeverity: 'warning',
    });
    values += sizeWithDefaults(evaluated).values;
    if (content === null) continue;
    const isValid = problems.every(({ severity }) => severity !== 'error');
    sides.set(environment, { content: content(), desired: isValid ? (loaded?.desired ?? null) : null });
  }
  return sides;
}

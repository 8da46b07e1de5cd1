/** Values to a ConfigFile: the shape is right, the meaning is not looked at. */
import { problem, type Problem } from '../core/problem.ts';
import { splitPointer } from '../core/pointer.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { explain } from '../schema/explain.ts';
import { configSchema, validateConfig } from '../schema/generated/config-validator.js';
import { childOf, plainOf, type ConfigNode, type MapNode, type Places } from './tree.ts';

/** Checks the shape of everything, also of the environments that were not chosen. */
export function validateShape(root: MapNode, places: Places): Result<null> {
  const value = plainOf(root);
  if (validateConfig(value)) return ok(null);
  const errors = (validateConfig.errors ?? []).filter((error) => !isUnfilled(root, error.instancePath));
  if (errors.length === 0) return ok(null);
  const problems = explain(errors, value, configSchema).map((found): Problem => {
    const source = found.at === 'key' ? places.key(found.pointer) : places.value(found.pointer);
    return problem(found.code, found.message, { hint: found.hint, source });
  });
  return fail(problems);
}

/**
 * In an environment that was not chosen, a text still holds its references, and null takes away what is below it.
 */
function isUnfilled(root: MapNode, pointer: string): boolean {
  const path = splitPointer(pointer);
  if (path[0] !== 'environments') return false;
  const node = path.reduce<ConfigNode | null>((at, part) => at && childOf(at, part), root);
  if (node?.kind !== 'scalar') return false;
  if (node.value === null) return path.length > 2;
  return typeof node.value === 'string' && node.value.includes('${');
}

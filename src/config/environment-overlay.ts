/** Merge of the overlay for `--env NAME` into the configuration, and removal of keys that begin with `x-`. */
import { problem, type Problem } from '../core/problem.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { nearestKey } from '../schema/nearest-key.ts';
import { isNull, mergeMaps, type MergeRules } from './merge-maps.ts';
import { sizeWithDefaults } from './defaults.ts';
import { parseText } from './yaml-parser.ts';
import type { ConfigText } from './read-files.ts';
import {
  childOf,
  createLocator,
  keysOf,
  mapValues,
  withEntries,
  type ConfigNode,
  type LocateSpan,
  type MapNode,
} from './config-tree.ts';

const FIXED_KEYS: readonly string[] = ['version', 'project', 'moved', 'environments'];

const OVERLAY_RULES: MergeRules = { keys: 'lower', nullRemoves: true };

const ENVIRONMENT_NAME = /^[a-z0-9-]{1,40}$/;

/** Returns the names that `--env` accepts; empty if the text cannot be parsed. */
export function environmentNames(file: ConfigText): readonly string[] {
  const parsed = parseText(file.text, createLocator(file.path, file.text));
  return parsed.ok ? environmentNamesIn(parsed.value).filter((name) => ENVIRONMENT_NAME.test(name)) : [];
}

export function environmentNamesIn(root: MapNode): readonly string[] {
  return keysOf(childOf(root, 'environments')).filter((name) => !name.startsWith('x-'));
}

/** Total number of values, over all environments, above which no further environment is evaluated. */
const MAX_EVALUATED_VALUES = 1_000_000;

/** Evaluates environments in order, until `MAX_EVALUATED_VALUES` is exceeded. Returns the results by name. */
export function evaluateInEach<Name extends string | null, T extends { readonly root: MapNode }>(
  names: readonly Name[],
  evaluate: (name: Name) => T,
): ReadonlyMap<Name, T> {
  const evaluated = new Map<Name, T>();
  let values = 0;
  for (const name of names) {
    if (values > MAX_EVALUATED_VALUES) break;
    const one = evaluate(name);
    values += sizeWithDefaults(one.root).values;
    evaluated.set(name, one);
  }
  return evaluated;
}

/** Empties the overlays of all environments except the given one. */
export function withOverlayOf(root: MapNode, name: string | null): MapNode {
  const environments = childOf(root, 'environments');
  if (environments?.kind !== 'map') return root;
  const others = [...environments.entries].flatMap(([key, { node }]): [string, MapNode][] =>
    key === name || node.kind !== 'map' ? [] : [[key, { ...node, entries: new Map() }]],
  );
  return withEntries(root, new Map([['environments', withEntries(environments, new Map(others))]]));
}

/**
 * Applies the overlay of an environment and removes extension keys. Fails with LT_CONFIG_ENVIRONMENT if the environment
 * does not exist.
 */
export function chooseEnvironment(root: MapNode, name: string | null, locate: LocateSpan): Result<MapNode> {
  const own = withoutExtensions(root);
  if (name === null) return ok(own);
  const environments = childOf(own, 'environments');
  const known = keysOf(environments);
  const overlay = environments && childOf(environments, name);
  if (environments?.kind !== 'map' || overlay === null) {
    const nearest = nearestKey(name, known);
    const advice = nearest === null ? '' : `; did you mean "${nearest}"?`;
    const list =
      known.length === 0 ? 'the file declares no environments' : `the environments are ${known.join(', ')}`;
    const message = `the environment "${name}" is not declared${advice === '' ? `; ${list}` : advice}`;
    const at = root.entries.get('environments')?.keySpan ?? { start: 0, end: 1 };
    const hint = advice === '' ? null : `declared environments: ${known.join(', ')}`;
    return fail([problem('LT_CONFIG_ENVIRONMENT', message, { hint, source: locate(at) })]);
  }
  const misplaced = overlay.kind !== 'map' || FIXED_KEYS.some((key) => overlay.entries.has(key));
  if (misplaced) return ok(own);
  const vain = findVainRemovals(own, overlay, locate);
  if (vain.length > 0) return fail(vain);
  // Retains an empty overlay, so that the shape check validates the name of the environment.
  const chosen: MapNode = { ...overlay, entries: new Map() };
  const rest = withEntries(environments, new Map([[name, chosen]]));
  return ok(mergeMaps(withEntries(own, new Map([['environments', rest]])), overlay, OVERLAY_RULES));
}

/** Finds apps and tests that an overlay removes, but the file does not declare. */
function findVainRemovals(root: MapNode, overlay: MapNode, locate: LocateSpan): readonly Problem[] {
  return (['apps', 'tests'] as const).flatMap((section) => {
    const [declared, removed] = [childOf(root, section), childOf(overlay, section)];
    if (removed?.kind !== 'map') return [];
    const known = keysOf(declared);
    return [...removed.entries].flatMap(([key, { node, keySpan }]) => {
      if (!isNull(node) || known.includes(key)) return [];
      const kind = section === 'apps' ? 'app' : 'test';
      const nearest = nearestKey(key, known);
      const message = `null removes the ${kind} "${key}", but the file does not declare it`;
      const hint = nearest === null ? `remove the key "${key}"` : `did you mean "${nearest}"?`;
      return [problem('LT_CONFIG_SHAPE', message, { hint, source: locate(keySpan) })];
    });
  });
}

/**
 * Maps in which keys that begin with `x-` are not removed, because the keys are part of a request or response, or names
 * of variables.
 */
const USER_NAMED_MAPS: readonly string[] = [
  'headers',
  'request_params',
  'json',
  'multipart',
  'resolve',
  'values',
  'when',
  'until',
  'for_each',
];

function withoutExtensions(map: MapNode): MapNode {
  const own = [...map.entries].filter(([key]) => !key.startsWith('x-'));
  return mapValues({ ...map, entries: new Map(own) }, (node, key) =>
    USER_NAMED_MAPS.includes(key) ? node : withoutExtensionKeys(node),
  );
}

function withoutExtensionKeys(node: ConfigNode): ConfigNode {
  switch (node.kind) {
    case 'scalar':
      return node;
    case 'list':
      return { ...node, items: node.items.map(withoutExtensionKeys) };
    case 'map':
      return withoutExtensions(node);
  }
}

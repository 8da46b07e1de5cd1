/** The overlay of `--env NAME` over the rest of the file, and keys that begin with `x-` out of the way. */
import { problem } from '../core/problem.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { nearestKey } from '../schema/nearest-key.ts';
import { mergeMaps, type MergeRules } from './merge-maps.ts';
import { parseText } from './yaml-parser.ts';
import type { ConfigText } from './read-files.ts';
import {
  childOf,
  createLocator,
  withEntries,
  type ConfigNode,
  type LocateSpan,
  type MapNode,
} from './config-tree.ts';

/** What an overlay may not touch: it would make another project of it. */
const FIXED_KEYS: readonly string[] = ['version', 'project', 'moved', 'environments'];

const OVERLAY_RULES: MergeRules = { keys: 'lower', nullRemoves: true };

/** The names that `--env` may have; none where the text is no file. */
export function environmentNames(file: ConfigText): readonly string[] {
  const parsed = parseText(file.text, createLocator(file.path, file.text));
  return parsed.ok ? environmentNamesIn(parsed.value) : [];
}

export function environmentNamesIn(root: MapNode): readonly string[] {
  const environments = childOf(root, 'environments');
  if (environments?.kind !== 'map') return [];
  return [...environments.entries.keys()].filter((name) => !name.startsWith('x-'));
}

/** The file without what its environments change, except for one of them; their names stay. */
export function withOverlayOf(root: MapNode, name: string | null): MapNode {
  const environments = childOf(root, 'environments');
  if (environments?.kind !== 'map') return root;
  const others = [...environments.entries].flatMap(([key, { node }]): [string, MapNode][] =>
    key === name || node.kind !== 'map' ? [] : [[key, { ...node, entries: new Map() }]],
  );
  return withEntries(root, new Map([['environments', withEntries(environments, new Map(others))]]));
}

/** Errors: LT_CONFIG_ENVIRONMENT with the known names. */
export function chooseEnvironment(root: MapNode, name: string | null, locate: LocateSpan): Result<MapNode> {
  const own = withoutExtensions(root);
  if (name === null) return ok(own);
  const environments = childOf(own, 'environments');
  const known = environments?.kind === 'map' ? [...environments.entries.keys()] : [];
  const overlay = environments && childOf(environments, name);
  if (environments?.kind !== 'map' || overlay === null) {
    const nearest = nearestKey(name, known);
    const advice = nearest === null ? '' : `; did you mean "${nearest}"?`;
    const list =
      known.length === 0 ? 'the file declares no environments' : `the environments are ${known.join(', ')}`;
    const message = `the environment "${name}" is not declared${advice === '' ? `; ${list}` : advice}`;
    const at = root.entries.get('environments')?.keySpan ?? { start: 0, end: 1 };
    const hint = advice === '' ? null : `known: ${known.join(', ')}`;
    return fail([problem('LT_CONFIG_ENVIRONMENT', message, { hint, source: locate(at) })]);
  }
  // What is no overlay stays where it is, for the shape check to name.
  const misplaced = overlay.kind !== 'map' || FIXED_KEYS.some((key) => overlay.entries.has(key));
  if (misplaced) return ok(own);
  // Its name is still looked at, its content only where it now stands.
  const chosen: MapNode = { ...overlay, entries: new Map() };
  const rest = withEntries(environments, new Map([[name, chosen]]));
  return ok(mergeMaps(withEntries(own, new Map([['environments', rest]])), overlay, OVERLAY_RULES));
}

/** Names of headers and parameters are the user's own, so "x-" means nothing there. */
const USER_NAMED_MAPS: readonly string[] = ['headers', 'request_params'];

function withoutExtensions(map: MapNode): MapNode {
  const entries = [...map.entries].flatMap(([key, entry]) => {
    if (key.startsWith('x-')) return [];
    return [
      [
        key,
        USER_NAMED_MAPS.includes(key) ? entry : { ...entry, node: withoutExtensionKeys(entry.node) },
      ] as const,
    ];
  });
  return { ...map, entries: new Map(entries) };
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

/**
 * Expansion of `defaults` into every test and URL. In the result, each URL is a map and `defaults` is
 * removed.
 */
import { PHASES } from '../core/model/phase.ts';
import { mergeMaps, type MergeRules } from './merge-maps.ts';
import {
  childOf,
  mapValues,
  withEntries,
  type ConfigNode,
  type ListNode,
  type MapNode,
} from './config-tree.ts';

const MERGE_RULES: MergeRules = { keys: 'upper', nullRemoves: false };

export function applyDefaults(root: MapNode): MapNode {
  const defaults = childOf(root, 'defaults');
  const urlDefaults = toFullForm(defaults && childOf(defaults, 'url'));
  const testDefaults = defaults?.kind === 'map' ? withEntries(defaults, new Map([['url', null]])) : null;
  const tests = childOf(root, 'tests');
  const changes = new Map<string, ConfigNode | null>([['defaults', null]]);
  if (tests?.kind === 'map') {
    const filled = mapValues(tests, (node) => {
      const test =
        node.kind === 'map' && testDefaults !== null ? mergeMaps(testDefaults, node, MERGE_RULES) : node;
      return withUrls(withoutUnusedDefaults(test, node), urlDefaults);
    });
    changes.set('tests', filled);
  }
  return withEntries(root, changes);
}

interface TreeSize {
  values: number;
  characters: number;
}

/** Fields of a test whose value is a map with a list `urls`. */
export const REQUEST_MAPS = [...PHASES, 'on_start'] as const;

export const REQUEST_LISTS = ['urls', 'parallel'] as const;

const MAX_VALUES = 1_000_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * Reports whether the expansion exceeds the bounds. Even a small file can exceed them, because defaults are repeated in
 * every test and URL.
 */
export function defaultsExceedBounds(root: MapNode): boolean {
  if (childOf(root, 'defaults') === null || childOf(root, 'tests')?.kind !== 'map') return false;
  const { values, characters } = sizeWithDefaults(root);
  return values > MAX_VALUES || characters > MAX_CHARACTERS;
}

/** Returns an upper bound for the size of the expanded tree, including overridden defaults. */
export function sizeWithDefaults(root: MapNode): TreeSize {
  const total = sizeOf(root);
  const defaults = childOf(root, 'defaults');
  const tests = childOf(root, 'tests');
  if (defaults === null || tests?.kind !== 'map') return total;
  const perUrl = sizeOf(childOf(defaults, 'url'));
  const perTest = sizeOf(defaults);
  const defaultUrls = countUrls(defaults);
  let urls = 0;
  for (const { node } of tests.entries.values()) urls += countUrls(node) || defaultUrls;
  const times = (of: keyof TreeSize) => total[of] + tests.entries.size * perTest[of] + urls * perUrl[of];
  return { values: times('values'), characters: times('characters') };
}

/** Counts the requests and groups of a test, including those in flows and phases. */
function countUrls(test: ConfigNode): number {
  const count = (node: ConfigNode): number => {
    const lists = REQUEST_LISTS.map((name) => childOf(node, name));
    const items = lists.flatMap((list) => (list?.kind === 'list' ? list.items : []));
    return items.reduce((sum, item) => sum + 1 + count(item), 0);
  };
  const flows = childOf(test, 'flows');
  const ofFlows = flows?.kind === 'map' ? [...flows.entries.values()] : [];
  const ofPhases = REQUEST_MAPS.flatMap((name) => childOf(test, name) ?? []);
  const others = [...ofFlows.map(({ node }) => node), ...ofPhases];
  return others.reduce((sum, node) => sum + count(node), count(test));
}

function sizeOf(node: ConfigNode | null): TreeSize {
  const size: TreeSize = { values: 0, characters: 0 };
  const add = (one: ConfigNode) => {
    size.values++;
    if (one.kind === 'scalar') size.characters += one.written.length;
    else if (one.kind === 'list') one.items.forEach(add);
    else for (const entry of one.entries.values()) add(entry.node);
  };
  if (node !== null) add(node);
  return size;
}

/** Removes the defaults that conflict with the load model or the requests that the test itself declares. */
function withoutUnusedDefaults(test: ConfigNode, own: ConfigNode): ConfigNode {
  if (test.kind !== 'map') return test;
  const hasAny = (node: ConfigNode, ...names: readonly string[]) =>
    names.some((name) => childOf(node, name) !== null);
  const unused: string[] = [];
  if (hasAny(own, 'flows')) unused.push('urls');
  else if (hasAny(own, 'urls')) unused.push('flows');
  if (hasAny(own, 'stages')) unused.push('total', 'duration');
  else if (hasAny(own, 'total', 'duration')) unused.push('stages');
  const type = childOf(test, 'test_type');
  const isCycling = type === null || (type.kind === 'scalar' && type.value === 'cycling');
  const hasStages = hasAny(test, 'stages') && !unused.includes('stages');
  if (!isCycling && !hasStages) unused.push('initial');
  const dropped = unused.filter((name) => !hasAny(own, name));
  return withEntries(test, new Map(dropped.map((name) => [name, null])));
}

function withUrls(test: ConfigNode, defaults: ConfigNode | null): ConfigNode {
  const phases = REQUEST_MAPS.flatMap((name): [string, ConfigNode][] => {
    const phase = childOf(test, name);
    const ofPhase = name === 'on_start' ? defaults : withoutLoadFields(defaults);
    return phase === null ? [] : [[name, withOwnUrls(phase, ofPhase)]];
  });
  const filled = withLoadUrls(test, defaults);
  return filled.kind === 'map' ? withEntries(filled, new Map(phases)) : filled;
}

/** Returns the defaults for requests that are sent once, without the fields that apply only to the load. */
function withoutLoadFields(defaults: ConfigNode | null): ConfigNode | null {
  if (defaults?.kind !== 'map') return defaults;
  return withEntries(
    defaults,
    new Map(['thresholds', 'delay', 'payload_file', 'payload_file_url'].map((name) => [name, null])),
  );
}

function withLoadUrls(test: ConfigNode, defaults: ConfigNode | null): ConfigNode {
  const flows = childOf(test, 'flows');
  if (test.kind !== 'map' || flows?.kind !== 'map') return withOwnUrls(test, defaults);
  const filled = mapValues(flows, (node) => withOwnUrls(node, defaults));
  return withOwnUrls(withEntries(test, new Map([['flows', filled]])), defaults);
}

function withOwnUrls(test: ConfigNode, defaults: ConfigNode | null): ConfigNode {
  if (test.kind !== 'map') return test;
  const lists = REQUEST_LISTS.flatMap((name): [string, ListNode][] => {
    const list = childOf(test, name);
    if (list?.kind !== 'list') return [];
    const items = list.items.map((item) => {
      if (REQUEST_LISTS.some((inner) => childOf(item, inner) !== null)) return withOwnUrls(item, defaults);
      const own = toFullForm(item.kind === 'scalar' ? mapWith('url', item) : item);
      return own.kind === 'map' && defaults?.kind === 'map' ? mergeMaps(defaults, own, MERGE_RULES) : own;
    });
    return [[name, { ...list, items }]];
  });
  return lists.length === 0 ? test : withEntries(test, new Map(lists));
}

/** Expands the short form `expect: 201` of a URL to `expect: { status: 201 }`. */
function toFullForm<Node extends ConfigNode | null>(url: Node): Node | MapNode {
  const expect = url?.kind === 'map' ? (url.entries.get('expect')?.node ?? null) : null;
  return url?.kind === 'map' && expect?.kind === 'scalar'
    ? withEntries(url, new Map([['expect', mapWith('status', expect)]]))
    : url;
}

function mapWith(key: string, node: ConfigNode): MapNode {
  return { kind: 'map', entries: new Map([[key, { key, keySpan: node.span, node }]]), span: node.span };
}

/** Defaults into every test and every URL. After it, a URL is always a map and nothing is called `defaults`. */
import { childOf, mergeMaps, withEntries, type ConfigNode, type ListNode, type MapNode } from './tree.ts';

export function applyDefaults(root: MapNode): MapNode {
  const defaults = childOf(root, 'defaults');
  const urlDefaults = defaults && childOf(defaults, 'url');
  const testDefaults = defaults?.kind === 'map' ? withEntries(defaults, new Map([['url', null]])) : null;
  const tests = childOf(root, 'tests');
  const changes = new Map<string, ConfigNode | null>([['defaults', null]]);
  if (tests?.kind === 'map') {
    const filled = [...tests.entries].map(([key, { node }]): [string, ConfigNode] => {
      const test =
        node.kind === 'map' && testDefaults !== null ? mergeMaps(testDefaults, node, 'upper') : node;
      return [key, withUrls(test, urlDefaults)];
    });
    changes.set('tests', withEntries(tests, new Map(filled)));
  }
  return withEntries(root, changes);
}

function withUrls(test: ConfigNode, defaults: ConfigNode | null): ConfigNode {
  const urls = childOf(test, 'urls');
  if (test.kind !== 'map' || urls?.kind !== 'list') return test;
  const items = urls.items.map((item) => {
    const own = item.kind === 'scalar' ? asMap(item) : item;
    return own.kind === 'map' && defaults?.kind === 'map' ? mergeMaps(defaults, own, 'upper') : own;
  });
  const list: ListNode = { ...urls, items };
  return withEntries(test, new Map([['urls', list]]));
}

/** `- http://…` is short for `- url: http://…`. */
function asMap(url: ConfigNode): MapNode {
  const entry = { key: 'url', keySpan: url.span, node: url };
  return { kind: 'map', entries: new Map([['url', entry]]), span: url.span };
}

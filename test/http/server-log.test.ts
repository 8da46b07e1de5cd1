import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EVENTS } from '../../src/server/log.ts';

test('the table of log events contains exactly the events that the source code logs', () => {
  const found = new Set<string>();
  for (const module of ['server', 'cluster', 'egress']) {
    const directory = new URL(`../../src/${module}/`, import.meta.url);
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      for (const match of readFileSync(new URL(name, directory), 'utf8').matchAll(/\bevent: '([a-z-]+)'/g)) {
        found.add(match[1] ?? '');
      }
    }
  }
  expect([...found].sort()).toEqual(Object.keys(EVENTS).sort());
});

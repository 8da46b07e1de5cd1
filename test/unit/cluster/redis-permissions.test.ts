import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatMinimumAcl } from '../../../src/cluster/redis-permissions.ts';

const ROOT = join(import.meta.dirname, '../../..');

test('the guide to distributed load contains the minimum Redis permissions that formatMinimumAcl returns', () => {
  expect(readFileSync(join(ROOT, 'docs/guides/distributed-load.md'), 'utf8')).toContain(
    `>PASSWORD ${formatMinimumAcl()}\n`,
  );
});

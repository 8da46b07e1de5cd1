/** Import of fields that the base API does not list, from the embedded service. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess } from '../support/in-process-cli.ts';
import { openTestTarget } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const fileOf = (host: string) => `version: 1
project: shop
apps: { shop: "${host}" }
tests:
  checkout:
    test_type: per-second
    total: 1
    duration: 1s
    error_threshold: 15
    urls:
      - url: http://${host}/login
        variables: [{ name: token, property: X-Shop-Token }]
      - http://${host}/cart/{{token}}
`;

test('a file imported from the embedded service contains variables and error_threshold, and its plan has no changes', async () => {
  const target = await openTestTarget((_, response) => {
    response.setHeader('X-Shop-Token', 'abc');
    response.end();
  });
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'loadtests.yaml'), fileOf(target.host));
  expect((await runInProcess(['apply', '--yes'], { directory })).exit).toBe(0);

  const imported = await runInProcess(['import', '-o', 'imported.yaml'], { directory });
  expect(imported.stdout).toContain('Imported 1 app and 1 test into imported.yaml.');
  expect(imported.exit).toBe(0);
  const text = readFileSync(join(directory, 'imported.yaml'), 'utf8');
  expect(text).toContain('error_threshold: 15');
  expect(text).toContain('- { name: token, property: X-Shop-Token }');
  expect(text).not.toContain('id:');

  const planned = await runInProcess(['plan', '-f', 'imported.yaml', '--detailed-exitcode'], { directory });
  expect(planned.stderr).toBe('');
  expect(planned.stdout).toContain('1 unchanged');
  expect(planned.exit).toBe(0);
});

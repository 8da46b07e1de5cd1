/** A test whose variables no list shows comes back from an import, and a plan of the file has no changes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownFolder, run } from '../rig/cli.ts';
import { openTarget } from '../rig/target.ts';

const fileOf = (host: string) => `version: 1
project: shop
apps: { shop: "${host}" }
tests:
  checkout:
    test_type: per-second
    total: 1
    duration: 1s
    urls:
      - url: http://${host}/login
        variables: [{ name: token, property: X-Shop-Token }]
      - http://${host}/cart/{{token}}
`;

test('a test with variables is adopted by its id', async () => {
  const target = await openTarget((_, response) => {
    response.setHeader('X-Shop-Token', 'abc');
    response.end();
  });
  const folder = ownFolder();
  writeFileSync(join(folder, 'loadtests.yaml'), fileOf(target.host));
  expect((await run(['apply', '--yes'], { folder })).exit).toBe(0);

  const imported = await run(['import', '-o', 'imported.yaml'], { folder });
  expect(imported.stdout).toContain('Imported 1 app and 1 test into imported.yaml.');
  expect(imported.exit).toBe(0);

  const planned = await run(['plan', '-f', 'imported.yaml', '--detailed-exitcode'], { folder });
  expect(planned.stderr).toContain('warning LT_CONFIG_VALUE: "{{token}}" is not defined');
  expect(planned.stdout).toContain('1 unchanged');
  expect(planned.exit).toBe(0);
});

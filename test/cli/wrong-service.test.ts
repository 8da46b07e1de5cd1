/** Messages for a service URL that belongs to another program or has the wrong scheme. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { homeFileText } from '../support/hosted-project.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const server = createServer((_, response) => response.end('hello'));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());

async function planWith(scheme: string) {
  const directory = createTestDirectory();
  const { port } = server.address() as AddressInfo;
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    homeFileText({ service: `${scheme}://127.0.0.1:${port}/` }),
  );
  return await runInProcess(['plan'], { directory, env: { LOADTESTS_API_KEY: 'k'.repeat(32) } });
}

test('if the service URL belongs to another program, the error suggests that the URL does not belong to a load-testing service', async () => {
  const { stderr, exit } = await planWith('http');
  expect(stderr).toContain('check that the URL points to a load-testing service');
  expect(exit).toBe(1);
});

test('if an https URL names a port without TLS, the error states that the port may accept only unencrypted HTTP', async () => {
  const { stderr, exit } = await planWith('https');
  expect(stderr).toContain('failed the TLS handshake');
  expect(stderr).toContain('the port may accept only unencrypted HTTP');
  expect(exit).toBe(9);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runInProcess } from '../support/in-process-cli.ts';
import { startRawTarget } from '../support/raw-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

test('if the service port uses another protocol, the error contains the received data, and plan exits with 1', async () => {
  const target = await startRawTarget((_request, write, socket) => {
    write('SSH-2.0-OpenSSH_9.6\r\n');
    socket.end();
  });
  const directory = createTestDirectory();
  onTestFinished(() => target.close());
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `version: 1
project: shop
service: { base_url: 'http://127.0.0.1:${target.port}' }
apps: { shop: www.example.com }
tests: { home: { test_type: cycling, total: 5, duration: 1s, urls: [http://www.example.com/] } }
`,
  );
  const planned = await runInProcess(['plan'], { directory, env: { LOADTESTS_API_KEY: 'key' } });
  expect(planned.stderr).toContain('LT_API_UNUSABLE');
  expect(planned.stderr).toContain('did not send a valid HTTP response ("SSH-2.0-OpenSSH_9.6")');
  expect(planned.exit).toBe(1);
});

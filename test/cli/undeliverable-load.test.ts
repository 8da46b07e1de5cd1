/** Load that the load generator cannot deliver or the target cannot receive is reported before it starts. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInShell } from '../support/cli.ts';
import { findFreePort } from '../support/free-port.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { openTestTarget } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

function projectOf(host: string, total: number): string {
  const directory = createTestDirectory();
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `version: 1
project: shop
apps: { shop: "${host}" }
tests:
  home: { test_type: cycling, total: ${total}, duration: 1s, urls: ['http://${host}/'] }
`,
  );
  return directory;
}

describe('load that exceeds a limit', () => {
  test('the embedded service rejects load that exceeds the open-file limit', async () => {
    let requestCount = 0;
    const target = await openTestTarget((_, response) => {
      requestCount++;
      response.end();
    });
    const directory = projectOf(target.host, 5000);
    const ran = await runInShell('ulimit -n 512; loadtests apply --yes', { directory });
    expect(ran.stderr).toMatch(/with this run, the process needs [\d,]+ open files, but the limit is 512/);
    expect(ran.stderr).toContain('LT_RUN_CAPACITY');
    expect([ran.exit, requestCount]).toEqual([12, 0]);
  });

  test('validate reports the location of a test that exceeds the connection limit of one host', async () => {
    const ran = await runInProcess(['validate'], { directory: projectOf('127.0.0.1:4080', 100_001) });
    expect(ran.exit).toBe(12);
    expect(ran.stderr + ran.stdout).toMatch(
      /loadtests\.yaml:5:\d+[^]*the test may reach 100,001 connections on one host; the limit is 100,000/,
    );
  });
});

describe('a local target without a listener', () => {
  test('apply and run do not start a test whose local target is not listening, and print a hint', async () => {
    const directory = projectOf(`127.0.0.1:${await findFreePort()}`, 5);
    for (const command of ['apply --yes', 'run home --yes']) {
      const ran = await runInProcess(command.split(' '), { directory });
      expect(ran.exit).toBe(12);
      expect(ran.stderr).toMatch(
        /"home" is not started: its target "127\.0\.0\.1:\d+" is not available: connection refused/,
      );
      expect(ran.stderr).not.toContain('ECONNREFUSED');
      expect(ran.stderr).toContain('hint: start the target first, or declare "web_server"');
    }
  });

  test('apply starts the tests only after web_server has responded', async () => {
    const [port, readyPort] = [await findFreePort(), await findFreePort()];
    const directory = projectOf(`127.0.0.1:${port}`, 2);
    // The target starts to listen only when apply checks the URL of web_server for the second time.
    writeFileSync(
      join(directory, 'shop.mjs'),
      `import { createServer } from 'node:http';
const shop = createServer((_, response) => setTimeout(() => response.end(), 50));
let checks = 0;
createServer((request, response) => {
  if (++checks === 1) request.socket.destroy();
  else if (shop.listening) response.end();
  else shop.listen(${port}, '127.0.0.1', () => response.end());
}).listen(${readyPort}, '127.0.0.1');`,
    );
    appendFileSync(
      join(directory, 'loadtests.yaml'),
      `web_server: { command: node shop.mjs, url: 'http://127.0.0.1:${readyPort}/' }\n`,
    );
    const ran = await runInProcess(['apply', '--yes'], { directory });
    expect(ran.exit, ran.stderr).toBe(0);
    expect(ran.stdout).toMatch(/home {2}no verdict\n.* requests, 0 failed/);
  });
});

import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { copyExamples } from '../support/cli.ts';
import { findFreePort } from '../support/free-port.ts';
import { startHostedService } from '../support/hosted-service.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const SHOP = fileURLToPath(new URL('../../examples/shop', import.meta.url));

function file(port: number, verification: string): string {
  return `version: 1
project: shop
service:
  base_url: http://127.0.0.1:$RIG_PORT
  auth_header: acme-auth
  token_prefix: acme-loads
web_server:
  command: node shop/server.mjs
  url: http://127.0.0.1:${port}/
apps:
  shop:
    app: 127.0.0.1:${port}
    verification: { method: http, ${verification}, wait: 3s }
tests:
  home: { test_type: non-cycling, total: 5, duration: 1s, urls: ['http://127.0.0.1:${port}/'] }
`;
}

/** Starts a hosted service that fetches the token, and a shop that serves shop/public. */
async function project(verification: string) {
  const service = await startHostedService({ verification: 'http' });
  const directory = createTemporaryDirectory();
  onTestFinished(async () => {
    await service.close();
    directory.remove();
  });
  const port = await findFreePort();
  copyExamples(SHOP, join(directory.path, 'shop'));
  const text = file(port, verification).replace('$RIG_PORT', new URL(service.url).port);
  writeFileSync(join(directory.path, 'loadtests.yaml'), text);
  const env = {
    LOADTESTS_API_KEY: service.options.key,
    LOADTESTS_SMTP: 'smtp://ci:canary@mail.example.com',
    SHOP_PORT: String(port),
  };
  return {
    service,
    directory: directory.path,
    apply: () => runInProcess(['apply', '--yes'], { directory: directory.path, env }),
    port,
  };
}

/** Writes a publish command that publishes the token and then executes the given line. */
function writePublishScript(directory: string, line: string): void {
  const script = join(directory, 'publish.sh');
  const publish = 'mkdir -p shop/public\necho "$VERIFICATION_ID" > "shop/public/$VERIFICATION_ID.txt"';
  writeFileSync(script, `#!/bin/sh\n${publish}\n${line}\n`);
  chmodSync(script, 0o755);
}

async function isResponding(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}

describe('a service that fetches the token itself', () => {
  test('the service finds the token that apply writes to the declared directory while web_server runs', async () => {
    const { service, directory, apply, port } = await project('directory: shop/public');
    const applied = await apply();
    expect([applied.exit, applied.stderr]).toEqual([0, expect.stringContaining('is verified')]);
    expect(readdirSync(join(directory, 'shop/public'))).toEqual([
      `acme-loads-${service.state.apps[0]?.id ?? ''}.txt`,
    ]);
    expect(await isResponding(port)).toBe(false);
  });

  test('the service finds the token that the publish command wrote, and the command receives neither the API key nor LOADTESTS_SMTP', async () => {
    const { directory, apply } = await project('command: ./publish.sh');
    writePublishScript(
      directory,
      'echo "$APP $APP_ID ${LOADTESTS_API_KEY-none} ${LOADTESTS_SMTP-none}" > said',
    );
    expect((await apply()).exit).toBe(0);
    expect(readFileSync(join(directory, 'said'), 'utf8')).toMatch(
      /^127\.0\.0\.1:\d+ [0-9a-f]{32} none none\n$/,
    );
  });

  test('if the publish command fails after it published the token, apply reports the failure, and does not verify the app or create a test', async () => {
    const { service, directory, apply } = await project('command: ./publish.sh');
    writePublishScript(directory, 'exit 3');
    const applied = await apply();
    expect(applied.exit).toBe(12);
    expect(applied.stderr).toContain('"./publish.sh" failed: exit code 3');
    expect([service.executed.verifyApp, service.executed.createTest]).toEqual([0, 0]);
  });

  test('apply does not wait for the verification of a local host if no process is listening on its port', async () => {
    const service = await startHostedService({ verification: 'http' });
    onTestFinished(() => service.close());
    const directory = createTemporaryDirectory();
    onTestFinished(directory.remove);
    const text = file(await findFreePort(), 'manual: true')
      .replace('wait: 3s', 'wait: 1h')
      .replace(/web_server:\n.*\n.*\n/, '')
      .replace('$RIG_PORT', new URL(service.url).port);
    writeFileSync(join(directory.path, 'loadtests.yaml'), text);
    const env = { LOADTESTS_API_KEY: service.options.key };
    const ran = await runInProcess(['apply', '--yes'], { directory: directory.path, env });
    expect(ran.exit).toBe(12);
    expect(ran.stderr).toContain('connection refused: no local process is listening on that port');
    expect(ran.stderr).toContain('hint: start the target first, or declare "web_server"');
    expect(ran.stderr).not.toContain('publish a text file');
    expect(service.calls('verifyApp')).toHaveLength(1);
  });
});

describe('a host whose name has no address', () => {
  // A label that is too long has no address on any machine, and no name server is asked for it.
  const host = `${'a'.repeat(64)}.invalid`;

  function unresolvedProject(verification: string) {
    const { path: directory, remove } = createTemporaryDirectory();
    onTestFinished(remove);
    const text = `version: 1
project: shop
apps: { shop: { app: ${host}, verification: { method: http, ${verification} } } }
tests: { home: { test_type: non-cycling, total: 5, duration: 1s, urls: ['http://${host}/'] } }
`;
    writeFileSync(join(directory, 'loadtests.yaml'), text);
    return (...args: readonly string[]) => runInProcess(args, { directory });
  }

  test.each(['wait: 10m', 'directory: public, wait: 10m'])(
    'with the verification setting "%s", apply on the embedded service reports that a host has no address, and registers nothing',
    async (verification) => {
      const run = unresolvedProject(verification);
      const applied = await run('apply', '--yes');
      expect(applied.stderr).toContain(`error LT_PLAN_BLOCKED: "${host}" could not be resolved (ENOTFOUND)`);
      expect(applied.stderr).toContain('hint: check the spelling of the host name');
      expect(applied.exit).toBe(12);
      expect((await run('plan')).stdout).toContain('Plan: 1 to register, 1 to verify, 1 to create');
    },
  );

  test('with a publish command, apply registers a host without an address and waits for its verification', async () => {
    const applied = await unresolvedProject('command: touch published, wait: 1s')('apply', '--yes');
    expect(applied.stderr).toContain(`is not verified yet: "${host}" could not be resolved (ENOTFOUND)`);
    expect(applied.stdout).toContain('1 done, 1 failed, 1 not attempted');
    expect(applied.exit).toBe(12);
  });
});

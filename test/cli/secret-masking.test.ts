import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCli, createTemporaryDirectory } from '../support/cli.ts';
import { startHostedService } from '../support/hosted-service.ts';
import { runInProcess } from '../support/in-process-cli.ts';

const KEY = 'canary0key0000000000000000000001';
const SECRETS = {
  SHOP_PASSWORD: 'canary-password-02',
  SHOP_HEADER: 'canary-header-03',
  SHOP_PARAM: 'canary-param-04',
  SHOP_BODY: 'canary-body-05',
};

const FILE = `version: 1
project: shop
service:
  base_url: http://127.0.0.1:$RIG_PORT
  auth_header: acme-auth
  settle: 100ms
apps: { shop: www.example.com }
tests:
  cart:
    test_type: cycling
    total: 5
    duration: 10s
    urls:
      - url: http://www.example.com/login
        request_type: POST
        credentials: { login: ci, password: '\${secret:SHOP_PASSWORD}' }
        request_params: { token: '\${secret:SHOP_PARAM}' }
      - url: http://www.example.com/cart
        request_type: POST
        headers: { authorization: 'Bearer \${secret:SHOP_HEADER}' }
        raw_post_body: '{"secret":"\${secret:SHOP_BODY}"}'
    thresholds: { error_rate: '< 1%' }
`;

/** The same test without secrets. A plan for it changes and removes the values on the service. */
const PLAIN = FILE.replaceAll(/\$\{secret:\w+\}/g, 'plain')
  .replace(/.*request_params.*\n/, '')
  .replace('    urls:', '    urls:\n      - http://www.example.com/first');

const UNTIL_APPLIED = [
  ['plan', '-o', 'plan.json', '--json-into', 'again.json'],
  ['apply', '--yes', '--json'],
];

const COMMANDS = [
  ['validate', '--json'],
  ...UNTIL_APPLIED,
  ['plan', '-f', 'changed.yaml', '--json'],
  ['plan', '-f', 'changed.yaml'],
  // The service now contains the secrets, but the following files do not refer to them.
  ['plan', '-f', 'plain.yaml', '-v'],
  ['plan', '-f', 'plain.yaml', '--json', '-o', 'old.json'],
  ['plan', '-f', 'emptied.yaml', '--json'],
  ['import', '-f', 'plain.yaml', '--json'],
  ['import', '-f', 'emptied.yaml', '-o', 'imported.yaml'],
  ['apply', '--yes', '--run', '-v'],
  ['status', '--json'],
  ['results', '--json'],
  ['run', 'cart', '--yes'],
  ['stop', '--all', '--yes'],
];

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}

describe('masking of secrets and keys', () => {
  test.each([
    ['when all commands succeed', null, COMMANDS],
    ['when the service includes them in an error', 'refuse', UNTIL_APPLIED],
    ['when responses are lost', 'reset', UNTIL_APPLIED],
    ['when the API key is rejected', 'key', UNTIL_APPLIED],
  ] as const)('no output and no file contains a secret %s', async (_, failure, commands) => {
    const service = await startHostedService({ key: KEY, echoPasswords: true });
    const directory = createTemporaryDirectory();
    onTestFinished(async () => {
      await service.close();
      directory.remove();
    });
    const file = FILE.replace('$RIG_PORT', new URL(service.url).port);
    writeFileSync(join(directory.path, 'loadtests.yaml'), file);
    writeFileSync(
      join(directory.path, 'changed.yaml'),
      file.replace('Bearer', 'Token').replace('"secret"', '"other"'),
    );
    writeFileSync(join(directory.path, 'plain.yaml'), PLAIN);
    writeFileSync(join(directory.path, 'emptied.yaml'), PLAIN.replace(/tests:[^]*/, 'tests: {}\n'));
    if (failure === 'reset')
      service.injectFault({ on: 'createTest', times: 50, executed: false, response: 'reset' });
    if (failure === 'refuse') {
      const errors = [KEY, ...Object.values(SECRETS)].map((text) => `cannot use ${text}`);
      const response = { status: 422, body: { message: 'error', errors } };
      service.injectFault({ on: 'createTest', times: 50, executed: false, response });
    }
    const env = {
      LOADTESTS_API_KEY: failure === 'key' ? `${KEY}x` : KEY,
      ...SECRETS,
    };
    let output = '';
    for (const args of commands) {
      const called = args[0] === 'apply' ? runCli : runInProcess;
      const ran = await called(args, { directory: directory.path, env });
      output += ran.stdout + ran.stderr;
    }
    for (const path of filesBelow(directory.path)) output += readFileSync(path, 'utf8');
    expect(output.length).toBeGreaterThan(failure === null ? 15_000 : 2500);
    expect(output.match(/.{0,60}canary.{0,40}/g)).toBe(null);
    // The service received them.
    const sent = service.calls('createTest').map((call) => call.body);
    if (failure === null) expect(sent[0]).toContain(SECRETS.SHOP_BODY);
  });
});

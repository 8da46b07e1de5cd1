/** The recipe for OAuth 2.0 client credentials in the guide, as a user would run it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess } from '../support/in-process-cli.ts';
import { openTestTarget } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const GUIDE = join(import.meta.dirname, '../../docs/guides/requests-and-data.md');

function readRecipe(): string {
  const [, recipe] =
    /```yaml\n# oauth2-client-credentials\n([^]*?)```/.exec(readFileSync(GUIDE, 'utf8')) ?? [];
  if (recipe === undefined) throw new Error('the guide has no recipe');
  return recipe;
}

test('the recipe for OAuth 2.0 client credentials requests one access token and sends it with every request of the load', async () => {
  const requests: string[] = [];
  const target = await openTestTarget((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { authorization = '', 'content-type': type = '' } = request.headers;
      requests.push([request.method, request.url, authorization, type, body].join(' ').trimEnd());
      const token = { access_token: 'issued-token', token_type: 'Bearer', expires_in: 3600 };
      response.end(JSON.stringify(request.method === 'POST' ? token : []));
    });
  });
  const directory = createTestDirectory();
  const recipe = readRecipe()
    .replaceAll(/https:\/\/(?:login|www)\.example\.com/g, target.url)
    .replace('duration: 1m', 'duration: 1s');
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `version: 1\nproject: oauth\napps: { shop: '${target.host}' }\n${recipe}`,
  );
  const applied = await runInProcess(['apply', '--yes'], {
    directory,
    env: { OAUTH_CLIENT_SECRET: 'client-secret-value' },
  });
  expect([applied.exit, applied.stderr]).toEqual([0, expect.any(String)]);
  const basic = Buffer.from('load-test:client-secret-value').toString('base64');
  const form = `application/x-www-form-urlencoded grant_type=client_credentials&scope=${encodeURIComponent('orders:read')}`;
  expect(requests[0]).toBe(`POST /oauth2/token Basic ${basic} ${form}`);
  // A load generator that was delayed by a second skips some of the 20 requests.
  const sent = Number(/(\d+) requests?, 0 failed/.exec(applied.stdout)?.[1]);
  expect(sent).toBeGreaterThan(0);
  expect(requests.slice(1)).toEqual(Array.from({ length: sent }, () => 'GET /orders Bearer issued-token'));
  const output = `${applied.stdout}${applied.stderr}`;
  expect(output).toContain('+ 1 setup request');
  expect(output).not.toMatch(/client-secret-value|issued-token/);
});

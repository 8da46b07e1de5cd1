import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { start, temporaryFolder } from '../rig/cli.ts';
import { startHostedService, type HostedService } from '../rig/hosted-service.ts';

const FILE = `version: 1
project: shop
service:
  base_url: http://127.0.0.1:\${env:RIG_PORT}
  auth_header: acme-auth
  settle: 1s
apps: { shop: www.example.com }
tests:
  home:
    test_type: cycling
    total: 5
    duration: 1m
    urls: [http://www.example.com/]
    thresholds: { error_rate: '< 1%' }
  search:
    test_type: cycling
    total: 5
    duration: 1m
    urls: [http://www.example.com/search]
    needs: [home]
`;

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** An apply whose first run goes on until it is stopped. */
async function applying(
  ...flags: string[]
): Promise<{ service: HostedService; apply: ReturnType<typeof start> }> {
  const service = await startHostedService({ runFor: null });
  const folder = temporaryFolder();
  closing.push(() => service.close(), folder.remove);
  writeFileSync(join(folder.path, 'loadtests.yaml'), FILE);
  const env = { RIG_PORT: new URL(service.url).port, LOADTESTS_API_KEY: service.options.key };
  const apply = start(['apply', '--yes', ...flags], { folder: folder.path, env });
  await apply.saw('create     test.home');
  return { service, apply };
}

describe('a signal to apply', () => {
  test('stops the run that it started, begins nothing new, and exits 130', async () => {
    const { service, apply } = await applying();
    apply.kill('SIGINT');
    const { exit, stderr } = await apply.ended;
    expect(exit).toBe(130);
    expect(stderr).toContain('stopping test.home');
    expect(service.state.runs.map((run) => run.stopped)).toEqual([true]);
    expect(service.executed.createTest).toBe(1);
  });

  test('leaves the run alone with --on-interrupt detach, and exits 143 for SIGTERM', async () => {
    const { service, apply } = await applying('--on-interrupt', 'detach');
    apply.kill('SIGTERM');
    expect((await apply.ended).exit).toBe(143);
    expect(service.executed.stopTest).toBe(0);
    expect(service.state.runs.map((run) => run.endsAt)).toEqual([null]);
  });

  test('ends it at once the second time', async () => {
    const { service, apply } = await applying();
    service.fault({ on: 'stopTest', answer: 'hang', times: 10 });
    apply.kill('SIGINT');
    await apply.saw('stopping test.home');
    apply.kill('SIGINT');
    expect((await apply.ended).exit).toBe(130);
  });
});

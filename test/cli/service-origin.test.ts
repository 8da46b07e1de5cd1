/**
 * The API key is sent only to the service of the file, and in CI only if trusted configuration names the same
 * service.
 */
import { describe, expect, test } from 'vitest';
import { createHostedProject } from '../support/hosted-project.ts';
import { runInProcess } from '../support/in-process-cli.ts';

async function project() {
  const { service, directory, env: key } = await createHostedProject();
  return {
    service,
    run: (args: readonly string[], env: Readonly<Record<string, string>>) =>
      runInProcess(args, { directory, env: { ...key, ...env } }),
  };
}

describe('the service address in CI', () => {
  test.each([[['plan']], [['apply', '--yes']], [['status']], [['stop', '--all', '--yes']]])(
    'in CI without LOADTESTS_BASE_URL, the command %j sends no request and prints the value to set',
    async (args) => {
      const { service, run: call } = await project();
      const ran = await call(args, { CI: 'true' });
      expect(ran.exit).toBe(3);
      expect(ran.stderr).toContain('LT_CLI_ORIGIN');
      expect(ran.stderr).toContain(`hint: set LOADTESTS_BASE_URL=${service.url} in the CI settings`);
      expect(service.log).toEqual([]);
    },
  );

  test('in CI, plan exits with 3 and sends no request if LOADTESTS_BASE_URL differs from the service URL in the configuration file', async () => {
    const { service, run: call } = await project();
    const ran = await call(['plan'], { CI: '1', LOADTESTS_BASE_URL: 'https://api.example.com' });
    expect([ran.exit, service.log]).toEqual([3, []]);
  });

  test('in CI, plan succeeds if LOADTESTS_BASE_URL is equal to the service URL in the configuration file', async () => {
    const { service, run: call } = await project();
    expect((await call(['plan'], { CI: 'true', LOADTESTS_BASE_URL: service.url })).exit).toBe(0);
    expect((await call(['validate'], { CI: 'true' })).exit).toBe(0);
  });
});

test.each(['', 'false', '0'])(
  'if the variable CI has the value "%s", plan does not require LOADTESTS_BASE_URL',
  async (ci) => {
    const { run: call } = await project();
    expect((await call(['plan'], { CI: ci })).exit).toBe(0);
  },
);

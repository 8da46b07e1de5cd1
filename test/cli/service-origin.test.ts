/** The key is sent where the file says, and in CI only where trusted configuration says the same. */
import { describe, expect, test } from 'vitest';
import { createHostedProject } from '../support/hosted-project.ts';
import { runInProcess } from '../support/in-process-cli.ts';

async function project() {
  const { service, directory: directory, env: key } = await createHostedProject();
  return {
    service,
    run: (args: readonly string[], env: Readonly<Record<string, string>>) =>
      runInProcess(args, { directory, env: { ...key, ...env } }),
  };
}

describe('in CI', () => {
  test.each([[['plan']], [['apply', '--yes']], [['status']], [['stop', '--all', '--yes']]])(
    '%j sends nothing where LOADTESTS_BASE_URL is not set, and says what to set',
    async (args) => {
      const { service, run: call } = await project();
      const ran = await call(args, { CI: 'true' });
      expect(ran.exit).toBe(3);
      expect(ran.stderr).toContain('LT_CLI_ORIGIN');
      expect(ran.stderr).toContain(`set: LOADTESTS_BASE_URL=${service.url}\n`);
      expect(service.log).toEqual([]);
    },
  );

  test('another origin than that of the file gets nothing either', async () => {
    const { service, run: call } = await project();
    const ran = await call(['plan'], { CI: '1', LOADTESTS_BASE_URL: 'https://api.example.com' });
    expect([ran.exit, service.log]).toEqual([3, []]);
  });

  test('the service that both name is asked', async () => {
    const { service, run: call } = await project();
    expect((await call(['plan'], { CI: 'true', LOADTESTS_BASE_URL: service.url })).exit).toBe(0);
    expect((await call(['validate'], { CI: 'true' })).exit).toBe(0);
  });
});

test.each(['', 'false', '0'])('CI=%s is no CI', async (ci) => {
  const { run: call } = await project();
  expect((await call(['plan'], { CI: ci })).exit).toBe(0);
});

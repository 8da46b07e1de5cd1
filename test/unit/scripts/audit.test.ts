/** The audit of what is shipped, against a registry on this machine. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

interface Advisory {
  readonly name: string;
  readonly severity: string;
}

/** Null: the registry does not know audits. */
async function audit(advisories: readonly Advisory[] | null) {
  const server = createServer((request, response) => {
    const responses = advisories !== null && request.url?.endsWith('/advisories/bulk') === true;
    response.writeHead(responses ? 200 : 405, { 'content-type': 'application/json' });
    const found = (advisories ?? []).map(({ name, severity }, index) => [
      name,
      [{ id: index + 1, url: 'https://example.com/1', title: 'A hole', severity, vulnerable_versions: '*' }],
    ]);
    response.end(responses ? JSON.stringify(Object.fromEntries(found)) : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server's address.
  const { port } = server.address() as AddressInfo;
  const env = {
    ...process.env,
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_fetch_retries: '0',
  };
  return await new Promise<{ readonly code: number; readonly text: string }>((resolve) => {
    const child = execFile(
      'node',
      ['scripts/audit-dependencies.mjs'],
      { cwd: ROOT, env },
      (_, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, text: stdout + stderr });
      },
    );
  });
}

describe('the audit of what is shipped', () => {
  test('fails for an advisory on a package that is bundled, although npm knows it as a dev dependency', async () => {
    const { code, text } = await audit([{ name: 'fastify', severity: 'high' }]);
    expect(text).toMatch(/^high: fastify \d+\.\d+\.\d+: A hole \(https:\/\/example\.com\/1\)$/m);
    expect(code).toBe(1);
  });

  test('fails for one on what is installed with the package', async () => {
    expect(await audit([{ name: 'libsql', severity: 'moderate' }])).toMatchObject({ code: 1 });
  });

  test('passes for one on a package that only builds or tests, and for one of low severity', async () => {
    const given = [
      { name: 'eslint', severity: 'critical' },
      { name: 'commander', severity: 'low' },
    ];
    const { code, text } = await audit(given);
    expect(text).toMatch(/^\d+ shipped packages checked, 0 known advisories$/m);
    expect(code).toBe(0);
  });

  test('says so where the registry does not answer audits, and passes', async () => {
    const { code, text } = await audit(null);
    expect(text).toContain('not checked: the registry does not answer audits');
    expect(code).toBe(0);
  });
});

/** Audit of the shipped dependencies against a local registry. */
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

/**
 * Runs the audit.
 * @param advisories - Advisories of the registry; null if the registry does not support audits.
 */
async function audit(advisories: readonly Advisory[] | null) {
  const server = createServer((request, response) => {
    const isAudit = advisories !== null && request.url?.endsWith('/advisories/bulk') === true;
    response.writeHead(isAudit ? 200 : 405, { 'content-type': 'application/json' });
    const found = (advisories ?? []).map(({ name, severity }, index) => [
      name,
      [{ id: index + 1, url: 'https://example.com/1', title: 'A hole', severity, vulnerable_versions: '*' }],
    ]);
    response.end(isAudit ? JSON.stringify(Object.fromEntries(found)) : '{}');
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

describe('the audit of shipped dependencies', () => {
  test('the audit reports the advisories on a bundled package, which is a development dependency, and on a runtime dependency, and fails', async () => {
    const { code, text } = await audit([
      { name: 'fastify', severity: 'high' },
      { name: 'libsql', severity: 'moderate' },
      { name: 'eslint', severity: 'critical' },
    ]);
    expect(text).toMatch(/^high: fastify \d+\.\d+\.\d+: A hole \(https:\/\/example\.com\/1\)$/m);
    expect(text).toMatch(/^moderate: libsql \d+\.\d+\.\d+: A hole/m);
    expect(text).toMatch(/^\d+ shipped packages checked, 2 known advisories$/m);
    expect(code).toBe(1);
  });

  test('the audit ignores advisories on build tools and advisories of low severity', async () => {
    const advisories = [
      { name: 'eslint', severity: 'critical' },
      { name: 'commander', severity: 'low' },
    ];
    const { code, text } = await audit(advisories);
    expect(text).toMatch(/^\d+ shipped packages checked, 0 known advisories$/m);
    expect(code).toBe(0);
  });

  test('the audit passes with a notice if the registry does not support audits', async () => {
    const { code, text } = await audit(null);
    expect(text).toContain('not checked: the registry does not answer audits');
    expect(code).toBe(0);
  });
});

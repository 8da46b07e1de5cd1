/** Fixtures of invalid files with their expected problems. `GOLDEN=write` updates them. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linesOf, loaded, loadText } from './load-text.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/config');
const directory = join(fixtures, 'problems');
const names = readdirSync(directory).filter((name) => name.endsWith('.yaml'));

describe('invalid files', () => {
  it.each(names)('all problems in the file %s are reported with their locations', (name) => {
    const result = loadText(readFileSync(join(directory, name), 'utf8'));
    expect(result.ok).toBe(false);
    const actual = `${linesOf(result.ok ? [] : result.problems).join('\n')}\n`;
    const golden = join(directory, name.replace(/\.yaml$/, '.problems'));
    if (process.env['GOLDEN'] === 'write') writeFileSync(golden, actual);
    expect(actual).toBe(readFileSync(golden, 'utf8'));
  });
});

describe('the fixture full.yaml', () => {
  const text = readFileSync(join(fixtures, 'full.yaml'), 'utf8');

  it('loading the fixture full.yaml causes only a warning about the unset secret', () => {
    const result = loadText(text);
    expect(result.ok && linesOf(result.warnings)).toEqual([
      expect.stringContaining('warning LT_CONFIG_SECRET_MISSING: "${secret:SHOP_PASSWORD}" is not set'),
    ]);
    expect(result.ok && result.value.missingSecrets.map(({ name }) => name)).toEqual(['SHOP_PASSWORD']);
  });

  it('loading the fixture full.yaml returns the declared values', () => {
    const { desired, service, webServer } = loaded(text, { env: { SHOP_PASSWORD: 'hidden' } });
    expect(service).toEqual({
      baseUrl: 'https://api.example.com',
      authHeader: 'service-auth',
      apiKeyEnv: 'LOADTESTS_API_KEY',
      tokenPrefix: 'service',
      requestTimeout: 30_000,
      settle: 65_000,
      allowPlainHttp: false,
    });
    expect(webServer).toEqual({
      command: 'node server.mjs',
      url: 'http://127.0.0.1:4080/',
      reuseExisting: true,
      timeout: 30_000,
    });
    expect(desired.limits).toEqual({
      maxConnections: 1000,
      maxDuration: 600_000,
      hosts: ['127.0.0.1:4080', '*.example.com'],
    });
    expect(desired.moved).toEqual(new Map([['basket', 'checkout']]));
    const checkout = desired.tests.find(({ key }) => key === 'checkout');
    expect(checkout).toMatchObject({
      needs: ['warmup'],
      parallel: false,
      adopt: 'f133e9e3aa',
      source: { line: 54, column: 3, length: 8 },
      spec: {
        total: 250,
        duration: 90_000,
        timeout: 10_000,
        scheduledAt: Date.UTC(2026, 11, 24, 3),
        notes: 'Before the sale.\nAsk the shop team first.',
      },
    });
    expect(checkout?.thresholds.map(({ limit, value }) => [limit, value])).toEqual([
      ['< 1%', 1],
      ['< 300ms', 300],
      ['>= 1000', 1000],
    ]);
  });

  it('the serialized configuration of the fixture full.yaml masks the secret', () => {
    const { desired } = loaded(text, { env: { SHOP_PASSWORD: 'hidden' } });
    expect(JSON.stringify(desired)).not.toContain('hidden');
    expect(JSON.stringify(desired)).toContain('***');
  });

  it('the environment "production" of the fixture full.yaml merges maps and replaces other values', () => {
    const { desired } = loaded(text, { environment: 'production' });
    expect(desired.environment).toBe('production');
    expect(desired.apps[0]).toMatchObject({ host: 'www.example.com', method: 'dns' });
    expect(desired.tests.map(({ spec }) => [spec.total, spec.duration])).toEqual([
      [10, 10_000],
      [50, 90_000],
    ]);
  });
});

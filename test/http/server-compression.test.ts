/** Compression of responses for clients that accept it. */
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { API_KEY, openTestService, smallTestFields, type TestService } from '../support/test-service.ts';
import { openShop } from '../support/shop.ts';

interface Received {
  readonly encoding: string | undefined;
  readonly vary: string | undefined;
  readonly body: Buffer;
}

async function get(rig: TestService, path: string, accepted: string | null): Promise<Received> {
  const headers = {
    'service-auth': API_KEY,
    ...(accepted === null ? {} : { 'accept-encoding': accepted }),
  };
  return await new Promise((resolve, reject) => {
    request(`${rig.service.url}${path}`, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const { 'content-encoding': encoding, vary } = response.headers;
        resolve({ encoding, vary, body: Buffer.concat(parts) });
      });
    })
      .on('error', reject)
      .end();
  });
}

test('a long response is compressed only for a client that accepts gzip', async () => {
  const { service, target } = await openShop();
  for (let index = 0; index < 12; index++)
    await service.call('POST', '/v2/tests', {
      json: smallTestFields(`${target.url}/`, { name: `Test ${index}` }),
    });
  const plain = await get(service, '/v2/keys', null);
  expect(plain.encoding).toBeUndefined();
  expect(plain.vary).toBe('accept-encoding');
  const compressed = await get(service, '/v2/keys', 'br, gzip;q=0.8');
  expect(compressed.encoding).toBe('gzip');
  expect(gunzipSync(compressed.body).toString('utf8')).toBe(plain.body.toString('utf8'));
  expect(compressed.body.length * 3).toBeLessThan(plain.body.length);
  expect((await get(service, '/v2/keys', 'br')).encoding).toBeUndefined();
});

test('a short response is not compressed, and a compressed script of the web UI decompresses to the original bytes', async () => {
  const rig = await openTestService({ mode: 'serve' });
  expect((await get(rig, '/healthz', 'gzip')).encoding).toBeUndefined();
  const page = (await get(rig, '/', null)).body.toString('utf8');
  const [, script = ''] = /src="([^"]+)"/.exec(page) ?? [];
  const path = `/${script.replace(/^\.?\//, '')}`;
  const [plain, compressed] = [await get(rig, path, null), await get(rig, path, 'gzip')];
  expect(compressed.encoding).toBe('gzip');
  expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true);
});

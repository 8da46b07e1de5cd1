import { describe, expect, test } from 'vitest';
import { ANY_ID, openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';

describe('app registration', () => {
  test('registering an app returns an app id and a verification id, and the app is listed as unverified', async () => {
    const rig = await openTestService();
    const response = await rig.call('POST', '/v2/apps', { form: { app: 'www.example.com' } });
    expect(response.json).toEqual({
      message: 'success',
      app_id: ANY_ID,
      verification_id: `service-${response.json.app_id}`,
    });
    const record = { app: 'www.example.com', status: 'unverified', app_id: response.json.app_id };
    expect((await rig.call('GET', '/v2/apps')).json).toEqual([record]);
    expect((await rig.call('GET', `/v2/apps/${response.json.app_id}`)).json).toEqual({
      ...record,
      method: 'http',
      checks: [],
      verification_id: `service-${response.json.app_id}`,
      verification_record: `service=${response.json.app_id}`,
    });
  });

  test('registering a host again in another spelling returns the ids of the existing app', async () => {
    const rig = await openTestService();
    const first = (await rig.call('POST', '/v2/apps', { form: { app: 'www.example.com' } })).json;
    for (const app of ['www.example.com', 'WWW.Example.COM', 'www.example.com:80', 'www.example.com:443']) {
      expect((await rig.call('POST', '/v2/apps', { form: { app } })).json).toEqual(first);
    }
    expect((await rig.call('POST', '/v2/apps', { json: { app: 'www.example.com' } })).json).toEqual(first);
    expect((await rig.call('GET', '/v2/apps')).json).toHaveLength(1);
  });

  test('a domain, its subdomain, and the domain with a port are separate apps', async () => {
    const rig = await openTestService();
    for (const app of ['example.com', 'www.example.com', 'example.com:8080']) {
      expect((await rig.call('POST', '/v2/apps', { form: { app } })).status).toBe(200);
    }
    expect((await rig.call('GET', '/v2/apps')).json).toHaveLength(3);
  });

  test.each([
    ['127.1:4080', '127.0.0.1:4080'],
    ['[::1]:4080', '[::1]:4080'],
    ['[0:0:0:0:0:0:0:1]', '[::1]'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['example.com:443', 'example.com'],
    ['[::1]:443', '[::1]'],
    ['my_host', 'my_host'],
  ])('the host %s is stored as %s', async (app, host) => {
    const rig = await openTestService();
    await rig.call('POST', '/v2/apps', { form: { app } });
    expect((await rig.call('GET', '/v2/apps')).list[0]?.app).toBe(host);
  });

  test.each([
    'http://example.com',
    'https://example.com/',
    '//example.com',
    'example.com/',
    'example.com/path',
    'example.com?x',
    'example.com#x',
    'user@example.com',
    'user:pass@example.com',
    'example.com\\path',
    'example.com:',
    'example.com:0',
    'example.com:99999',
    'example.com:8a',
    'example.com.',
    'example.com.:80',
    'example.com\u3002',
    ' example.com',
    'exa mple.com',
    'example.com\r\nx: y',
    'exa\0mple.com',
    '{{host}}.example.com',
    '%65xample.com',
    '::1',
    '[::1',
    ':80',
    '.',
  ])('the registration of the host %j is refused', async (app) => {
    const rig = await openTestService();
    const response = await rig.call('POST', '/v2/apps', { form: { app } });
    expect(response.status).toBe(422);
    expect(response.json.message).toBe('error');
    expect((await rig.call('GET', '/v2/apps')).json).toEqual([]);
  });

  test('the registration of a host of 301 characters is refused', async () => {
    const rig = await openTestService();
    expect((await rig.call('POST', '/v2/apps', { form: { app: 'x'.repeat(301) } })).status).toBe(422);
  });

  test.each([
    { app: 5 },
    { app: null },
    { app: ['a.example'] },
    { app: 'a.example', other: 1 },
    {},
    { App: 'a.example' },
  ])('an app registration with the body %j is refused', async (json) => {
    const rig = await openTestService();
    expect((await rig.call('POST', '/v2/apps', { json })).status).toBe(422);
  });
});

describe('app deletion', () => {
  test('deleting an app stops the runs of its tests, and removes the tests and their results', async () => {
    const rig = await openTestService();
    const id = await rig.verifiedApp('127.0.0.1:4080');
    const created = (await rig.call('POST', '/v2/tests', { json: smallTestFields('http://127.0.0.1:4080/') }))
      .json;
    const response = await rig.call('DELETE', `/v2/apps/${id}`);
    expect(response.status).toBe(200);
    expect(response.text).toBe('');
    expect(rig.runner.latest().stops).toEqual(['stopped']);
    expect((await rig.call('GET', '/v2/apps')).json).toEqual([]);
    expect((await rig.call('GET', '/v2/tests')).json).toEqual([]);
    expect((await rig.call('GET', `/v2/tests/${created.test_id}`)).status).toBe(404);
    expect((await rig.call('GET', `/v2/tests/${created.test_id}/results`)).status).toBe(404);
    expect((await rig.call('DELETE', `/v2/apps/${id}`)).status).toBe(404);
  });

  test('deleting an app stops, but does not delete, the tests of other apps that use the deleted app', async () => {
    const rig = await openTestService();
    await rig.verifiedApp('127.0.0.1:4080');
    const second = await rig.verifiedApp('127.0.0.1:4081');
    const urls = [{ url: 'http://127.0.0.1:4080/' }, { url: 'http://127.0.0.1:4081/' }];
    const { test_id: id } = (await rig.call('POST', '/v2/tests', { json: smallTestFields('', { urls }) }))
      .json;
    await rig.call('DELETE', `/v2/apps/${second}`);
    expect(rig.runner.latest().stops).toEqual(['stopped']);
    const record = await waitUntil(async () => {
      const { json } = await rig.call('GET', `/v2/tests/${id}`);
      return json.status === 'complete' ? json : null;
    });
    expect(record.test_id).toBe(id);
    expect((await rig.call('PUT', `/v2/tests/${id}/run`)).status).toBe(422);
  });

  test('an app that is deleted and registered again is unverified', async () => {
    const rig = await openTestService();
    const first = await rig.verifiedApp('127.0.0.1:4080');
    await rig.call('DELETE', `/v2/apps/${first}`);
    const again = (await rig.call('POST', '/v2/apps', { form: { app: '127.0.0.1:4080' } })).json;
    expect(again.app_id).not.toBe(first);
    expect((await rig.call('GET', `/v2/apps/${again.app_id}`)).json.status).toBe('unverified');
  });
});

import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EVENTS } from '../../src/server/log.ts';
import { HOUR } from '../support/test-clock.ts';
import { openCallbackReceiver } from '../support/callback-receiver.ts';
import { openEmailRelay } from '../support/email-relay.ts';
import { API_KEY, waitUntil } from '../support/test-service.ts';
import { openShop } from '../support/shop.ts';
import { openTestTarget } from '../support/test-target.ts';

test('secrets appear neither in the log, nor in lists, metrics or callbacks', async () => {
  const canary = (name: string) => `canary-${name}`;
  const relay = await openEmailRelay();
  const smtp = relay.url.replace('smtp://', `smtp://user:${canary('smtp')}@`);
  const shop = await openShop({ smtp, allowEmail: ['shop.example'] });
  const receiver = await openCallbackReceiver();
  receiver.respondWith((_, response) => {
    response.writeHead(receiver.received.length % 2 === 1 ? 500 : 200, { 'x-response': canary('response') });
    response.end(canary('response'));
  });
  const files = await openTestTarget((_, response) => {
    response.end(JSON.stringify({ keys: ['a'], values: [[canary('row')]] }));
  });
  const urls = [
    {
      url: `${shop.target.url}/?q=${canary('query')}`,
      headers: { Authorization: canary('header') },
      request_params: { token: canary('param') },
      payload_file_url: `${files.url}/?t=${canary('file')}`,
    },
    {
      url: `${shop.target.url}/`,
      request_type: 'POST',
      credentials: { login: 'ci', password: canary('password') },
      raw_post_body: canary('body'),
    },
  ];
  const create = async (changes = {}) =>
    await shop.service.call('POST', '/v2/tests', {
      json: {
        test_type: 'non-cycling',
        duration: 1,
        urls,
        notes: canary('notes'),
        callback: `${receiver.url}/${canary('path')}?t=${canary('callback')}`,
        callback_email: 'team@shop.example',
        ...changes,
      },
    });
  const { json } = await create();
  expect(json.errors).toBeUndefined();
  shop.service.runner.latest().fail(new Error('the generator died'));
  await waitUntil(() =>
    shop.service.log.some(({ event, channel }) => event === 'notice-failed' && channel === 'callback')
      ? true
      : null,
  );
  shop.clock.advance(HOUR);
  await waitUntil(() => (receiver.received.length === 2 ? true : null));
  await create({ callback: `http://user:${canary('user')}@127.0.0.1/` });
  await create({ [canary('field')]: 1 });
  await shop.service.call('GET', `/v2/${canary('route')}?key=${API_KEY}`);
  await shop.service.call('GET', '/v2/apps', { key: canary('key') });
  await shop.service.call('POST', '/v2/tests', {
    raw: { type: 'application/json', body: `{"a":"${canary('raw')}` },
  });
  await waitUntil(() => (shop.service.log.some(({ event }) => event === 'notice-delivered') ? true : null));

  const log = JSON.stringify(shop.service.log);
  expect(log).not.toContain('canary');
  expect(log).not.toContain(API_KEY);
  expect((await shop.service.call('GET', '/v2/callbacks')).text).not.toContain('canary');
  expect((await shop.service.call('GET', '/metrics')).text).not.toContain('canary');
  expect(receiver.received.map(({ body }) => body).join()).not.toContain('canary');
});

test('the event table contains exactly the events that the code logs', () => {
  const found = new Set<string>();
  for (const module of ['server', 'cluster', 'egress']) {
    const directory = new URL(`../../src/${module}/`, import.meta.url);
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      for (const match of readFileSync(new URL(name, directory), 'utf8').matchAll(/\bevent: '([a-z-]+)'/g)) {
        found.add(match[1] ?? '');
      }
    }
  }
  expect([...found].sort()).toEqual(Object.keys(EVENTS).sort());
});

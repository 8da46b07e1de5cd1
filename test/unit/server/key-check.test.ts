import { describe, expect, test } from 'vitest';
import { Secret } from '../../../src/core/model/secret.ts';
import { createKeyCheck } from '../../../src/server/key-check.ts';
import { clientAddressOf, isBehindProxy, toProxyBlock } from '../../../src/server/client-address.ts';

const KEY = 'c0ffee00c0ffee00c0ffee00c0ffee00';

function setUp() {
  let at = 0;
  const check = createKeyCheck(new Secret('key', KEY), () => at);
  return {
    wait: (ms: number) => (at += ms),
    statusOf: (clientAddress: string, header = 'wrong') =>
      check({ header, url: '/', clientAddress })?.status ?? 200,
  };
}

describe('guess limiter of the key check', () => {
  test('1,000 wrong API keys block the client that sent them, but no other client', () => {
    const { statusOf } = setUp();
    for (let count = 0; count < 1000; count++) statusOf('203.0.113.7');
    expect(statusOf('203.0.113.7', KEY)).toBe(429);
    expect(statusOf('203.0.113.8', KEY)).toBe(200);
  });

  test('the service checks the first 30 of 3,000 wrong keys that a client sends within a minute and then one every two seconds, and accepts the correct key afterward', () => {
    const { statusOf, wait } = setUp();
    const checkedAt: number[] = [];
    for (let at = 0; at < 60_000; at += 20) {
      if (statusOf('203.0.113.7') === 401) checkedAt.push(at);
      wait(20);
    }
    expect(checkedAt).toEqual([
      ...Array.from({ length: 30 }, (_, index) => 20 * index),
      ...Array.from({ length: 29 }, (_, index) => 2000 * (index + 1)),
    ]);
    // Attempts that were refused without a check do not count as failures.
    wait(2000);
    expect(statusOf('203.0.113.7', KEY)).toBe(200);
  });

  test('wrong keys from 20,000 clients do not block a new client', () => {
    const { statusOf } = setUp();
    const statuses = Array.from({ length: 20_000 }, (_, index) =>
      statusOf(`10.0.${index >> 8}.${index & 255}`),
    );
    expect(statuses.filter((status) => status !== 401)).toEqual([]);
    expect(statusOf('10.9.9.9', KEY)).toBe(200);
  });
});

describe('client address', () => {
  const requestFrom = (remoteAddress: string, forwarded?: string) => ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  });

  test.each([
    ['203.0.113.7', undefined, ['203.0.113.7'], '203.0.113.7'],
    ['::ffff:203.0.113.7', undefined, [], '203.0.113.7'],
    ['2001:db8:1:2:3::4', undefined, [], '2001:db8:1:2::/64'],
    // X-Forwarded-For counts only from a trusted proxy, and only its last entry.
    ['203.0.113.7', '198.51.100.1', ['127.0.0.1', '203.0.113.8'], '203.0.113.7'],
    ['127.0.0.1', '198.51.100.1, 203.0.113.9', ['127.0.0.1'], '203.0.113.9'],
    ['::ffff:127.0.0.1', '198.51.100.1', ['127.0.0.1'], '198.51.100.1'],
    ['127.0.0.1', '198.51.100.1', ['::ffff:127.0.0.1'], '198.51.100.1'],
    ['10.1.2.3', '198.51.100.1', ['10.0.0.0/8'], '198.51.100.1'],
    ['11.1.2.3', '198.51.100.1', ['10.0.0.0/8'], '11.1.2.3'],
    ['::1', '2001:db8::9', ['::1'], '2001:db8:0:0::/64'],
    ['2001:db8::1', '198.51.100.1', ['2001:db8::/32'], '198.51.100.1'],
    ['127.0.0.1', '198.51.100.1, invalid', ['127.0.0.1'], '127.0.0.1'],
    ['127.0.0.1', undefined, ['127.0.0.1'], '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1', [], '127.0.0.1'],
  ])(
    'the client address of a request from %s with X-Forwarded-For %j and the trusted proxies %j is %s',
    (peer, forwarded, proxies, expected) => {
      expect(clientAddressOf(requestFrom(peer, forwarded), proxies.map(toProxyBlock))).toBe(expected);
    },
  );

  test.each([
    [null, false],
    ['http://127.0.0.1:4900', false],
    ['http://localhost:4900', false],
    ['https://loads.example.com', true],
  ])('isBehindProxy(%j) returns %s', (publicUrl, expected) => {
    expect(isBehindProxy(publicUrl)).toBe(expected);
  });
});

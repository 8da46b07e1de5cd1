import { describe, expect, test } from 'vitest';
import { Secret } from '../../../src/core/model/secret.ts';
import { createKeyCheck } from '../../../src/server/key-check.ts';
import { isBehindProxy, clientAddressOf } from '../../../src/server/client-address.ts';

const KEY = 'c0ffee00c0ffee00c0ffee00c0ffee00';

function opened() {
  let at = 0;
  const check = createKeyCheck(new Secret('key', KEY), () => at);
  return {
    wait: (ms: number) => (at += ms),
    statusOf: (clientAddress: string, header = 'wrong') =>
      check({ header, url: '/', clientAddress })?.status ?? 200,
  };
}

describe('wrong keys', () => {
  test('of one visitor hold up nobody else', () => {
    const { statusOf } = opened();
    for (let count = 0; count < 1000; count++) statusOf('203.0.113.7');
    expect(statusOf('203.0.113.7', KEY)).toBe(429);
    expect(statusOf('203.0.113.8', KEY)).toBe(200);
  });

  test('are looked at thirty times a minute at most, however many come', () => {
    const { statusOf, wait } = opened();
    let looked = 0;
    for (let count = 0; count < 60 * 50; count++) {
      if (statusOf('203.0.113.7') === 401) looked++;
      wait(20);
    }
    expect(looked).toBeLessThanOrEqual(30 + 30);
    // Nothing that was refused unseen is held against anybody.
    wait(2000);
    expect(statusOf('203.0.113.7', KEY)).toBe(200);
  });

  test('of any number of visitors take a bounded place', () => {
    const { statusOf } = opened();
    for (let one = 0; one < 20_000; one++) expect(statusOf(`10.0.${one >> 8}.${one & 255}`)).toBe(401);
    expect(statusOf('10.9.9.9', KEY)).toBe(200);
  });
});

describe('a visitor', () => {
  const from = (remoteAddress: string, forwarded?: string) => ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  });

  test.each([
    ['203.0.113.7', undefined, true, '203.0.113.7'],
    ['::ffff:203.0.113.7', undefined, false, '203.0.113.7'],
    ['2001:db8:1:2:3::4', undefined, false, '2001:db8:1:2::/64'],
    // Only a proxy on this machine is believed, and of what it says only its own word.
    ['203.0.113.7', '198.51.100.1', true, '203.0.113.7'],
    ['127.0.0.1', '198.51.100.1, 203.0.113.9', true, '203.0.113.9'],
    ['127.0.0.1', '198.51.100.1, nobody', true, '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1', false, '127.0.0.1'],
  ])('from %s, forwarded for %s, behind a proxy: %s: %s', (peer, forwarded, behindProxy, visitor) => {
    expect(clientAddressOf(from(peer, forwarded), behindProxy)).toBe(visitor);
  });

  test.each([
    [null, false],
    ['http://127.0.0.1:4900', false],
    ['http://localhost:4900', false],
    ['https://loads.example.com', true],
  ])('of the service at %s comes through a proxy: %s', (publicUrl, expected) => {
    expect(isBehindProxy(publicUrl)).toBe(expected);
  });
});

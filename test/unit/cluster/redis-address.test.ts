import { describe, expect, test } from 'vitest';
import { holdsPassword, parseRedisAddress } from '../../../src/cluster/redis-address.ts';
import { ProblemError } from '../../../src/core/problem.ts';

describe('Redis addresses', () => {
  test.each([
    ['redis://localhost', { kind: 'server', server: { host: 'localhost', port: 6379 }, tls: false }],
    ['redis://10.0.0.1:7000/3', { kind: 'server', server: { host: '10.0.0.1', port: 7000 }, tls: false }],
    [
      'rediss://cache.example.com',
      { kind: 'server', server: { host: 'cache.example.com', port: 6379 }, tls: true },
    ],
    ['redis://[::1]:6380', { kind: 'server', server: { host: '::1', port: 6380 }, tls: false }],
    ['unix:///run/redis.sock', { kind: 'socket', path: '/run/redis.sock' }],
    [
      'rediss+sentinel://a,b:5000,[::1]:7/main/2',
      {
        kind: 'sentinel',
        sentinels: [
          { host: 'a', port: 26379 },
          { host: 'b', port: 5000 },
          { host: '::1', port: 7 },
        ],
        name: 'main',
        tls: true,
        password: null,
      },
    ],
  ])(
    'parseRedisAddress returns the location of the address %s, and null as its user and password',
    (text, location) => {
      expect(parseRedisAddress(text)).toMatchObject({ location, user: null, password: null });
    },
  );

  test('the database number of a Redis address is parsed, and defaults to 0', () => {
    expect(parseRedisAddress('redis://h/7').database).toBe(7);
    expect(parseRedisAddress('redis://h/').database).toBe(0);
    expect(parseRedisAddress('redis+sentinel://h/name/3').database).toBe(3);
  });

  test.each([
    ['redis://:p%40ss%2F@h', null, 'p@ss/', 'redis://h'],
    ['redis://me:a:b@h:1', 'me', 'a:b', 'redis://h:1'],
    ['redis://me:a@b@h:1', 'me', 'a@b', 'redis://h:1'],
    ['redis+sentinel://me:x@a,b/main', 'me', 'x', 'redis+sentinel://a,b/main'],
    ['unix://:secret@/run/redis.sock', null, 'secret', 'unix:///run/redis.sock'],
  ])(
    'the credentials in the Redis address %s are parsed, and the display address omits them',
    (text, user, password, shown) => {
      const address = parseRedisAddress(text);
      expect([address.user, address.password?.reveal(), address.displayAddress]).toEqual([
        user,
        password,
        shown,
      ]);
      expect(JSON.stringify(address)).not.toContain(password);
    },
  );

  test('a Redis address can contain a separate password for the sentinels, which the display address omits', () => {
    const { location, displayAddress } = parseRedisAddress(
      'redis+sentinel://a/main?sentinel_password=deep%26secret',
    );
    expect(location.kind === 'sentinel' ? location.password?.reveal() : null).toBe('deep&secret');
    expect(displayAddress).toBe('redis+sentinel://a/main');
  });

  test.each([
    'canary',
    'http://canary',
    'redis://',
    'redis://canary@h',
    'redis://:canary@h:99999',
    'redis://:canary@h/first',
    'redis://:canary%ZZ@h',
    'redis://:canary@h?tls=true',
    'redis://:can/ary@h',
    'redis+sentinel://canary:26379',
    'redis+sentinel://a b/canary',
    'redis+sentinel://a/canary/0/1',
    'unix://canary/x',
    'unix://:canary@h/x',
    'unix://',
    'redis://h?sentinel_password=canary',
  ])('the invalid Redis address %s is rejected, and the error does not quote the address', (text) => {
    try {
      parseRedisAddress(text);
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      expect(error.problem).toMatchObject({ code: 'LT_CLUSTER_REDIS' });
      expect(error.problem.message).toMatch(/^the Redis address /);
      expect(JSON.stringify(error.problem)).not.toContain('canary');
    }
  });

  test.each([
    ['redis://h', false],
    ['redis://:x@h', true],
    ['redis://u:x@h/1', true],
    ['redis+sentinel://a,b/main', false],
    ['redis+sentinel://a,b/main?sentinel_password=x', true],
    ['nonsense://u:x@', true],
  ])('holdsPassword(%s) returns %j', (text, holds) => {
    expect(holdsPassword(text)).toBe(holds);
  });
});

/** Requests whose URL is the value of a variable: they are sent only to hosts of the job. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileJob } from '../../../src/engine/request-compiler.ts';
import { toByteString } from '../../../src/engine/request-template.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { scaleCount } from '../../support/test-scale.ts';

const OTHER = { hostname: 'other.test', authority: 'other.test:81', port: 81 };
const JOB = jobOf([
  targetOf(80, {
    hostname: 'shop.test',
    authority: 'shop.test',
    variables: [{ name: 'next', header: 'location' }],
  }),
  targetOf(80, { hostname: 'shop.test', authority: 'shop.test', path: '/{{next}}', resolveUrl: true }),
  targetOf(81, OTHER),
  targetOf(443, { secure: true, hostname: 'shop.test', authority: 'shop.test' }),
]);

/** Returns the destination and the request line and host of the request for a value; null if it cannot be sent. */
function requestFor(value: string | undefined): string | null {
  const { targets, slotCount } = compileJob(JOB);
  const values = Array.from({ length: slotCount }, (): string | undefined => undefined);
  values[targets[1]?.variables[0]?.index ?? 0] = value === undefined ? undefined : toByteString(value);
  const target = targets[1]?.resolve?.(values) ?? null;
  const text = target?.parts.write(values) ?? null;
  if (target === null || text === null) return target === null ? null : 'no value';
  const [line = '', host = ''] = text.split('\r\n');
  return `${target.destination} ${line.split(' ')[1] ?? ''} ${host}`;
}

describe('a request whose URL is the value of a variable', () => {
  test.each([
    ['/orders/7?x=a%20b', '0 /orders/7?x=a%20b Host: shop.test'],
    ['http://shop.test/orders', '0 /orders Host: shop.test'],
    ['HTTP://SHOP.test:80/a/../b#part', '0 /b Host: shop.test'],
    ['http://other.test:81/b?c', '1 /b?c Host: other.test:81'],
    ['//other.test:81/b', '1 /b Host: other.test:81'],
    ['https://shop.test/secure', '2 /secure Host: shop.test'],
    ['/café', '0 /caf%C3%A9 Host: shop.test'],
    ['/a\r\nX-Evil: 1', '0 /aX-Evil:%201 Host: shop.test'],
  ])(
    'for the URL value %j, the destination index, path and Host header of the request are "%s"',
    (value, request) => {
      expect(requestFor(value)).toBe(request);
    },
  );

  test('a request is not sent if the variable with its URL has no value', () => {
    expect(requestFor(undefined)).toBe('no value');
  });

  test.each([
    '',
    'orders/7',
    '?page=2',
    'http://evil.test/',
    'http://other.test/',
    'https://other.test:81/',
    'http://shop.test@evil.test/',
    'http://user:password@shop.test/',
    'http://shop.test.evil.test/',
    '//evil.test/',
    '/\\evil.test/',
    'http:/\\evil.test',
    'ftp://shop.test/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://',
  ])('a request is not sent if the variable with its URL has the value %j', (value) => {
    expect(requestFor(value)).toBeNull();
  });

  test('a request whose URL is the value of a variable is sent only to hosts of the test, and the value adds no header line', () => {
    const piece = fc.constantFrom(
      ...['http:', 'https:', '/', '//', '\\', '@', ':', '?', '#', '\r\n', '\0', ' ', '%0d%0a', '..'],
      ...['shop.test', 'other.test:81', 'evil.test', '127.0.0.1', '{{next}}', 'é'],
    );
    const { targets } = compileJob(JOB);
    const lines = targets[0]?.bytes?.toString('latin1').split('\r\n').length;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const { slotCount, targets: compiled } = compileJob(JOB);
        const values = Array.from({ length: slotCount }, (): string | undefined => undefined);
        values[0] = toByteString(pieces.join(''));
        const target = compiled[1]?.resolve?.(values) ?? null;
        if (target === null) return;
        const text = target.parts.write(values) ?? '';
        expect(text.split('\r\n')).toHaveLength(lines ?? 0);
        expect(text).toMatch(/^GET \/[!-~]* HTTP\/1\.1\r\nHost: (?:shop\.test|other\.test:81)\r\n/);
        expect(text).toContain(`Host: ${compiled[[0, 2, 3][target.destination] ?? -1]?.parts.authority}\r\n`);
      }),
      { numRuns: scaleCount(300) },
    );
  });
});

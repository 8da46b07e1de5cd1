/** Overlays of environments: changes and removals. */
import { describe, expect, it } from 'vitest';
import { linesOf, loaded, problemsOf } from './load-text.ts';

function fileWith(overlay: string): string {
  return `version: 1
project: shop
apps:
  shop: { app: shop.example.com, verification: { directory: public, wait: 5s } }
  other: other.example.com
limits: { max_connections: 10, max_duration: 5m }
defaults: { test_type: cycling, duration: 1m, url: { headers: { X-Default: a } } }
tests:
  home:
    total: 5
    timeout: 3s
    thresholds: { p95: < 300ms, error_rate: < 1% }
    urls: [{ url: 'http://shop.example.com/', headers: { x-DEFAULT: b, X-Own: c } }]
  cart: { urls: ['http://shop.example.com/cart'] }
environments:
  ci: ${overlay}
`;
}

const chosen = (overlay: string) => loaded(fileWith(overlay), { environment: 'ci' }).desired;

describe('null values in an environment', () => {
  it('null in an environment removes a field of a test', () => {
    const [home] = chosen('{ tests: { home: { total: null, timeout: ~ } } }').tests;
    expect(home?.spec).toMatchObject({ total: null, timeout: null, duration: 60_000 });
  });

  it('null in an environment removes a test, an app, a threshold and a limit', () => {
    const desired = chosen(
      '{ apps: { other: null }, limits: { max_duration: }, tests: { cart: null, home: { thresholds: { p95: null } } } }',
    );
    expect(desired.apps.map(({ key }) => key)).toEqual(['shop']);
    expect(desired.limits).toMatchObject({ maxConnections: 10, maxDuration: null });
    expect(desired.tests.map(({ key, thresholds }) => [key, thresholds.map(({ metric }) => metric)])).toEqual(
      [['home', ['error_rate']]],
    );
  });

  it('null is valid in an environment that is not selected', () => {
    expect(problemsOf(fileWith('{ tests: { home: { total: null }, cart: null } }'))).toEqual([]);
  });

  it('null in an environment causes an error for an unknown field, and for a field that the test does not set', () => {
    const text = fileWith('{ tests: { home: { totl: null, initial: null } } }');
    const lines = linesOf(problemsOf(text, { environment: 'ci' }));
    expect(lines).toEqual([
      expect.stringContaining('unknown key "totl"; did you mean "total"?'),
      expect.stringContaining('"initial" has no value'),
    ]);
  });

  it.each([
    ['test', '{ tests: { hme: null, cart: null } }', 'hme', 'did you mean "home"?'],
    ['app', '{ apps: { shops: null } }', 'shops', 'did you mean "shop"?'],
    ['test', '{ tests: { unrelated: null } }', 'unrelated', 'remove the key "unrelated"'],
  ])('null for a %s that the file does not declare causes an error in %s', (kind, overlay, key, hint) => {
    const [found, ...others] = problemsOf(fileWith(overlay), { environment: 'ci' });
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      message: `null removes the ${kind} "${key}", but the file does not declare it`,
      hint,
      source: { length: key.length },
    });
  });

  it('null in a test causes an error, even if the defaults set the field', () => {
    const text = fileWith('{}').replace('cart: { urls', 'cart: { duration: null, urls');
    expect(linesOf(problemsOf(text)).join()).toContain('"duration" has no value');
  });
});

describe('merging of environments', () => {
  it.each([
    ['{ command: ./publish }', { kind: 'command', command: './publish' }],
    ['{ manual: true }', { kind: 'manual' }],
    ['{ directory: other }', { kind: 'directory', directory: 'other' }],
    ['{ wait: 9s }', { kind: 'directory', directory: 'public' }],
  ])('the verification %s in an environment results in the publication %j', (verification, publish) => {
    const [shop] = chosen(`{ apps: { shop: { verification: ${verification} } } }`).apps;
    expect(shop?.publish).toEqual(publish);
  });

  it('headers of the defaults, an environment and a URL are merged by name, regardless of the case of the name', () => {
    const headersOf = (overlay: string) =>
      chosen(overlay).tests[1]?.spec.targets[0]?.headers?.map(({ name, value }) => [name, value]);
    expect(headersOf('{}')).toEqual([['X-Default', 'a']]);
    const overlay = '{ defaults: { url: { headers: { x-default: z } } } }';
    expect(headersOf(overlay)).toEqual([['x-default', 'z']]);
    expect(headersOf('{ defaults: { url: { headers: { x-default: null } } } }')).toEqual([]);
    expect(chosen(overlay).tests[0]?.spec.targets[0]?.headers).toEqual([
      { name: 'x-DEFAULT', value: 'b' },
      { name: 'X-Own', value: 'c' },
    ]);
  });
});

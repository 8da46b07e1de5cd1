/** Kinds of changes to the fields of a file. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../src/core/canonical.ts';
import { changeKind } from '../../../../src/core/reconcile/change-kind.ts';

function kindOf(address: string, path: string, before: Json | undefined, after: Json | undefined): string {
  return changeKind(address, path.split('/'), {
    before: before ?? null,
    after: after ?? null,
    added: before === undefined,
    removed: after === undefined,
  });
}

describe('kinds of changes', () => {
  test.each<readonly [address: string, path: string, loose: Json, strict: Json]>([
    ['limits', 'max_connections', 300, '200'],
    ['limits', 'max_duration', '10m', '599s'],
    ['limits', 'max_duration', 600, '599s'],
    ['limits', 'max_duration', '601', 600],
    ['limits', 'hosts', ['a', 'b'], ['b']],
    ['test.home', 'connection/tls_min', '1.2', '1.3'],
    ['app.shop', 'connection/tls_min', 1.2, '1.3'],
    ['app.shop', 'connection/tls_min', null, '1.3'],
    ['test.home', 'error_threshold', 51, 50],
    ['test.home', 'error_threshold', '51', null],
    ['test.home', 'error_threshold', null, 49],
    ['test.home', 'timeout', '3s', '2999ms'],
    ['test.home', 'timeout', '11s', null],
    ['test.home', 'timeout', null, '9s'],
    ['test.home', 'tls_verify', false, true],
    ['test.home', 'tls_verify', 'false', null],
    ['test.home', 'thresholds/p95', '< 2s', '< 1s'],
    ['test.home', 'thresholds/p95', '<= 1s', '< 1s'],
    ['test.home', 'thresholds/requests', '> 5', '> 6'],
    ['test.home', 'thresholds/requests', '>= 5', '> 5'],
    ['test.home', 'thresholds/p95/abort_after', '10s', '9s'],
    ['test.home', 'thresholds/p95/min_samples', 100, 101],
    ['test.home', 'thresholds/p95/min_samples', 1, null],
    ['test.home', 'regression/p95', '11%', '10%'],
    ['test.home', 'expect/status', [200, 404], [200]],
    ['test.home', 'expect/status', '2xx', [200, 201]],
    ['test.home', 'urls/0/expect/status', ['2XX', 404], 404],
  ])(
    'in %s, the field %s is less strict with the value %j than with the value %j',
    (address, path, loose, strict) => {
      expect(kindOf(address, path, strict, loose)).toBe('loosened');
      expect(kindOf(address, path, loose, strict)).toBe('tightened');
    },
  );

  test.each<readonly [address: string, path: string, before: Json, after: Json]>([
    ['limits', 'max_connections', 'many', 5],
    ['limits', 'max_connections', 5, '5'],
    ['limits', 'hosts', ['a'], 'a'],
    ['limits', 'hosts', 'a', ['a']],
    ['web_server', 'timeout', '1s', '2s'],
    ['app.shop', 'timeout', '1s', '2s'],
    ['app.shop', 'tls_min', '1.2', '1.3'],
    ['test.home', 'connection/ip', 4, 6],
    ['test.home', 'tls_verify', true, null],
    ['test.home', 'tls_verify', 'no', 'true'],
    ['test.home', 'timeout', 'soon', '2s'],
    ['test.home', 'headers/timeout', '1s', '2s'],
    ['test.home', 'total', 5, 6],
    ['test.home', 'thresholds/p95', '< 1s', '> 2s'],
    ['test.home', 'thresholds/p95', '> 1s', '< 2s'],
    ['test.home', 'thresholds/speed', '< 1s', '< 2s'],
    ['test.home', 'thresholds/p95', 5, '< 2s'],
    ['test.home', 'thresholds/p95', '< 2s', 5],
    ['test.home', 'thresholds/p95', 'fast', '< 2s'],
    ['test.home', 'thresholds/p95', '< 2s', 'fast'],
    ['test.home', 'thresholds/p95/limit', 5, 6],
    ['test.home', 'regression/p95', 'much', '10%'],
    ['test.home', 'regression/p95', 5, '10%'],
    ['test.home', 'expect/body', 'a', 'b'],
    ['test.home', 'expect/status', [200], [201]],
    ['test.home', 'expect/status', [200, 301], ['2xx', 404]],
  ])(
    'in %s, the field %s is neither more nor less strict with the value %j than with the value %j',
    (address, path, before, after) => {
      expect(kindOf(address, path, before, after)).toBe('changed');
    },
  );

  test.each<readonly [address: string, path: string, value: Json]>([
    ['limits', 'max_connections', 5],
    ['limits', 'hosts', ['a']],
    ['test.home', 'thresholds/p95', '< 1s'],
    ['test.home', 'regression/p95', '10%'],
    ['test.home', 'expect/status', [200]],
    ['test.home', 'expect/body', 'a'],
    ['test.home', 'total', 5],
    ['app.shop', 'verification/command', './x'],
  ])('in %s, the field %s with the value %j is reported as added or removed', (address, path, value) => {
    expect(kindOf(address, path, undefined, value)).toBe('added');
    expect(kindOf(address, path, value, undefined)).toBe('removed');
  });

  test('an added or removed field with a known default is reported as loosened or tightened if its value differs from the default', () => {
    expect(kindOf('test.home', 'timeout', undefined, '11s')).toBe('loosened');
    expect(kindOf('test.home', 'timeout', undefined, '10s')).toBe('added');
    expect(kindOf('test.home', 'timeout', '9s', undefined)).toBe('loosened');
    expect(kindOf('test.home', 'tls_verify', undefined, false)).toBe('loosened');
    expect(kindOf('test.home', 'tls_verify', false, undefined)).toBe('tightened');
    expect(kindOf('test.home', 'connection/tls_min', undefined, '1.3')).toBe('tightened');
    expect(kindOf('test.home', 'connection/tls_min', undefined, '1.2')).toBe('added');
  });
});

/** Comparison of the load of tests, regardless of names, notes and the values of secrets. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../../src/cli/files/sha256.ts';
import type { ObservedTest } from '../../../../src/core/model/load-test.ts';
import { ReturnedText, Secret } from '../../../../src/core/model/secret.ts';
import {
  loadDifferencesBetween,
  loadDifferencesFromSpec,
  loadDigest,
} from '../../../../src/core/reconcile/load-digest.ts';
import { readMarker } from '../../../../src/core/reconcile/ownership-marker.ts';
import { simulateApply } from '../../../../src/core/reconcile/simulated-apply.ts';
import { declaredTest, declareState, type TestFields } from '../../../support/declared-state.ts';

const specOf = (fields: TestFields) => declaredTest('home', fields, []).spec;

function applied(fields: TestFields) {
  const [test] = simulateApply(declareState().test('home', fields).state, sha256, 0).tests;
  const reading = readMarker(test?.notes ?? null);
  if (test === undefined || reading.kind !== 'marker') throw new Error('no test');
  return { test, marker: reading.marker };
}

const withHeader = (value: string): TestFields => ({
  urls: [{ url: '/', headers: [{ name: 'X', value: { parts: ['a ', new Secret('S', value)] } }] }],
});

const BASE: TestFields = { errorThreshold: 20, total: 5, ...withHeader('one') };

/** Fields that do not change the load. */
const OTHER: readonly (readonly [string, TestFields])[] = [
  ['name', { name: 'Other' }],
  ['notes', { notes: 'Other' }],
  ['callback', { callback: 'https://ci.example/' }],
  ['callbackEmail', { callbackEmail: 'a@b.example' }],
  ['scheduledAt', { scheduledAt: 1_800_000_000_000 }],
  ['the value of a secret', withHeader('two')],
];

const LOAD: readonly (readonly [string, TestFields, object])[] = [
  ['total', { total: 6 }, { field: '/total', from: 5, to: 6, readable: true }],
  [
    'errorThreshold',
    { errorThreshold: 30 },
    { field: '/error_threshold', from: 20, to: 30, readable: false },
  ],
];

describe('the load of a test', () => {
  test.each(OTHER)('a change of %s does not change the load', (_, fields) => {
    expect(loadDigest(specOf({ ...BASE, ...fields }), sha256)).toBe(loadDigest(specOf(BASE), sha256));
    expect(loadDifferencesFromSpec(applied(BASE), specOf({ ...BASE, ...fields }), sha256)).toEqual([]);
    expect(loadDifferencesBetween(applied(BASE).test, applied({ ...BASE, ...fields }).test)).toEqual([]);
  });

  test.each(LOAD)('a change of %s changes the load', (_, fields, change) => {
    expect(loadDigest(specOf({ ...BASE, ...fields }), sha256)).not.toBe(loadDigest(specOf(BASE), sha256));
    expect(loadDifferencesFromSpec(applied(BASE), specOf({ ...BASE, ...fields }), sha256)).toEqual([change]);
    expect(loadDifferencesBetween(applied(BASE).test, applied({ ...BASE, ...fields }).test)).toEqual([
      { ...change, readable: true },
    ]);
  });

  test('the digest of the load contains the digests of the listed and of the other fields', () => {
    expect(loadDigest(specOf({ name: 'Other' }), sha256)).toBe('49d1f35779d3.50.4f53cda1');
  });

  test('a rotated secret of a listed test does not change the load', () => {
    const own = applied(BASE);
    const headers = [{ name: 'X', value: new ReturnedText('a two') }];
    const rotated: ObservedTest = {
      ...own.test,
      targets: () => own.test.targets().map((target) => ({ ...target, headers })),
    };
    expect(loadDifferencesFromSpec({ ...own, test: rotated }, specOf(BASE), sha256)).toEqual([]);
    expect(
      loadDifferencesFromSpec({ ...own, test: rotated }, specOf({ ...BASE, total: 6 }), sha256),
    ).toHaveLength(1);
  });
});

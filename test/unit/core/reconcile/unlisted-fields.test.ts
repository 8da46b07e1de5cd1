/** Values of fields that the base API does not list, and the fields that a replacement loses. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../../src/cli/files/sha256.ts';
import type { ObservedTest, VariableSpec } from '../../../../src/core/model/load-test.ts';
import { readMarker } from '../../../../src/core/reconcile/ownership-marker.ts';
import { simulateApply } from '../../../../src/core/reconcile/simulated-apply.ts';
import {
  findLostFields,
  readUnlistedFields,
  type UnlistedFields,
} from '../../../../src/core/reconcile/unlisted-fields.ts';
import { declaredTest, declareState, type TestFields } from '../../../support/declared-state.ts';

const VARIABLES: readonly VariableSpec[] = [{ name: 'a', property: 'X', source: 'header' }];
const WITH_VARIABLES: TestFields = { errorThreshold: 20, urls: ['/', { url: '/b', variables: VARIABLES }] };
const WITHOUT_VARIABLES: TestFields = { errorThreshold: 20, urls: ['/', '/b'] };

/**
 * Reads the fields of a test.
 * @param lists - values of the fields that the service lists: the error threshold, and the variables of each URL
 */
function read(
  fields: TestFields,
  lists: readonly [number | null, ...(readonly VariableSpec[] | null)[]],
  { marked = true } = {},
): UnlistedFields {
  const [applied] = simulateApply(declareState().test('home', fields).state, sha256, 0).tests;
  if (applied === undefined) throw new Error('no test');
  const [errorThreshold, ...variables] = lists;
  const observed: ObservedTest = {
    ...applied,
    errorThreshold,
    targets: () => applied.targets().map((one, index) => ({ ...one, variables: variables[index] ?? null })),
  };
  const reading = readMarker(applied.notes);
  return readUnlistedFields(observed, marked && reading.kind === 'marker' ? reading.marker : null, sha256);
}

describe('unlisted fields', () => {
  test('listed fields take precedence over the marker', () => {
    const known = (variables: UnlistedFields['variables']) => ({ errorThreshold: 7, variables });
    expect(read(WITH_VARIABLES, [7, [], []])).toEqual(known('none'));
    expect(read(WITHOUT_VARIABLES, [7, [], VARIABLES])).toEqual(known('listed'));
    expect(read(WITHOUT_VARIABLES, [7, [], VARIABLES], { marked: false })).toEqual(known('listed'));
  });

  test('fields that are not listed are read from the marker', () => {
    const known = (variables: UnlistedFields['variables']) => ({ errorThreshold: 20, variables });
    expect(read(WITH_VARIABLES, [null, null, null])).toEqual(known('some'));
    expect(read(WITHOUT_VARIABLES, [null, null, null])).toEqual(known('none'));
    // The service lists the variables of only one URL.
    expect(read(WITH_VARIABLES, [null, [], null])).toEqual(known('some'));
    expect(read(WITHOUT_VARIABLES, [null, VARIABLES, null])).toEqual(known('none'));
  });

  test('without a marker, fields that are not listed are unknown', () => {
    const unknown = { errorThreshold: null, variables: 'unknown' };
    expect(read(WITH_VARIABLES, [null, [], null], { marked: false })).toEqual(unknown);
  });

  test.each<readonly [TestFields, UnlistedFields, readonly (readonly [string, boolean])[]]>([
    [{}, { errorThreshold: 50, variables: 'none' }, []],
    [
      {},
      { errorThreshold: 20, variables: 'listed' },
      [
        ['error_threshold', true],
        ['variables', true],
      ],
    ],
    [{}, { errorThreshold: 50, variables: 'some' }, [['variables', true]]],
    [
      {},
      { errorThreshold: null, variables: 'unknown' },
      [
        ['error_threshold', false],
        ['variables', false],
      ],
    ],
    [{ errorThreshold: 50 }, { errorThreshold: 20, variables: 'none' }, []],
    [{ errorThreshold: 50 }, { errorThreshold: null, variables: 'none' }, []],
    [{ urls: ['/', { url: '/b', variables: [] }] }, { errorThreshold: 50, variables: 'some' }, []],
    [{ urls: ['/', { url: '/b', variables: [] }] }, { errorThreshold: 50, variables: 'unknown' }, []],
  ])(
    'a replacement by a test with the fields %j of a test with %j loses the fields %j',
    (fields, known, lost) => {
      const expected = lost.map(([name, certain]) => ({ name, certain }));
      expect(findLostFields(known, declaredTest('home', fields, []))).toEqual(expected);
    },
  );
});

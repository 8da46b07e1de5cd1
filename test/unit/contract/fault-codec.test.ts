/** The fields of a refused test, and members that a service sends instead of them. */
import { expect, test } from 'vitest';
import { encodeFaults, readFaults } from '../../../src/contract/fault-codec.ts';
import type { FieldReference } from '../../../src/core/field-reference.ts';

test('the references to fields in a refusal are unchanged after encoding and decoding', () => {
  const fields: readonly (FieldReference | null)[] = [
    { path: ['total'], about: 'value' },
    null,
    { path: ['urls', 12, 'headers', 'a/b~c'], about: 'key' },
  ];
  const faults = encodeFaults(fields);
  expect(faults).toEqual([
    { pointer: '/total', about: 'value' },
    {},
    { pointer: '/urls/12/headers/a~1b~0c', about: 'key' },
  ]);
  expect(readFaults({ faults })).toEqual(fields);
});

test.each([null, [], 'text', {}, { faults: 'none' }, { faults: {} }])(
  'readFaults finds no references to fields in the response body %j',
  (body) => {
    expect(readFaults(body)).toEqual([]);
  },
);

test('readFaults returns null for each invalid entry of a list, and reads an unknown "about" as "value"', () => {
  const faults = [null, 7, [], { pointer: 1 }, { pointer: 'total' }, { pointer: '/total', about: 'this' }];
  expect(readFaults({ faults })).toEqual([...Array<null>(5).fill(null), { path: ['total'], about: 'value' }]);
});

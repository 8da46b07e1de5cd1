/** The pure part of reading creates. The same against a server, with odd bytes: test/http/server-mutations. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCreate } from '../../../src/contract/request-codec.ts';
import { encodeTestRecord } from '../../../src/contract/test-codec.ts';
import { VALID_CREATES, change, applyChange, oddValue, withPasswords } from '../../support/near-valid.ts';
import { scaleCount } from '../../support/test-scale.ts';

const almost = fc
  .tuple(fc.constantFrom(...VALID_CREATES), fc.array(change, { maxLength: 4 }))
  .map(([base, changes]) => changes.reduce(applyChange, base));

test('a create is read or refused with reasons; its record can be posted back, and gives the same record', () => {
  fc.assert(
    fc.property(
      fc.oneof({ weight: 9, arbitrary: almost }, oddValue),
      fc.constantFrom('json', 'form'),
      (body, how) => {
        const decoded = decodeCreate(body, how);
        if ('faults' in decoded) {
          expect(decoded.faults.length).toBeGreaterThan(0);
          for (const fault of decoded.faults) expect(fault).toBeTypeOf('string');
          return;
        }
        const recordOf = ({ spec, ignored }: typeof decoded.value) =>
          encodeTestRecord({ id: 'a', status: 'complete', spec, ignored });
        const record = recordOf(decoded.value);
        const again = decodeCreate(withPasswords(record as Parameters<typeof withPasswords>[0])); // it goes out as JSON
        expect('value' in again ? recordOf(again.value) : again).toEqual(record);
      },
    ),
    { numRuns: scaleCount(5_000) },
  );
});

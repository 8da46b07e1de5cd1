/**
 * Decoding of create requests that are almost valid. test/http/server-mutations sends them to a server, with unusual
 * bytes.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCreate } from '../../../src/contract/request-codec.ts';
import { encodeTestRecord } from '../../../src/contract/test-codec.ts';
import { VALID_CREATES, change, applyChange, oddValue, withPasswords } from '../../support/near-valid.ts';
import { scaleCount } from '../../support/test-scale.ts';

const nearValidCreate = fc
  .tuple(fc.constantFrom(...VALID_CREATES), fc.array(change, { maxLength: 4 }))
  .map(([base, changes]) => changes.reduce(applyChange, base));

test('if decodeCreate accepts a nearly valid create request, it also accepts the resulting test record and returns an equal record; otherwise, it returns reasons', () => {
  fc.assert(
    fc.property(
      fc.oneof({ weight: 9, arbitrary: nearValidCreate }, oddValue),
      fc.constantFrom('json', 'form'),
      (body, format) => {
        const decoded = decodeCreate(body, format);
        if ('faults' in decoded) {
          expect(decoded.faults.length).toBeGreaterThan(0);
          for (const fault of decoded.faults) expect(fault).toBeTypeOf('string');
          return;
        }
        const recordOf = ({ spec, ignored }: typeof decoded.value) =>
          encodeTestRecord({ id: 'a', status: 'complete', spec, ignored });
        const record = recordOf(decoded.value);
        const decodedAgain = decodeCreate(withPasswords(record as Parameters<typeof withPasswords>[0])); // the API returns it as JSON
        expect('value' in decodedAgain ? recordOf(decodedAgain.value) : decodedAgain).toEqual(record);
      },
    ),
    { numRuns: scaleCount(5_000) },
  );
});

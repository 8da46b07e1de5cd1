/** What travels through Redis: opened by whoever it is for, as what it is, and unchanged; by nobody else. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Seal, type SealBinding } from '../../../src/cluster/seal.ts';
import { Secret } from '../../../src/core/model/secret.ts';

const SECRET = 'a secret that both sides know';
const ABOUT: SealBinding = { purpose: 'part', runId: 'run', workerId: 'worker', epoch: 2, ordinal: 1000 };

const sealOf = (text = SECRET) => new Seal(new Secret('LOADTESTS_WORKER_SECRET', text));

describe('a sealed text', () => {
  test('is opened by whoever knows the secret, and shows nothing of itself', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 4000 }), (text) => {
        const sealed = sealOf().seal(ABOUT, text);
        expect(sealOf().open(ABOUT, sealed)).toEqual(Buffer.from(text));
        expect(sealed.includes(Buffer.from(text))).toBe(false);
      }),
    );
  });

  test('is never sealed twice in the same way', () => {
    const seal = sealOf();
    expect(seal.seal(ABOUT, Buffer.from('x')).equals(seal.seal(ABOUT, Buffer.from('x')))).toBe(false);
  });

  test('is refused when one bit of it was changed, or any of it is missing', () => {
    const seal = sealOf();
    const sealed = seal.seal(ABOUT, Buffer.from('{"kind":"start"}'));
    fc.assert(
      fc.property(fc.nat(sealed.length * 8 - 1), fc.nat(sealed.length - 1), (bit, length) => {
        const altered = Buffer.from(sealed);
        altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(seal.open(ABOUT, altered)).toBeNull();
        expect(seal.open(ABOUT, sealed.subarray(0, length))).toBeNull();
      }),
    );
  });

  test.each([
    ['another purpose', { purpose: 'to' }],
    ['another run', { runId: 'other' }],
    ['another worker', { workerId: 'other' }],
    ['another epoch', { epoch: 3 }],
    ['another time or place in the stream', { mark: 1001 }],
    // Fields do not run into each other.
    ['a run and a worker that together read the same', { runId: 'runw', workerId: 'orker' }],
  ] as const)('is refused as one of %s', (_, other) => {
    const sealed = sealOf().seal(ABOUT, Buffer.from('text'));
    expect(sealOf().open({ ...ABOUT, ...other }, sealed)).toBeNull();
  });

  test('of somebody with another secret is refused', () => {
    expect(sealOf().open(ABOUT, sealOf('another one').seal(ABOUT, Buffer.from('text')))).toBeNull();
  });
});

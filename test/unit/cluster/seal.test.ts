import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Seal, type SealBinding } from '../../../src/cluster/seal.ts';
import { Secret } from '../../../src/core/model/secret.ts';

const SECRET = 'a secret that both sides know';
const BINDING: SealBinding = { purpose: 'offer', runId: 'run', workerId: 'worker', epoch: 2, ordinal: 1000 };

const sealOf = (text = SECRET) => new Seal(new Secret('LOADTESTS_WORKER_SECRET', text));

describe('sealed messages', () => {
  test('a sealed message can be opened with the secret and does not contain the plaintext', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 4000 }), (plaintext) => {
        const sealed = sealOf().seal(BINDING, plaintext);
        expect(sealOf().open(BINDING, sealed)).toEqual(Buffer.from(plaintext));
        expect(sealed.includes(Buffer.from(plaintext))).toBe(false);
      }),
    );
  });

  test('sealing the same message twice yields different bytes', () => {
    const seal = sealOf();
    expect(seal.seal(BINDING, Buffer.from('x')).equals(seal.seal(BINDING, Buffer.from('x')))).toBe(false);
  });

  test('a sealed message with a flipped bit or missing bytes is rejected', () => {
    const seal = sealOf();
    const sealed = seal.seal(BINDING, Buffer.from('{"kind":"start"}'));
    fc.assert(
      fc.property(fc.nat(sealed.length * 8 - 1), fc.nat(sealed.length - 1), (bit, length) => {
        const altered = Buffer.from(sealed);
        altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(seal.open(BINDING, altered)).toBeNull();
        expect(seal.open(BINDING, sealed.subarray(0, length))).toBeNull();
      }),
    );
  });

  test.each([
    ['purpose', { purpose: 'to-workers' }],
    ['run', { runId: 'other' }],
    ['worker', { workerId: 'other' }],
    ['epoch', { epoch: 3 }],
    ['position in the stream', { ordinal: 1001 }],
    // The fields are delimited.
    ['split of the same characters into run ID and worker ID', { runId: 'runw', workerId: 'orker' }],
  ] as const)('a sealed message is rejected if it is opened for a different %s', (_, other) => {
    const sealed = sealOf().seal(BINDING, Buffer.from('text'));
    expect(sealOf().open({ ...BINDING, ...other }, sealed)).toBeNull();
  });

  test('a message sealed with a different secret is rejected', () => {
    expect(sealOf().open(BINDING, sealOf('another one').seal(BINDING, Buffer.from('text')))).toBeNull();
  });
});

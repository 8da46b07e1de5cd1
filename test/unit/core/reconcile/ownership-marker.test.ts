import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findMarkedTest,
  formatMarker,
  notesWithMarker,
  plainNotes,
  readNotes,
  type Marker,
} from '../../../../src/core/reconcile/ownership-marker.ts';
import { arbitraryString } from '../../../support/arbitrary-string.ts';

const checkout: Marker = {
  project: 'shop',
  environment: 'production',
  key: 'checkout',
  listed: '9f2c41d07ab3',
  unlisted: '50.51be0c9e',
  repetition: 0,
  nonce: '5tq0mZ8c',
};
const line = formatMarker(checkout);

const anyMark = fc.record<Marker>({
  project: fc.stringMatching(/^[a-z0-9-]{1,40}$/),
  environment: fc.option(fc.stringMatching(/^[a-z0-9-]{1,40}$/)),
  key: fc.stringMatching(/^[A-Za-z0-9_.-]{1,64}$/),
  listed: fc.stringMatching(/^[0-9a-f]{12}$/),
  unlisted: fc
    .tuple(
      fc.integer({ min: 0, max: 100 }),
      fc.stringMatching(/^[0-9a-f]{8}$/),
      fc.stringMatching(/^(?:\.j[0-9a-f]{8})?$/),
    )
    .map(([threshold, variables, bodies]) => `${threshold}.${variables}${bodies}`),
  repetition: fc.nat(100),
  nonce: fc.stringMatching(/^[A-Za-z0-9]{8}$/),
});

describe('the mark', () => {
  test('is one line, with parts that are left out where there is nothing to say', () => {
    expect(line).toMatch(
      /^\[loadtests p=shop e=production k=checkout s=9f2c41d07ab3 w=50\.51be0c9e n=5tq0mZ8c c=[0-9a-z]{2}\]$/,
    );
    expect(formatMarker({ ...checkout, environment: null, repetition: 2 })).toMatch(/p=shop k=.* r=2 n=/);
  });

  test('reads as it was written, below any notes', () => {
    fc.assert(
      fc.property(anyMark, fc.option(arbitraryString()), (marker, own) => {
        const read = readNotes(notesWithMarker(own, marker));
        expect(read.reading).toEqual({ kind: 'mark', marker });
        expect(read.own).toBe(plainNotes(own));
      }),
    );
  });

  test.each([
    ['as it was sent', `Before the sale\n${line}`],
    ['with other line ends', `Before the sale\r\n${line}\r\n`],
    ['with white space at the end', `Before the sale \n${line} \n\n`],
    ['with white space at the beginning', `\n  Before the sale\n${line}`],
    ['on one line', `Before the sale ${line}`],
    ['with an older mark above', `Before the sale\n${line}`],
  ])('is known %s', (_name, notes) => {
    expect(readNotes(notes)).toEqual({ own: 'Before the sale', reading: { kind: 'mark', marker: checkout } });
  });

  test('is known where somebody wrote below it, since a test that is not a valid value would be created again', () => {
    expect(readNotes(`Before the sale\n${line}\nSeen by Ada`)).toEqual({
      own: 'Before the sale\nSeen by Ada',
      reading: { kind: 'mark', marker: checkout },
    });
  });

  test('is the last one of several', () => {
    const older = formatMarker({ ...checkout, listed: '000000000000' });
    for (const between of ['\n', ' ', '\r\n']) {
      expect(readNotes(`${older}${between}${line}`)).toEqual({
        own: older,
        reading: { kind: 'mark', marker: checkout },
      });
    }
  });

  test.each([
    ['no notes', null],
    ['empty notes', ''],
    ['the notes of a person', 'Before the sale'],
    ['a word that only begins like it', 'x[loadtests p=shop]'],
    ['a damaged one that is not last', `${line.replace('shop', 'shoq')}\nBefore the sale`],
  ])('is not in %s', (_name, notes) => {
    expect(readNotes(notes).reading).toEqual({ kind: 'none' });
  });

  test.each([
    ['cut off', `Before the sale\n${line.slice(0, 60)}`],
    ['cut off by one character', `Before the sale\n${line.slice(0, -1)}`],
    ['with another key', `Before the sale\n${line.replace('checkout', 'checkuot')}`],
    ['with a part less', `Before the sale\n${line.replace(' n=5tq0mZ8c', '')}`],
    ['with text right behind it', `Before the sale\n${line}x`],
  ])('is damaged when it is %s, and the notes above stay', (_name, notes) => {
    expect(readNotes(notes)).toEqual({ own: 'Before the sale', reading: { kind: 'damaged' } });
  });

  test('is hardly ever taken for another one when a character changes', () => {
    const changes = fc.tuple(anyMark, fc.nat(), fc.constantFrom('0', 'x', 'Z', '-', ' ', '='));
    const taken = fc.sample(changes, 5000).filter(([mark, at, character]) => {
      const whole = formatMarker(mark);
      const index = at % whole.length;
      const { reading } = readNotes(whole.slice(0, index) + character + whole.slice(index + 1));
      return reading.kind === 'mark' && formatMarker(reading.marker) !== whole;
    });
    // Two check characters let one of 1,296 through, and most changes are of something else.
    expect(taken.length).toBeLessThan(15);
  });

  test('of several tests that fit, the smallest id counts', () => {
    const tests = ['b', 'c', 'a'].map((id) => ({ id, notes: line }));
    expect(findMarkedTest(tests, ({ key }) => key === 'checkout')?.id).toBe('a');
    expect(findMarkedTest(tests, ({ key }) => key === 'home')).toBeUndefined();
  });
});

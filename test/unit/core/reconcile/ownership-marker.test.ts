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

const arbitraryMarker = fc.record<Marker>({
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

describe('ownership markers', () => {
  test('an ownership marker is one line without empty fields', () => {
    expect(line).toMatch(
      /^\[loadtests p=shop e=production k=checkout s=9f2c41d07ab3 w=50\.51be0c9e n=5tq0mZ8c c=[0-9a-z]{2}\]$/,
    );
    expect(formatMarker({ ...checkout, environment: null, repetition: 2 })).toMatch(/p=shop k=.* r=2 n=/);
  });

  test('an ownership marker that follows any notes is read unchanged', () => {
    fc.assert(
      fc.property(arbitraryMarker, fc.option(arbitraryString()), (marker, own) => {
        const read = readNotes(notesWithMarker(own, marker));
        expect(read.reading).toEqual({ kind: 'marker', marker });
        expect(read.own).toBe(plainNotes(own));
      }),
    );
  });

  test.each([
    ['in unchanged notes', `Before the sale\n${line}`],
    ['with other line breaks', `Before the sale\r\n${line}\r\n`],
    ['with white space at the end', `Before the sale \n${line} \n\n`],
    ['with white space at the start', `\n  Before the sale\n${line}`],
    ['on the same line as notes', `Before the sale ${line}`],
  ])('an ownership marker is recognized %s', (_name, notes) => {
    expect(readNotes(notes)).toEqual({
      own: 'Before the sale',
      reading: { kind: 'marker', marker: checkout },
    });
  });

  test('an ownership marker is recognized even if a user added notes after the marker', () => {
    expect(readNotes(`Before the sale\n${line}\nSeen by Ada`)).toEqual({
      own: 'Before the sale\nSeen by Ada',
      reading: { kind: 'marker', marker: checkout },
    });
  });

  test('if notes contain several ownership markers, the last marker is used', () => {
    const older = formatMarker({ ...checkout, listed: '000000000000' });
    for (const between of ['\n', ' ', '\r\n']) {
      expect(readNotes(`${older}${between}${line}`)).toEqual({
        own: older,
        reading: { kind: 'marker', marker: checkout },
      });
    }
  });

  test.each([
    ['no notes', null],
    ['empty notes', ''],
    ['the notes of a user', 'Before the sale'],
    ['a word that contains the start of a marker', 'x[loadtests p=shop]'],
    ['notes after a damaged marker', `${line.replace('shop', 'shoq')}\nBefore the sale`],
  ])('no ownership marker is found in %s', (_name, notes) => {
    expect(readNotes(notes).reading).toEqual({ kind: 'none' });
  });

  test.each([
    ['truncated', `Before the sale\n${line.slice(0, 60)}`],
    ['truncated by one character', `Before the sale\n${line.slice(0, -1)}`],
    ['edited to another key', `Before the sale\n${line.replace('checkout', 'checkuot')}`],
    ['edited to lack a field', `Before the sale\n${line.replace(' n=5tq0mZ8c', '')}`],
    ['directly followed by text', `Before the sale\n${line}x`],
  ])(
    'an ownership marker that is %s is read as damaged, and the notes above the marker are retained',
    (_name, notes) => {
      expect(readNotes(notes)).toEqual({ own: 'Before the sale', reading: { kind: 'damaged' } });
    },
  );

  test('fewer than 15 of 5,000 markers with one changed character are read as a different valid marker', () => {
    const changes = fc.tuple(arbitraryMarker, fc.nat(), fc.constantFrom('0', 'x', 'Z', '-', ' ', '='));
    const misread = fc.sample(changes, 5000).filter(([marker, at, character]) => {
      const text = formatMarker(marker);
      const index = at % text.length;
      const { reading } = readNotes(text.slice(0, index) + character + text.slice(index + 1));
      return reading.kind === 'marker' && formatMarker(reading.marker) !== text;
    });
    // The two check characters accept one of 1,296 changes.
    expect(misread.length).toBeLessThan(15);
  });

  test('findMarkedTest returns the matching test with the smallest id', () => {
    const tests = ['b', 'c', 'a'].map((id) => ({ id, notes: line }));
    expect(findMarkedTest(tests, ({ key }) => key === 'checkout')?.id).toBe('a');
    expect(findMarkedTest(tests, ({ key }) => key === 'home')).toBeUndefined();
  });
});

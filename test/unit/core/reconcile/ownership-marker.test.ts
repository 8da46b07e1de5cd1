import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findMarkedTest,
  formatMarker,
  isSameCreation,
  notesWithMarker,
  plainNotes,
  readMarker,
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
    expect(line).toBe(
      '[loadtests p=shop e=production k=checkout s=9f2c41d07ab3 w=50.51be0c9e n=5tq0mZ8c c=lt]',
    );
    expect(formatMarker({ ...checkout, environment: null, repetition: 2 })).toBe(
      '[loadtests p=shop k=checkout s=9f2c41d07ab3 w=50.51be0c9e r=2 n=5tq0mZ8c c=hd]',
    );
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
    ['with the line breaks of old systems', `Before the sale\r${line}\r`],
    ['between other white space', `Before the sale\u2028${line}\u00a0`],
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
    ['truncated in its first word', 'Before the sale\n[load'],
    ['truncated to one character', 'Before the sale\r['],
    ['too long', `Before the sale\n${formatMarker({ ...checkout, key: 'a'.repeat(500) })}`],
    ['written with a line break', `Before the sale\n${formatMarker({ ...checkout, key: 'a [loadtests' })}`],
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

  test('the start of a damaged marker is the first start after white space in the last line', () => {
    const damaged = line.slice(0, 30);
    const own = `Before ${damaged}\nx${damaged}`;
    expect(readNotes(`${own} ${damaged} ${damaged}\n`)).toEqual({ own, reading: { kind: 'damaged' } });
  });

  test('a marker without one of its fields, or with a bracket or line break, is damaged regardless of its check characters', () => {
    const fields = line.slice(0, -'c=lt]'.length);
    const texts = [
      ...['p=shop', 'k=checkout', 's=9f2c41d07ab3', 'w=50.51be0c9e', 'n=5tq0mZ8c'].map((field) =>
        fields.replace(`${field} `, ''),
      ),
      ...['[', '\n', '\r'].map((character) => fields.replace('checkout', `check${character}out`)),
    ];
    const checks = Array.from({ length: 36 * 36 }, (_, at) => at.toString(36).padStart(2, '0'));
    const kindsOf = (text: string) => new Set(checks.map((check) => readMarker(`${text}c=${check}]`).kind));
    expect([...kindsOf(fields)].sort()).toEqual(['damaged', 'marker']);
    for (const text of texts) expect([...kindsOf(text)]).not.toContain('marker');
  });

  test('two markers are of the same creation if they differ only in their nonces', () => {
    expect(isSameCreation(checkout, { ...checkout, nonce: 'other000' })).toBe(true);
    const others: Partial<Marker>[] = [
      ...[{ project: 'other' }, { environment: null }, { key: 'other' }],
      ...[{ listed: '000000000000' }, { unlisted: '50.00000000' }, { repetition: 1 }],
    ];
    for (const other of others) {
      expect(isSameCreation(checkout, { ...checkout, ...other })).toBe(false);
      expect(isSameCreation({ ...checkout, ...other }, checkout)).toBe(false);
    }
  });

  test('readMarker returns the same reading as readNotes', () => {
    for (const notes of [
      null,
      '',
      'a',
      line,
      `a\n${line}`,
      `${line} a`,
      line.slice(0, 30),
      `a\n[lo`,
      `${line}x`,
    ])
      expect(readMarker(notes)).toEqual(readNotes(notes).reading);
  });

  test('findMarkedTest returns the matching test with the smallest id', () => {
    const tests = ['b', 'c', 'a'].map((id) => ({ id, notes: line }));
    expect(findMarkedTest(tests, ({ key }) => key === 'checkout')?.id).toBe('a');
    expect(findMarkedTest(tests, ({ key }) => key === 'home')).toBeUndefined();
  });
});

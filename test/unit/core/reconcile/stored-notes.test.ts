/** Notes that a service may have dropped or truncated. */
import { describe, expect, test } from 'vitest';
import { formatMarker } from '../../../../src/core/reconcile/ownership-marker.ts';
import { mayBeTruncated, NotesStorage } from '../../../../src/core/reconcile/stored-notes.ts';

const MARKER = formatMarker({
  ...{ project: 'shop', environment: null, key: 'home', listed: '0123456789ab' },
  ...{ unlisted: '50.01234567', repetition: 0, nonce: 'planted1' },
});

describe('notes after storage by a service', () => {
  test.each<readonly [string | null, string | null, boolean]>([
    [null, 'Own notes', true],
    [' \n', 'Own notes', true],
    ['Own', 'Own notes', true],
    ['Own notes', 'Own notes', true],
    [' Own \r\n notes ', 'Own notes', true],
    ['Own notes [load', 'Own\tnotes', true],
    ['Own notes\n[loadtests', 'Own notes', true],
    [`Own notes\n${MARKER.slice(0, 40)}`, 'Own notes', true],
    [`Other\n${MARKER.slice(0, -1)}`, 'Own notes', true],
    ['[loadtests', null, true],
    ['[load', null, true],
    ['Own no\u2026', 'Own notes', true],
    ['Own no...', 'Own notes', true],
    ['Own no ...', 'Own notes', true],
    ['Own no\ufffd', 'Own no\u{1f6d2}', true],
    ['Own no\ud83d', 'Own no\u{1f6d2}', true],
    ['Own no\ufffd\ufffd\ufffd', 'Own notes', true],
    ['Own no\ufffd\u2026', 'Own notes', true],
    ['Own no\ufffd\ufffd\ufffd\ufffd', 'Own notes', false],
    ['Own no..', 'Own notes', false],
    ['Own \u2026 no', 'Own notes', false],
    ['Own \ufffd no', 'Own notes', false],
    ['Own nx', 'Own notes', false],
    ['notes', 'Own notes', false],
    ['Own notes and more', 'Own notes', false],
    ['Own-notes', 'Own notes', false],
    ['Own notes[loadtests', 'Own notes', false],
    ['By hand', null, false],
  ])('the notes %j may result from the own notes %j: %s', (stored, own, expected) => {
    expect(mayBeTruncated(stored, own)).toBe(expected);
  });
});

describe('the storage of notes in an account', () => {
  const none = { kind: 'none' } as const;
  const marked = { kind: 'marker', marker: expect.anything() as never } as const;

  function lost(
    added: readonly (readonly [string | null, typeof none | typeof marked])[],
    notes: string | null,
  ) {
    const storage = new NotesStorage();
    for (const [one, reading] of added) storage.add({ notes: one }, reading);
    return storage.mayHaveLostMarker({ notes });
  }

  test('a test without notes may have lost its marker only if no test has notes', () => {
    for (const empty of [null, '', ' \n']) {
      expect(lost([], empty)).toBe(true);
      expect(
        lost(
          [
            [' ', none],
            [null, none],
          ],
          empty,
        ),
      ).toBe(true);
      expect(
        lost(
          [
            ['a', none],
            [null, none],
          ],
          empty,
        ),
      ).toBe(false);
    }
  });

  // The name of each row is a text whose length in characters or bytes is the limit of the service.
  test.each<readonly [string, string, boolean]>([
    ['a'.repeat(10), 'b'.repeat(7), true],
    ['a'.repeat(10), 'b'.repeat(6), false],
    ['a'.repeat(10), 'b'.repeat(20), true],
    // With these texts, only the numbers of bytes differ by at most three.
    ['a'.repeat(10), 'é'.repeat(4), true],
    ['a'.repeat(10), 'é'.repeat(3), false],
    ['a'.repeat(12), '€'.repeat(3), true],
    ['a'.repeat(13), '€'.repeat(3), false],
    ['a'.repeat(11), '\u{1f6d2}'.repeat(2), true],
    ['a'.repeat(12), '\u{1f6d2}'.repeat(2), false],
    ['a'.repeat(9), '\u0080'.repeat(3), true],
    ['a'.repeat(10), '\u0080'.repeat(3), false],
    ['a'.repeat(9), '\u07ff'.repeat(3), true],
    ['a'.repeat(10), '\u07ff'.repeat(3), false],
    ['a'.repeat(12), '\u0800'.repeat(3), true],
    ['a'.repeat(13), '\u0800'.repeat(3), false],
    ['a'.repeat(12), '\ue000'.repeat(3), true],
    ['a'.repeat(10), '\u007f'.repeat(6), false],
    // With these texts, only the numbers of characters differ by at most three.
    ['é'.repeat(10), 'b'.repeat(7), true],
    ['é'.repeat(10), 'b'.repeat(6), false],
  ])('if the longest marked notes are %j, the notes %j may be truncated: %s', (longest, notes, expected) => {
    expect(
      lost(
        [
          [longest, marked],
          ['a'.repeat(99), none],
          ['a', marked],
        ],
        notes,
      ),
    ).toBe(expected);
  });
});

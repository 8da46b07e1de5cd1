import { describe, expect, it } from 'vitest';
import { Journal } from '../../../src/apply/journal.ts';

const line = (parts: object) =>
  JSON.stringify({
    service: 'embedded',
    p: 'shop',
    e: null,
    address: 'test.home',
    nonce: 'n1',
    phase: 'sent',
    at: 1,
    op: 'start',
    id: 't1',
    ...parts,
  });

function journalOf(text: string): Journal {
  const file = { read: () => text, append: () => undefined };
  return new Journal(file, { service: 'embedded', p: 'shop', e: null });
}

describe('a journal', () => {
  it('names the lines that cannot be read, whosever they are', () => {
    const text = [
      line({}),
      '{"service":"emb',
      '',
      line({ p: 'other', op: 'dance' }),
      line({ p: 'other' }),
      'x',
      '',
    ];
    expect(journalOf(text.join('\n')).damaged()).toEqual([
      { number: 2, text: '{"service":"emb' },
      { number: 4, text: line({ p: 'other', op: 'dance' }) },
      { number: 6, text: 'x' },
    ]);
  });

  it.each([
    ['is empty', ''],
    ['is whole', `${line({})}\n`],
    ['ends within a line, as a crash leaves it', `${line({})}\n{"service":"emb`],
    ['ends behind a line, before its break', line({})],
  ])('that %s has none', (_, text) => {
    expect(journalOf(text).damaged()).toEqual([]);
  });

  it('counts a last line without its break', () => {
    expect(journalOf(line({})).open()).toHaveLength(1);
  });
});

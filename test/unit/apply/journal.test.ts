import { describe, expect, it } from 'vitest';
import { Journal } from '../../../src/apply/uncertainty/journal.ts';

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
    before: [],
    ...parts,
  });

function journalOf(text: string): Journal {
  const file = { read: () => text, append: () => undefined };
  return new Journal(file, { service: 'embedded', p: 'shop', e: null });
}

describe('damaged journals', () => {
  it('a journal lists its unreadable lines, including a line of another project', () => {
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
    ['is complete', `${line({})}\n`],
    ['ends with an incomplete line after a crash', `${line({})}\n{"service":"emb`],
    ['lacks the last line break', line({})],
  ])('a journal that %s has no damaged lines', (_, text) => {
    expect(journalOf(text).damaged()).toEqual([]);
  });

  it('the last line of a journal is read even if it lacks a line break', () => {
    expect(journalOf(line({})).open()).toHaveLength(1);
  });
});

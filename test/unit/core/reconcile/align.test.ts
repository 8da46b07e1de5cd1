import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { align, type Pair } from '../../../../src/core/reconcile/align.ts';
import { digestsOf } from '../../../../src/core/reconcile/digests.ts';
import { listedDifferences } from '../../../../src/core/reconcile/differences.ts';
import { normalizeSpec } from '../../../../src/core/reconcile/normalize.ts';
import { sha256 } from '../../../../src/cli/files/sha256.ts';
import { arbitrarySpec } from '../../../support/arbitrary-declarations.ts';

/** A member: what it is known by, then what it holds. */
type Member = readonly [key: string, contents: number];

const alike = {
  keys: [([key]: Member) => key, ([key]: Member) => key.toLowerCase()],
  equal: (a: Member, b: Member) => a[0] === b[0] && a[1] === b[1],
};

/** `a0 -a1 +b2 a0~a1`: kept, removed, added, and changed. */
function told(before: readonly Member[], now: readonly Member[]): string {
  const name = (member: Member | undefined) => member?.join('') ?? '?';
  return align(before, now, alike)
    .map(({ before: a, now: b }) => {
      if (a === null) return `+${name(now[b])}`;
      if (b === null) return `-${name(before[a])}`;
      const [one, other] = [name(before[a]), name(now[b])];
      return one === other ? one : `${one}~${other}`;
    })
    .join(' ');
}

function members(text: string): readonly Member[] {
  return text
    .split(' ')
    .flatMap((one) => (one === '' ? [] : [[one.slice(0, 1), Number(one.slice(1))] as const]));
}

describe('two lists', () => {
  test.each([
    ['', '', ''],
    ['', 'a0', '+a0'],
    ['a0', '', '-a0'],
    ['a0 b0', 'a0 b0', 'a0 b0'],
    ['a0 b0', 'c0 a0 b0', '+c0 a0 b0'],
    ['a0 b0 c0', 'b0 c0', '-a0 b0 c0'],
    ['a0 b0 c0', 'a0 d0 c0', 'a0 b0~d0 c0'],
    ['a0 b0 c0', 'c1 a1 b1', '+c1 a0~a1 b0~b1 -c0'],
    // Of the same key, those that hold the same.
    ['a1 a2', 'a0 a1 a2', '+a0 a1 a2'],
    ['a0 a1 a2', 'a1 a2', '-a0 a1 a2'],
    // Where the first key finds nothing, the next one does.
    ['a0', 'x0 A0', '+x0 a0~A0'],
    ['a0 b0', 'x0 y0 z0', 'a0~x0 b0~y0 +z0'],
  ])('%j and %j: %s', (before, now, expected) => {
    expect(told(members(before), members(now))).toBe(expected);
  });

  const list = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'A'), fc.nat(2)), { maxLength: 7 });

  test('are paired whole, in their order', () => {
    fc.assert(
      fc.property(list, list, (before, now) => {
        const pairs = align<Member>(before, now, alike);
        const of = (side: keyof Pair) => pairs.flatMap((pair) => pair[side] ?? []);
        expect(of('before')).toEqual(before.map((_, at) => at));
        expect(of('now')).toEqual(now.map((_, at) => at));
      }),
    );
  });

  test('keep as many members as any other way could', () => {
    fc.assert(
      fc.property(list, list, (before, now) => {
        const kept = align<Member>(before, now, alike).filter(
          ({ before: a, now: b }) => a !== null && b !== null && before[a]?.[0] === now[b]?.[0],
        );
        expect(kept.length).toBeGreaterThanOrEqual(longestByRecursion(before, now));
      }),
    );
  });

  test('of any length are paired in a time that does not explode', () => {
    const long = (key: string) => Array.from({ length: 20_000 }, (_, at): Member => [key, at]);
    expect(align(long('a'), [['b', 0], ...long('a')], alike)).toHaveLength(20_001);
    expect(align(long('a'), long('b'), alike)).toHaveLength(20_000);
  });
});

function longestByRecursion(before: readonly Member[], now: readonly Member[]): number {
  const [a, ...restA] = before;
  const [b, ...restB] = now;
  if (a === undefined || b === undefined) return 0;
  if (a[0] === b[0]) return 1 + longestByRecursion(restA, restB);
  return Math.max(longestByRecursion(restA, now), longestByRecursion(before, restB));
}

describe('the URLs of any test', () => {
  const spec = arbitrarySpec.map((one) => ({ ...one, name: 'Fixed' }));
  const place = fc.nat({ max: 3 });
  const added = { url: 'https://shop.example/added', headers: [{ name: 'X-Added', value: 'yes' }] };
  const empty = {
    ...{
      method: null,
      credentials: null,
      params: null,
      body: null,
      jsonBody: null,
      payloadFileUrl: null,
      payloadFile: null,
      variables: null,
      expect: null,
    },
    delay: null,
  };

  test('one that is put anywhere shows its own fields, and no others', () => {
    fc.assert(
      fc.property(spec, place, (before, at) => {
        const index = Math.min(at, before.targets.length);
        const now = { ...before, targets: before.targets.toSpliced(index, 0, { ...empty, ...added }) };
        const { changes } = listedDifferences(normalizeSpec(before), normalizeSpec(now));
        expect(changes.map(({ field, from }) => [field, from])).toEqual([
          [`/urls/${index}/url`, null],
          [`/urls/${index}/headers/x-added`, null],
        ]);
        const back = listedDifferences(normalizeSpec(now), normalizeSpec(before)).changes;
        expect(back.map(({ field, from, to }) => [field, from, to])).toEqual([
          [`/urls/${index}/url`, added.url, null],
        ]);
        expect(digestsOf(now, sha256).listed).not.toBe(digestsOf(before, sha256).listed);
      }),
    );
  });
});

/** Which spans are outages, and what they cost: a table of what workers saw, a letter for each tenth of a second. */
import { describe, expect, test } from 'vitest';
import {
  RESPONDED,
  createTenths,
  findOutages,
  TENTHS_PER_SECOND,
  IDLE,
  UNOBSERVED,
  UNKNOWN,
  WAITING,
  TargetObservations,
  type Tenths,
  type NormalResponses,
} from '../../../../src/core/load/outage.ts';

/** a: answered, w: waiting, -: nobody asked, ?: not seen */
const STATES: Readonly<Record<string, number>> = { a: RESPONDED, w: WAITING, '-': IDLE, '?': UNOBSERVED };

/** So many clients all the time; `failed` requests in each tenth without an answer. */
function seen(letters: string, clients = 10, failed = 0): Tenths {
  const tenths = createTenths(letters.length, UNKNOWN);
  Array.from(letters).forEach((letter, at) => {
    tenths.states[at] = STATES[letter] ?? UNKNOWN;
    if (letter === 'a' || letter === 'w') tenths.waiting[at] = clients;
    if (letter === 'w') tenths.failed[at] = failed;
  });
  return tenths;
}

const QUICK: NormalResponses = { responses: 20_000, slowResponseMs: 5 };
const row = (state: string, tenths: number): string => state.repeat(tenths);

describe('a span without an answer', () => {
  test.each<readonly [name: string, letters: string, usual: NormalResponses, seconds: readonly number[]]>([
    ['of six seconds', row('a', 10) + row('w', 60) + row('a', 10), QUICK, [6]],
    ['of a second', row('a', 10) + row('w', 10) + row('a', 10), QUICK, [1]],
    ['of less', row('a', 10) + row('w', 9) + row('a', 10), QUICK, []],
    ['to the end', row('a', 20) + row('w', 60), QUICK, [6]],
    ['from the beginning', row('w', 30) + row('a', 50), QUICK, [3]],
    ['twice', row('a', 9) + row('w', 20) + row('a', 9) + row('w', 30), QUICK, [2, 3]],
    ['that is broken by an answer', row('w', 9) + 'a' + row('w', 9), QUICK, []],
    ['in which nobody asked', row('a', 10) + row('-', 60) + row('a', 10), QUICK, []],
    ['in which now and then somebody asked', 'a' + row('wwwww-----', 4) + 'a', QUICK, [2]],
    ['in which this machine stood still', row('a', 10) + row('?', 60) + row('a', 10), QUICK, []],
    ['in which it stood still for most', row('a', 10) + row('w?????????', 6) + row('a', 9), QUICK, []],
    ['in which it stood still for a part', row('a', 10) + row('wwwwwwwww?', 6) + row('a', 9), QUICK, [5.4]],
    ['of nothing', '', QUICK, []],
    // Ten clients: twice as long as a slow answer.
    ['of a target that is slow', 'a' + row('w', 29) + 'a', { responses: 20, slowResponseMs: 1500 }, []],
    ['that is longer than slow', 'a' + row('w', 30) + 'a', { responses: 20, slowResponseMs: 1500 }, [3]],
  ])('%s', (_name, letters, usual, seconds) => {
    expect(findOutages(seen(letters), usual).map((outage) => outage.seconds)).toEqual(seconds);
  });

  test.each([
    [1, 11],
    [2, 6],
    [10, 2],
    [1000, 1.01],
  ])('%i clients are an outage from %f slow answers on', (clients, times) => {
    const [under, from] = [Math.ceil(20 * times) - 1, Math.ceil(20 * times)];
    const usual = { responses: 20, slowResponseMs: 2000 };
    expect(findOutages(seen('a' + row('w', under), clients), usual)).toEqual([]);
    expect(findOutages(seen('a' + row('w', from), clients), usual)).toHaveLength(1);
  });
});

describe('missed is', () => {
  test.each<readonly [name: string, tenths: Tenths, usual: NormalResponses, missed: readonly number[]]>([
    ['what as many clients make in as long', seen(row('a', 20) + row('w', 60)), QUICK, [60_000]],
    [
      'less what was made, refused and timed out',
      seen(row('a', 20) + row('w', 60), 10, 100),
      QUICK,
      [60_000 - 60 * 100],
    ],
    ['never less than none', seen(row('a', 20) + row('w', 60), 10, 10_000), QUICK, [0]],
    ['none where nothing was ever answered', seen(row('w', 80)), { responses: 0, slowResponseMs: 0 }, [0]],
    [
      'told of each',
      seen(row('a', 20) + row('w', 20) + row('a', 20) + row('w', 40)),
      QUICK,
      [10_000, 20_000],
    ],
    [
      'at the pace of all other time, also of that which was not seen',
      seen(row('a', 10) + row('?a', 5) + row('w', 60)),
      QUICK,
      [60_000],
    ],
  ])('%s', (_name, tenths, usual, omitted) => {
    expect(findOutages(tenths, usual).map((outage) => outage.omitted)).toEqual(omitted);
  });
});

describe('several workers', () => {
  const second = (letter: string, clients = 5): Tenths => seen(row(letter, TENTHS_PER_SECOND), clients);
  const watched = (...workers: readonly string[]): Tenths => {
    const watch = new TargetObservations(workers.length);
    workers.forEach((letters, worker) => {
      Array.from(letters).forEach((letter, at) => {
        if (letter !== ' ') watch.add(worker, at, second(letter));
      });
    });
    return watch.between(0, 60_000);
  };

  test.each<readonly [name: string, workers: readonly string[], seconds: readonly number[]]>([
    ['all without an answer', ['awwwa', 'awwwa'], [3]],
    ['one with answers', ['awwwa', 'aaaaa'], []],
    ['one with answers for a part', ['awwww', 'aawww'], [3]],
    ['one that nobody asked anything of', ['awwwa', '-----'], [3]],
    ['one that stood still', ['awwwa', 'a???a'], []],
    ['one that told of no second while it stood still', ['awwwa', 'a   a'], []],
    ['one that has not told the end yet', ['awwww', 'aww'], [2]],
  ])('%s', (_name, workers, seconds) => {
    expect(findOutages(watched(...workers), QUICK).map((outage) => outage.seconds)).toEqual(seconds);
  });

  test('wait together', () => {
    const { waiting } = watched('aw', 'aw');
    expect([...waiting]).toEqual(new Array(20).fill(10));
  });

  test('only what came before the end of the run counts', () => {
    const watch = new TargetObservations(1);
    for (let at = 0; at < 8; at++) watch.add(0, at, second('w'));
    expect(watch.between(0, 3500).states).toHaveLength(35);
  });
});

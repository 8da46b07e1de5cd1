/** Items and headlines of plans. */
import { describe, expect, test } from 'vitest';
import {
  comparedLoads,
  dangerText,
  environmentChanges,
  environmentText,
  isQuiet,
  planHeadline,
  planItems,
  type ReviewedPlan,
} from '../../../../src/core/report/plan-items.ts';

const action = (verb: string, address: string, starts_load = false) => ({
  ...{ verb, address, starts_load, source: { file: 'a.yaml', line: 1 } },
});
const change = (address: string, more: object = {}) => ({
  ...{ address, url: null, field: 'total', kind: 'changed', before: 1, after: 2, file: 'a.yaml', line: 9 },
  ...more,
});
const planOf = (actions: readonly object[], changes?: readonly object[]): ReviewedPlan =>
  ({ actions, drift: [], ...(changes === undefined ? {} : { changes }) }) as never; // the members that are read

const whole = (address: string, kind: string) => change(address, { field: null, kind });
const elsewhere = (address: string, ...environments: readonly (string | null)[]) =>
  change(address, { environments });

describe('items of a plan', () => {
  test('planItems returns the actions with their changes, followed by the changes without an action', () => {
    const items = planItems(
      planOf(
        [
          action('replace', 'test.home'),
          action('run', 'test.home'),
          action('no-op', 'test.cart'),
          action('no-op', 'test.idle'),
          action('register', 'app.shop'),
        ],
        [change('limits'), change('test.home'), change('test.cart'), elsewhere('test.idle', 'production')],
      ),
    );
    expect(items.map(({ key, kind, verb, changes }) => [key, kind, verb, changes.length])).toEqual([
      ['home', 'test', 'replace', 1],
      ['home', 'test', 'run', 0],
      ['cart', 'test', 'change', 1],
      ['shop', 'app', 'register', 0],
      ['limits', 'section', 'change', 1],
    ]);
    expect(items.map(({ source }) => source.line)).toEqual([1, 1, 1, 1, 9]);
    expect(items.map(({ action: own }) => own?.verb ?? null)).toEqual([
      ...['replace', 'run', null, 'register', null],
    ]);
  });

  test.each([
    [[whole('test.a', 'added')], 'add'],
    [[whole('test.a', 'removed')], 'remove'],
    [[change('test.a'), whole('test.a', 'added')], 'add'],
    [[whole('test.a', 'renamed')], 'change'],
    [[change('test.a', { kind: 'added' })], 'change'],
    [[change('test.a', { field: null, url: 'cart', kind: 'removed' })], 'change'],
  ])('the verb of an item with the changes %j is %s', (changes, verb) => {
    expect(planItems(planOf([], changes))[0]?.verb).toBe(verb);
  });

  test('the location of an item without an action is that of its first change with a location', () => {
    const sourceOf = (...changes: readonly object[]) => planItems(planOf([], changes))[0]?.source;
    const [noFile, noLine] = [change('limits', { file: null }), change('limits', { line: null })];
    expect(sourceOf(noFile, noLine, change('limits'))).toEqual({ file: 'a.yaml', line: 9 });
    expect(sourceOf(noFile)).toEqual({});
    expect(sourceOf(noLine)).toEqual({});
  });

  test('environmentChanges groups the changes in other environments by these environments, and dangerText names the environments of a danger', () => {
    const changes = [
      elsewhere('test.a', 'production', null),
      change('test.b'),
      elsewhere('test.c', 'staging'),
      elsewhere('test.d', 'production', null),
    ];
    const found = environmentChanges(planOf([], changes));
    expect([...found].map(([name, own]) => [name, own.map(({ address }) => address)])).toEqual([
      ['production, (no environment)', ['test.a', 'test.d']],
      ['staging', ['test.c']],
    ]);
    expect(environmentText([])).toBe('');
    expect(environmentChanges({}).size).toBe(0);
    expect(dangerText({ message: 'A.' })).toBe('A.');
    expect(dangerText({ message: 'A.', environments: ['x', 'y'] })).toBe('In x, y: A.');
  });
});

describe('headlines of plans', () => {
  const [home, cart] = [action('replace', 'test.home', true), action('create', 'test.cart', true)];
  const run = action('run', 'test.run', true);

  test.each<readonly [ReviewedPlan, string]>([
    [planOf([]), 'no changes'],
    [planOf([], [elsewhere('test.a', 'x')]), 'changes in other environments'],
    [planOf([action('register', 'app.a')]), 'apps change'],
    [planOf([action('register', 'app.a')], [change('limits')]), 'the settings of the file change'],
    [planOf([run]), '1 test starts load'],
    [planOf([run, run]), '2 tests start load'],
    [planOf([home]), '1 test changes and starts load'],
    [planOf([home, cart]), '2 tests change and start load'],
    [planOf([action('stop', 'test.a')]), '1 test changes, no load starts'],
    [planOf([home, action('stop', 'test.a')]), '2 tests change, 1 starts load'],
    [planOf([home, run]), '1 test changes, 2 start load'],
    [planOf([home, cart, run]), '2 tests change, 3 start load'],
  ])('planHeadline returns the text $1 for the actions and changes of case %$', (plan, headline) => {
    expect(planHeadline(plan)).toBe(headline);
  });

  test('isQuiet returns true for a plan only if it has no items, no changes in other environments and no drift', () => {
    expect(isQuiet(planOf([action('no-op', 'test.a')]))).toBe(true);
    expect(isQuiet(planOf([home]))).toBe(false);
    expect(isQuiet(planOf([], [elsewhere('test.a', 'x')]))).toBe(false);
    expect(isQuiet({ ...planOf([]), drift: [{}] } as never)).toBe(false); // not read further
  });

  test('the load before a change is known only if the earlier file was read', () => {
    const against = (old_file: string) => ({ against: { old_file, load: { before: 1, after: 2 } } }) as never; // not read further
    expect(comparedLoads(against('read'))).toEqual({ before: 1, after: 2 });
    expect([comparedLoads(against('absent')), comparedLoads({})]).toEqual([null, null]);
  });
});

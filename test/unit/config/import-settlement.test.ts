import { expect, test } from 'vitest';
import type { Draft, DraftMember } from '../../../src/config/import-draft.ts';
import { settleDrafts } from '../../../src/config/import-settlement.ts';

const OPTIONS = {
  project: 'shop',
  environment: null,
  service: null,
  declared: null,
  selects: (key: string) => key !== 'unselected',
  comments: ['Written by a test.'],
};

/** A test that sends one GET request, with further fields of the request. */
function draftOf(id: string, key: string, changes: Partial<Draft<null>> & { url?: DraftMember[] } = {}) {
  const { url = [], ...others } = changes;
  const draft: Draft<null> = {
    ...{ id, key, name: key, keepsKey: false, origin: null, earlier: [], obstacle: null, fallback: null },
    describe: () => ({
      comments: [`from ${id}`],
      fields: [
        { name: 'test_type', value: 'per-second' },
        { name: 'total', value: 5 },
        { name: 'duration', value: '10s' },
      ],
      urls: [[{ name: 'url', value: 'http://shop.example.com/' }, ...url]],
      flows: null,
      groups: null,
      onStart: null,
      phases: [],
    }),
    ...others,
  };
  return draft;
}

const APPS = [{ id: 'shop.yml:1', host: 'shop.example.com' }];

function settle(tests: readonly Draft<null>[]) {
  const settled = settleDrafts({ apps: APPS, tests }, OPTIONS, () => []);
  if (!settled.ok) throw new Error(settled.problems.map(({ message }) => message).join('\n'));
  return settled.value;
}

test('imported tests receive unique keys, a test that must keep its key has precedence, and an unselected test is omitted', () => {
  const { tests, text } = settle([
    draftOf('shop.yml:3', 'home'),
    draftOf('shop.yml:9', 'home', { keepsKey: true }),
    draftOf('shop.yml:12', 'unselected'),
  ]);
  expect(tests.map(({ key, draft }) => [key, draft.id])).toEqual([
    ['home-2', 'shop.yml:3'],
    ['home', 'shop.yml:9'],
  ]);
  expect(text).toContain('# from shop.yml:3');
});

test('equal secrets of two imported tests have one reference per test, and the file does not contain the secrets', () => {
  const headers = (identity: string): DraftMember[] => [
    { name: 'headers', value: [{ name: 'X-Api-Key', value: { secret: { kind: 'x-api-key', identity } } }] },
  ];
  const { text, secrets } = settle([
    draftOf('shop.yml:3', 'home', { url: headers('hunter2') }),
    draftOf('shop.yml:9', 'cart', { url: headers('hunter2') }),
  ]);
  expect(secrets).toEqual(['LT_HOME_X_API_KEY', 'LT_CART_X_API_KEY']);
  expect(text).toContain('X-Api-Key: ${secret:LT_HOME_X_API_KEY}');
  expect(text).not.toContain('hunter2');
});

test('an imported test that makes the file invalid is replaced by its fallback, or omitted with a reason', () => {
  const invalid: DraftMember[] = [{ name: 'request_type', value: 'BREW' }];
  const { tests, omitted, text } = settle([
    draftOf('shop.yml:3', 'home', { url: invalid, fallback: draftOf('shop.yml:3', 'home') }),
    draftOf('shop.yml:9', 'tea', { url: invalid, earlier: [{ id: 'shop.yml:7', name: 'old tea' }] }),
    draftOf('shop.yml:12', 'socket', { obstacle: 'it uses WebSocket' }),
  ]);
  expect(tests.map(({ key }) => key)).toEqual(['home']);
  expect(omitted.map(({ id }) => id)).toEqual(['shop.yml:12', 'shop.yml:9', 'shop.yml:7']);
  expect(omitted[1]?.reason).toContain('BREW');
  expect(text).toContain('shop.yml:12 "socket": it uses WebSocket');
});

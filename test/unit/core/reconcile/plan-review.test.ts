/** Reviews of plans without an earlier version of the file: changes and dangers relative to the service. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { FileContent } from '../../../../src/core/model/file-content.ts';
import { Secret } from '../../../../src/core/model/secret.ts';
import type { FileReview } from '../../../../src/core/reconcile/file-review.ts';
import type { Plan } from '../../../../src/core/reconcile/plan.ts';
import { reviewPlan } from '../../../../src/core/reconcile/plan-review.ts';
import { createMachine, type SimulatedMachine } from '../../../support/simulated-machine.ts';
import { createMemoryService } from '../../../support/memory-service.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { declareState, type TestFields } from '../../../support/declared-state.ts';

const SOURCE = { file: 'loadtests.yaml', line: 7, column: 3 };

const CONTENT: FileContent = {
  sections: new Map(
    ['test.home', 'app.new'].map((address) => [
      address,
      { source: SOURCE, fields: [], requests: new Map(), value: { of: address } },
    ]),
  ),
  rowsOf: () => null,
};

let laptop: SimulatedMachine;

beforeEach(() => {
  const clock = createVirtualClock();
  laptop = createMachine(createMemoryService({ clock, verified: ['shop.example'], latency: 0, runFor: 1 }), {
    clock,
  });
});

const declared = (fields: TestFields) => declareState().app('shop').test('home', fields);

/** Returns the review of the change from the first fields, which are on the service, to the second ones. */
async function reviewOf(before: TestFields, after: TestFields): Promise<FileReview> {
  await laptop.apply(declared(before));
  return reviewPlan(await laptop.plan(declared(after)), CONTENT);
}

function linesOf({ changes }: FileReview): string[] {
  return changes.map(({ address, url, field, kind, before, after }) =>
    [address, url, field, kind, JSON.stringify(before), '→', JSON.stringify(after)]
      .filter((part) => part !== null)
      .join(' '),
  );
}

const dangersOf = ({ danger }: FileReview) => danger.map(({ kind, message }) => `${kind}: ${message}`);

describe('changes relative to the service', () => {
  test('a review reports each new test and each new app as one change, and the host of a new app as a danger', async () => {
    const state = declareState().app('new').test('home').test('other');
    const found = reviewPlan(await laptop.plan(state), CONTENT);
    expect(linesOf(found).sort()).toEqual([
      'app.new added null → {"of":"app.new"}',
      'test.home added null → {"of":"test.home"}',
      'test.other added null → null',
    ]);
    expect(found.changes.find(({ address }) => address === 'test.home')).toMatchObject({
      source: SOURCE,
      rows: null,
      secrets: null,
      environments: null,
    });
    expect(found.danger).toEqual([
      {
        kind: 'new-hosts',
        message: 'New host: "new.example" receives load.',
        address: 'app.new',
        source: null,
        environments: null,
      },
    ]);
  });

  test('a review of an unchanged test has no changes and no dangers', async () => {
    expect(await reviewOf({ total: 5 }, { total: 5 })).toEqual({ changes: [], danger: [] });
  });

  test.each<readonly [string, TestFields, TestFields, readonly string[], readonly string[]]>([
    [
      'more connections',
      { total: 5 },
      { total: 9 },
      ['test.home total changed 5 → 9'],
      ['higher-peak: Peak on "shop.example" rises from 5 to 9 connections.'],
    ],
    [
      'times, in the notation of the file',
      { duration: '90s', timeout: '1500ms' },
      { duration: '1m', timeout: '2s' },
      ['test.home duration changed "1m30s" → "1m"', 'test.home timeout loosened "1.5s" → "2s"'],
      ['loosened: "home": "timeout" is loosened: "1.5s" → "2s".'],
    ],
    [
      'an inserted URL',
      { urls: ['/'] },
      { urls: ['/new', '/'] },
      ['test.home GET /new added null → "https://shop.example/new"'],
      ['longer: "home" runs for up to 1m10s instead of 1m.'],
    ],
    [
      'a removed URL',
      { urls: ['/', { url: '/old', method: 'POST' }] },
      { urls: ['/'] },
      ['test.home https://shop.example/old removed "https://shop.example/old" → null'],
      [],
    ],
    [
      'a changed field of a URL',
      { urls: ['/', { url: '/cart', headers: [{ name: 'Accept', value: 'a' }] }] },
      { urls: ['/', { url: '/cart', headers: [{ name: 'Accept', value: 'b' }] }] },
      ['test.home GET /cart headers.accept changed "‹1 character›" → "b"'],
      [],
    ],
    [
      'an added field of a URL',
      { urls: ['/', '/cart'] },
      { urls: ['/', { url: '/cart', headers: [{ name: 'Accept', value: 'b' }] }] },
      ['test.home GET /cart headers.accept changed null → "b"'],
      [],
    ],
    [
      'a removed field of a URL',
      { urls: ['/', { url: '/cart', headers: [{ name: 'Accept', value: 'a' }] }] },
      { urls: ['/', '/cart'] },
      ['test.home GET /cart headers.accept changed "‹1 character›" → null'],
      [],
    ],
    [
      'a changed URL',
      { urls: ['/', '/cart'] },
      { urls: ['/', '/basket'] },
      ['test.home GET /basket url changed "https://shop.example/cart" → "https://shop.example/basket"'],
      [],
    ],
  ])('a review lists the expected changes and dangers for %s', async (_, before, after, lines, dangers) => {
    const found = await reviewOf(before, after);
    expect(linesOf(found)).toEqual(lines);
    expect(dangersOf(found)).toEqual(dangers);
  });

  test('a review of deferred tests reports a new test as one change, and the changed fields of an existing test', async () => {
    await laptop.apply(declared({ total: 5 }));
    const tests = declared({ total: 9 }).test('other');
    const plan = await laptop.plan(tests, { start: false });
    expect(plan.actions.map(({ verb }) => verb)).toEqual(['deferred', 'deferred']);
    expect(linesOf(reviewPlan(plan, CONTENT))).toEqual([
      'test.home total changed 5 → 9',
      'test.other added null → null',
    ]);
  });

  test('actions that change neither tests nor apps are not part of a review', () => {
    const verbs = ['verify', 'run', 'stop', 'blocked', 'no-op'] as const;
    const actions = verbs.map((verb) => ({ verb })) as unknown as Plan['actions']; // other members are not read
    expect(reviewPlan({ actions }, CONTENT)).toEqual({ changes: [], danger: [] });
  });

  test('a replaced test whose previous load is unknown is reviewed without dangers of its load', async () => {
    await laptop.apply(declared({ total: 5 }));
    const { actions } = await laptop.plan(declared({ total: 9 }));
    const [action] = actions;
    if (action?.verb !== 'replace' || action.previous === null) throw new Error('no replaced test');
    const unknown = { ...action.previous, testType: { unrecognized: 'other' } };
    const reviews = [action.previous, unknown, null].map((previous) =>
      reviewPlan({ actions: [{ ...action, previous }] }, CONTENT),
    );
    expect(reviews.map(({ danger }) => danger.length)).toEqual([1, 0, 0]);
  });

  test('a review of a test that is replaced without changed fields has no changes and no dangers', async () => {
    const value = { parts: [new Secret('K', 'one')] };
    const param = (own: string | typeof value): TestFields => ({
      urls: [{ url: '/', params: [{ name: 'k', value: own }] }],
    });
    await laptop.apply(declared(param('one')));
    const plan = await laptop.plan(declared(param(value)));
    expect(plan.actions).toMatchObject([{ verb: 'replace', changes: [] }]);
    expect(reviewPlan(plan, CONTENT)).toEqual({ changes: [], danger: [] });
  });

  test('a review reports a changed value of a secret as a danger', async () => {
    const withToken = (value: string): TestFields => ({
      notes: null,
      urls: [
        {
          url: '/cart',
          headers: [{ name: 'Authorization', value: { parts: ['Bearer ', new Secret('TOKEN', value)] } }],
        },
      ],
    });
    const found = await reviewOf(withToken('one'), withToken('two'));
    expect(found.changes).toMatchObject([{ field: 'headers.authorization', kind: 'changed', rotated: true }]);
    expect(dangersOf(found)).toEqual([
      'secrets: "home", URL "GET /cart": the value of the secret in "headers.authorization" has changed.',
    ]);
  });
});

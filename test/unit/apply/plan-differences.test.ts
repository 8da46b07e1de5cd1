/** Differences between an approved plan and the current one, and files that are not saved plans. */
import { describe, expect, it } from 'vitest';
import {
  creationTimeOf,
  digestOfSavedPlan,
  groupDigestOf,
  listPlanChanges,
  listStaleReasons,
  readSavedPlans,
} from '../../../src/apply/saved-plan.ts';
import { sha256 } from '../../../src/cli/files/sha256.ts';
import type { PlannedAction, PlanOrigin } from '../../../src/core/report/generated/documents.ts';
import { planDigestOf, planMembers } from '../../../src/core/report/plan-document.ts';
import { declareState } from '../../support/declared-state.ts';
import { createMemoryService } from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const ORIGIN: PlanOrigin = {
  ...{ tool_version: '0.1.0', created_at: '2026-03-02T09:00:00.000Z', file: 'loadtests.yaml' },
  ...{ file_digest: 'd1', service: 'https://api.example', account: 'a1', flags: {} },
};

async function planOf(
  declared = declareState().app('shop').test('home', { total: 5 }),
  verified = ['shop.example'],
) {
  const clock = createVirtualClock();
  const laptop = createMachine(createMemoryService({ clock, verified, latency: 0 }), { clock });
  const members = planMembers(await laptop.plan(declared), 'https://api.example', sha256);
  return { ...members, changes: [], danger: [] };
}

const HINT = 'create a new plan and review it';

describe('differences of plans', () => {
  const changed = async (...actions: readonly Partial<PlannedAction>[]) => {
    const [action] = (await planOf()).actions;
    if (action === undefined) throw new Error('Bug: the plan is empty');
    const all = actions.map((changes) => ({ ...action, ...changes }));
    return { actions: all, basis: planDigestOf(all, sha256) };
  };
  const field = (name: string, from: string | number | null, to: string | number | null) => ({
    ...{ field: name, from, to, readable: true },
  });
  const create = { verb: 'create' as const };
  const register = { verb: 'register' as const, address: 'app.shop' };
  const verify = { verb: 'verify' as const, address: 'app.shop' };
  const cart = { ...create, address: 'test.cart' };

  it.each<[string, readonly Partial<PlannedAction>[], readonly Partial<PlannedAction>[], readonly string[]]>([
    ['no differences between equal plans', [create], [create], []],
    ['no differences after the app was registered and verified', [register, verify, create], [create], []],
    ['no differences after the app was registered', [register, verify, create], [verify, create], []],
    [
      'an additional registration of an app',
      [create],
      [register, create],
      ['app.shop: the approved plan contains no action, but the current plan contains "register"'],
    ],
    [
      'a changed order of the actions',
      [create, cart],
      [cart, create],
      ['the order of the actions has changed'],
    ],
    [
      'a changed action and a missing action',
      [create, cart],
      [{ verb: 'no-op', id: 't1' }],
      [
        'test.home: the approved plan contains "create", but the current plan contains "no change" (t1)',
        'test.cart: the approved plan contains "create", but the current plan contains no action',
      ],
    ],
    [
      'two actions in place of one, with changed fields',
      [create],
      [
        { verb: 'stop', id: 't1' },
        { verb: 'replace', id: 't1', changes: [field('/total', null, 5), field('/name', 'a', null)] },
      ],
      [
        'test.home: the approved plan contains "create", but the current plan contains "stop" (t1) and "replace" (t1, /total not set → 5, /name "a" → not set)',
      ],
    ],
  ])(
    'a comparison of an approved plan with the current plan lists %s',
    async (_, approved, now, expected) => {
      const found = listPlanChanges(await changed(...approved), await changed(...now), sha256);
      expect(found).toEqual(
        expected.map((message) => ({
          ...{ code: 'LT_PLAN_STALE', severity: 'error', message, hint: HINT, source: null },
        })),
      );
    },
  );
});

describe('stale plans', () => {
  it.each<[string, string, boolean]>([
    ['0.1.0', '0.1.9', false],
    ['0.1.0', '0.2.0', true],
    ['0.1.0', '1.1.0', true],
    ['1.0.0', '1.9.0', false],
    ['1.9.0', '2.9.0', true],
    ['10.1.0', '1.1.0', true],
    ['10.1.0', '10.2.0', false],
  ])('a plan that version %s saved counts as stale in version %s: %s', async (saved, now, isStale) => {
    const plan = await planOf();
    const found = listStaleReasons(
      { plan, saved: { ...ORIGIN, tool_version: saved } },
      { plan, saved: { ...ORIGIN, tool_version: now } },
      sha256,
    );
    const message = `the plan was created by loadtests ${saved}, but this is loadtests ${now}`;
    expect(found.map((one) => one.message)).toEqual(isStale ? [message] : []);
  });

  it.each<[Partial<PlanOrigin>, string]>([
    [
      { service: 'embedded' },
      'the plan was created for the service https://api.example, but the current service is embedded',
    ],
    [
      { file_digest: 'd2' },
      '"loadtests.yaml", or a value it refers to, has changed since the plan was created at 2026-03-02 09:00:00 UTC',
    ],
  ])(
    'the changed origin %j is reported as the reason that a saved plan is stale',
    async (changes, message) => {
      const plan = await planOf();
      const found = listStaleReasons(
        { plan, saved: ORIGIN },
        { plan, saved: { ...ORIGIN, ...changes } },
        sha256,
      );
      expect(found.map((one) => one.message)).toEqual([message]);
    },
  );
});

describe('files of saved plans', () => {
  const documentOf = async () => ({ ...(await planOf()), saved: ORIGIN, signature: 's' });
  const read = (value: unknown) => readSavedPlans(JSON.stringify(value), sha256);

  it('reading a saved plan returns exactly the signed members of the file', async () => {
    const document = await documentOf();
    const { saved, signature, ...plan } = document;
    expect(read({ ...document, problems: [], exit_code: 0 })).toEqual([{ plan, saved, signature }]);
    const against = { revision: 'main', commit: 'c1' };
    expect(read({ ...document, against })).toEqual([{ plan: { ...plan, against }, saved, signature }]);
  });

  it('a document that lacks any one of the signed members is not a saved plan', async () => {
    const { has_changes: _, ...document } = await documentOf();
    expect(read(document)).toBeNull();
    const whole = await documentOf();
    const names = Object.keys(whole);
    expect(names.map((name) => read({ ...whole, [name]: undefined }))).toEqual(names.map(() => null));
  });

  it('a document with an invalid origin, signature or digest of the actions is not a saved plan', async () => {
    const document = await documentOf();
    const names = Object.keys(ORIGIN).filter((name) => name !== 'flags');
    const origins = [
      ...names.map((name) => ({ ...ORIGIN, [name]: 5 })),
      { ...ORIGIN, flags: [] },
      { ...ORIGIN, flags: 'x' },
    ];
    const invalid = [
      ...origins.map((saved) => ({ ...document, saved })),
      { ...document, saved: { ...ORIGIN, group: 'g' } },
      { ...document, signature: 5 },
      { ...document, basis: 'sha256:0' },
      { ...document, actions: [] },
    ];
    expect(invalid.map(read)).toEqual(invalid.map(() => null));
  });

  it('the digest of a saved plan depends on its plan and its origin, but not on its signature, and its creation time is read from its origin', async () => {
    const [plan] = read(await documentOf()) ?? [];
    if (plan === undefined) throw new Error('Bug: the plan is not read');
    const digests = [
      plan,
      { ...plan, signature: 'other' },
      { ...plan, saved: { ...ORIGIN, created_at: 'other' } },
      { ...plan, plan: { ...plan.plan, project: 'other' } },
    ].map((one) => digestOfSavedPlan(one, sha256));
    expect(digests[1]).toBe(digests[0]);
    expect(new Set(digests).size).toBe(3);
    expect(creationTimeOf(plan)).toBe(Date.UTC(2026, 2, 2, 9));
    expect(creationTimeOf({ ...plan, saved: { ...ORIGIN, created_at: 'soon' } })).toBeNaN();
  });

  it('a group digest depends on the files, their plans and their order, and a single plan has no group digest', () => {
    const [one, two] = [
      { file: 'a', basis: 'b' },
      { file: 'c', basis: 'd' },
    ] as const;
    expect(groupDigestOf([one], sha256)).toBeUndefined();
    const digests = [
      [one, two],
      [two, one],
      [one, { ...two, file: 'e' }],
      [one, { ...two, basis: 'e' }],
    ];
    const all = digests.map((plans) => groupDigestOf(plans, sha256));
    expect(new Set(all).size).toBe(4);
    expect(all[0]).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isSigned,
  readSavedPlan,
  createSavedMembers,
  listStaleReasons,
} from '../../../src/apply/saved-plan.ts';
import { createPlanSigner } from '../../../src/cli/session/signatures.ts';
import { sha256 } from '../../../src/cli/files/sha256.ts';
import { Secret } from '../../../src/core/model/secret.ts';
import type { PlanOrigin } from '../../../src/core/report/generated/documents.ts';
import { planMembers } from '../../../src/core/report/plan-document.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { createMemoryService } from '../../support/memory-service.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { START_TIME, createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState, type DeclaredStateBuilder } from '../../support/declared-state.ts';

const SERVICE = 'https://api.example';
const key = new Secret('KEY', 'the key of the account');
const sign = createPlanSigner(key, 'shop');

const origin: PlanOrigin = {
  tool_version: '0.1.0',
  created_at: '2026-03-02T09:00:00.000Z',
  file: '/shop/loadtests.yaml',
  file_digest: 'd1',
  service: SERVICE,
  account: 'a1',
  flags: { run: true },
};

function stage() {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, verified: ['shop.example'], latency: 0 });
  const laptop = createMachine(service, { clock });
  const document = async (declared: DeclaredStateBuilder) => ({
    ...planMembers(await laptop.plan(declared), SERVICE, sha256),
    changes: [],
    danger: [],
  });
  return { service, laptop, document };
}

const shop = declareState().app('shop').test('home', { total: 250 });

async function savePlan(declared = shop) {
  const at = stage();
  await at.laptop.apply(declareState().app('shop').test('home', { total: 10 }));
  const plan = await at.document(declared);
  const envelope = { format_version: 1, command: 'plan', exit_code: 0, problems: [], ...plan };
  const text = JSON.stringify({ ...envelope, ...createSavedMembers(plan, origin, sign) });
  const read = readSavedPlan(text, sha256);
  if (read === null) throw new Error('the plan cannot be read');
  return { ...at, plan, text, read };
}

describe('saved plans', () => {
  test('a saved plan is read unchanged, and its signature is valid only for its key and project', async () => {
    const { plan, read } = await savePlan();
    expect(read).toMatchObject({ plan, saved: origin });
    expect(isSigned(read, sign)).toBe(true);
    expect(isSigned(read, createPlanSigner(new Secret('KEY', 'another key'), 'shop'))).toBe(false);
    expect(isSigned(read, createPlanSigner(key, 'another-project'))).toBe(false);
    expect(plan.actions[0]).toMatchObject({
      verb: 'replace',
      changes: [{ field: '/total', from: 10, to: 250, readable: true }],
    });
  });

  test('a saved plan with a changed byte is rejected unless its content is identical', async () => {
    const { text, read } = await savePlan();
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.integer({ min: 0x20, max: 0x7e }), (at, code) => {
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
        const after = readSavedPlan(changed, sha256);
        if (after !== null && isSigned(after, sign)) expect(after).toEqual(read);
      }),
      { numRuns: scaleCount(3000) },
    );
  });

  test.each(['', 'null', '[]', '{}', '{"saved":{},"actions":[]}', '{"actions":[null],"saved":null}', '{'])(
    'the text %j is not a saved plan',
    (text) => {
      expect(readSavedPlan(text, sha256)).toBeNull();
    },
  );

  test('a saved plan contains no secrets', async () => {
    const { text } = await savePlan(
      shop.test('home', { urls: [{ url: '/', credentials: { login: 'ci', password: 'canary' } }] }),
    );
    expect(text).not.toContain('canary');
  });
});

describe('stale plans', () => {
  test('a saved plan can be applied if nothing has changed', async () => {
    const { read, document } = await savePlan();
    expect(listStaleReasons(read, { plan: await document(shop), saved: origin })).toEqual([]);
  });

  test('changes of unmanaged tests do not make a saved plan stale', async () => {
    const { read, document, service } = await savePlan();
    const [unmanaged] = declareState().app('shop').test('theirs').state.tests;
    if (unmanaged !== undefined) service.addTest(unmanaged.spec);
    service.configure({ shuffle: true });
    expect(
      listStaleReasons(read, { plan: await document(shop), saved: { ...origin, created_at: 'later' } }),
    ).toEqual([]);
  });

  test('changes of source locations and notes do not make a saved plan stale', async () => {
    const { read, plan } = await savePlan();
    const moved = plan.actions.map((action) => ({ ...action, source: { line: 99 }, note: 'x' }));
    expect(listStaleReasons(read, { plan: { ...plan, actions: moved }, saved: origin })).toEqual([]);
  });

  test.each<[string, Partial<PlanOrigin>, string]>([
    ['version', { tool_version: '0.2.0' }, 'created by version 0.1.0, but this is version 0.2.0'],
    ['service', { service: 'https://other.example' }, 'is for https://api.example'],
    ['file', { file_digest: 'd2' }, 'has changed since the plan was created at 2026-03-02'],
  ])('a saved plan is stale if the %s differs', async (_name, changed, message) => {
    const { read, plan } = await savePlan();
    const stale = listStaleReasons(read, { plan, saved: { ...origin, ...changed } });
    expect(stale).toMatchObject([{ code: 'LT_PLAN_STALE', severity: 'error' }]);
    expect(stale[0]?.message).toContain(message);
  });

  test('a saved plan can be applied by another patch version', async () => {
    const { read, plan } = await savePlan();
    expect(listStaleReasons(read, { plan, saved: { ...origin, tool_version: '0.1.9' } })).toEqual([]);
  });

  test('a stale plan is reported with the saved action and the current action', async () => {
    const { read, document, service, laptop } = await savePlan();
    await laptop.apply(declareState().app('shop').test('home', { total: 250 }));
    const [stale] = listStaleReasons(read, { plan: await document(shop), saved: origin });
    const [first, second] = service.tests;
    expect(stale?.message).toBe(
      `test.home: the saved plan contains "replace" (${first?.id ?? ''}, /total 10 → 250), but the current plan contains "no change" (${second?.id ?? ''})`,
    );
  });

  test('a plan is reported as stale after a test was removed or added', async () => {
    const { read, document, service } = await savePlan();
    service.remove(service.tests[0]?.id ?? '');
    const [stale] = listStaleReasons(read, { plan: await document(shop), saved: origin });
    expect(stale?.message).toContain('but the current plan contains "create"');
    const more = shop.test('night', { scheduledAt: START_TIME + 86_400_000 });
    const [, added] = listStaleReasons(read, { plan: await document(more), saved: origin });
    expect(added?.message).toBe(
      'test.night: the saved plan contains no action, but the current plan contains "create"',
    );
  });
});

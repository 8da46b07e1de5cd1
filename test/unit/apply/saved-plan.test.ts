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
  const document = async (declared: DeclaredStateBuilder) =>
    planMembers(await laptop.plan(declared), SERVICE, sha256);
  return { service, laptop, document };
}

const shop = declareState().app('shop').test('home', { total: 250 });

async function saved(declared = shop) {
  const at = stage();
  await at.laptop.apply(declareState().app('shop').test('home', { total: 10 }));
  const plan = await at.document(declared);
  const envelope = { format_version: 1, command: 'plan', exit_code: 0, problems: [], ...plan };
  const text = JSON.stringify({ ...envelope, ...createSavedMembers(plan, origin, sign) });
  const read = readSavedPlan(text, sha256);
  if (read === null) throw new Error('the plan cannot be read');
  return { ...at, plan, text, read };
}

describe('a saved plan', () => {
  test('reads as it was written', async () => {
    const { plan, read } = await saved();
    expect(read).toMatchObject({ plan, saved: origin });
    expect(isSigned(read, sign)).toBe(true);
    expect(isSigned(read, createPlanSigner(new Secret('KEY', 'another key'), 'shop'))).toBe(false);
    expect(isSigned(read, createPlanSigner(key, 'another-project'))).toBe(false);
    expect(plan.actions[0]).toMatchObject({
      verb: 'replace',
      changes: [{ field: '/total', from: 10, to: 250, readable: true }],
    });
  });

  test('with any byte changed is refused, or says the very same', async () => {
    const { text, read } = await saved();
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
    '%j is none',
    (text) => {
      expect(readSavedPlan(text, sha256)).toBeNull();
    },
  );

  test('holds no secret and no spec that was not shown', async () => {
    const { text } = await saved(
      shop.test('home', { urls: [{ url: '/', credentials: { login: 'ci', password: 'canary' } }] }),
    );
    expect(text).not.toContain('canary');
  });
});

describe('whether it still fits', () => {
  test('it does when nothing has changed', async () => {
    const { read, document } = await saved();
    expect(listStaleReasons(read, { plan: await document(shop), saved: origin })).toEqual([]);
  });

  test('tests of others that come and go do not matter', async () => {
    const { read, document, service } = await saved();
    const [foreign] = declareState().app('shop').test('theirs').state.tests;
    if (foreign !== undefined) service.addTest(foreign.spec);
    service.configure({ shuffle: true });
    expect(
      listStaleReasons(read, { plan: await document(shop), saved: { ...origin, created_at: 'later' } }),
    ).toEqual([]);
  });

  test('where it stands in the file does not matter', async () => {
    const { read, plan } = await saved();
    const moved = plan.actions.map((action) => ({ ...action, source: { line: 99 }, note: 'x' }));
    expect(listStaleReasons(read, { plan: { ...plan, actions: moved }, saved: origin })).toEqual([]);
  });

  test.each<[string, Partial<PlanOrigin>, string]>([
    ['another version', { tool_version: '0.2.0' }, 'made by version 0.1.0, but this is 0.2.0'],
    ['another service', { service: 'https://other.example' }, 'is for https://api.example'],
    ['another file', { file_digest: 'd2' }, 'has changed since the plan was made at 2026-03-02'],
  ])('%s is told', async (_name, changed, message) => {
    const { read, plan } = await saved();
    const stale = listStaleReasons(read, { plan, saved: { ...origin, ...changed } });
    expect(stale).toMatchObject([{ code: 'LT_PLAN_STALE', severity: 'error' }]);
    expect(stale[0]?.message).toContain(message);
  });

  test('a patch version is none', async () => {
    const { read, plan } = await saved();
    expect(listStaleReasons(read, { plan, saved: { ...origin, tool_version: '0.1.9' } })).toEqual([]);
  });

  test('what it relies on is told: what was expected, what is there, what would happen now', async () => {
    const { read, document, service, laptop } = await saved();
    await laptop.apply(declareState().app('shop').test('home', { total: 250 }));
    const [stale] = listStaleReasons(read, { plan: await document(shop), saved: origin });
    const [first, second] = service.tests;
    expect(stale?.message).toBe(
      `test.home: the plan expected replace ${first?.id ?? ''} (/total 10 → 250), but now it would be no-op ${second?.id ?? ''}`,
    );
  });

  test('a test that was removed and one that appeared are told', async () => {
    const { read, document, service } = await saved();
    service.remove(service.tests[0]?.id ?? '');
    const [stale] = listStaleReasons(read, { plan: await document(shop), saved: origin });
    expect(stale?.message).toContain('now it would be create');
    const more = shop.test('night', { scheduledAt: START_TIME + 86_400_000 });
    const [, added] = listStaleReasons(read, { plan: await document(more), saved: origin });
    expect(added?.message).toBe('test.night: the plan expected nothing, but now it would be create');
  });
});

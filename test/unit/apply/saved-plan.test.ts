import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  groupDigestOf,
  isSigned,
  readSavedPlans,
  createSavedMembers,
  listPlanChanges,
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

function stage(verified: readonly string[] = ['shop.example']) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, verified, latency: 0 });
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
  const [read] = readSavedPlans(text, sha256) ?? [];
  if (read === undefined) throw new Error('the plan cannot be read');
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

  test('a saved plan with a changed byte is rejected unless its parsed content is identical', async () => {
    const { text, read } = await savePlan();
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.integer({ min: 0x20, max: 0x7e }), (at, code) => {
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
        const [after] = readSavedPlans(changed, sha256) ?? [];
        if (after !== undefined && isSigned(after, sign)) expect(after).toEqual(read);
      }),
      { numRuns: scaleCount(3000) },
    );
  });

  test.each(['', 'null', '[]', '{}', '{"saved":{},"actions":[]}', '{"actions":[null],"saved":null}', '{'])(
    'the text %j is not a saved plan',
    (text) => {
      expect(readSavedPlans(text, sha256)).toBeNull();
    },
  );

  test('plans that were saved together are accepted only together and in their original order', async () => {
    const plans = [await savePlan(), await savePlan(shop.test('home', { total: 300 }))].map(
      ({ plan }, index) => ({ plan, origin: { ...origin, file: `${index}.yaml` } }),
    );
    const group = groupDigestOf(
      plans.map(({ plan, origin: { file } }) => ({ file, basis: plan.basis })),
      sha256,
    );
    const projects = plans.map(({ plan, origin: of }) => ({
      file: of.file,
      report: { ...plan, ...createSavedMembers(plan, { ...of, ...(group && { group }) }, sign) },
    }));
    const read = (all: readonly unknown[]) => readSavedPlans(JSON.stringify({ projects: all }), sha256);
    const whole = read(projects);
    expect(whole?.map(({ saved }) => saved.file)).toEqual(['0.yaml', '1.yaml']);
    expect(whole?.every((plan) => isSigned(plan, sign))).toBe(true);
    expect(read(projects.slice(0, 1))).toBeNull();
    expect(read(projects.toReversed())).toBeNull();
    expect(readSavedPlans(JSON.stringify(projects[0]?.report), sha256)).toBeNull();
    expect(read([])).toBeNull();
  });

  test('a saved plan does not contain the password of a URL', async () => {
    const { text } = await savePlan(
      shop.test('home', { urls: [{ url: '/', credentials: { login: 'ci', password: 'canary' } }] }),
    );
    expect(text).not.toContain('canary');
  });
});

describe('stale plans', () => {
  test('a saved plan is not stale if nothing has changed', async () => {
    const { read, document } = await savePlan();
    expect(listStaleReasons(read, { plan: await document(shop), saved: origin }, sha256)).toEqual([]);
  });

  test('a saved plan is not stale after another command has registered and verified its app', async () => {
    const { document, laptop } = stage([]);
    const shared = declareState().app('shop');
    const before = await document(shared.test('home', { total: 250 }));
    expect(before.actions.map(({ verb }) => verb)).toEqual(['register', 'verify', 'create']);
    await laptop.apply(shared);
    const after = await document(shared.test('home', { total: 250 }));
    expect(listPlanChanges(before, after, sha256)).toEqual([]);
    // A registration that the approved plan does not contain is a change.
    expect(listPlanChanges(after, before, sha256)).not.toEqual([]);
  });

  test('a new unmanaged test and a different order of tests do not make a saved plan stale', async () => {
    const { read, document, service } = await savePlan();
    const [unmanaged] = declareState().app('shop').test('theirs').state.tests;
    if (unmanaged !== undefined) service.addTest(unmanaged.spec);
    service.configure({ shuffle: true });
    expect(
      listStaleReasons(
        read,
        { plan: await document(shop), saved: { ...origin, created_at: 'later' } },
        sha256,
      ),
    ).toEqual([]);
  });

  test('changes of source locations and notes do not make a saved plan stale', async () => {
    const { read, plan } = await savePlan();
    const moved = plan.actions.map((action) => ({ ...action, source: { line: 99 }, note: 'x' }));
    expect(listStaleReasons(read, { plan: { ...plan, actions: moved }, saved: origin }, sha256)).toEqual([]);
  });

  test.each<[string, Partial<PlanOrigin>, string]>([
    [
      'minor version of loadtests',
      { tool_version: '0.2.0' },
      'created by loadtests 0.1.0, but this is loadtests 0.2.0',
    ],
    ['service', { service: 'https://other.example' }, 'was created for the service https://api.example'],
    ['content of the file', { file_digest: 'd2' }, 'has changed since the plan was created at 2026-03-02'],
  ])('a saved plan is stale if the %s differs', async (_name, changed, message) => {
    const { read, plan } = await savePlan();
    const stale = listStaleReasons(read, { plan, saved: { ...origin, ...changed } }, sha256);
    expect(stale).toMatchObject([{ code: 'LT_PLAN_STALE', severity: 'error' }]);
    expect(stale[0]?.message).toContain(message);
  });

  test('a saved plan is not stale if only the patch version of loadtests differs', async () => {
    const { read, plan } = await savePlan();
    expect(listStaleReasons(read, { plan, saved: { ...origin, tool_version: '0.1.9' } }, sha256)).toEqual([]);
  });

  test('the problem about a stale plan contains the saved action and the current action', async () => {
    const { read, document, service, laptop } = await savePlan();
    await laptop.apply(declareState().app('shop').test('home', { total: 250 }));
    const [stale] = listStaleReasons(read, { plan: await document(shop), saved: origin }, sha256);
    const [first, second] = service.tests;
    expect(stale?.message).toBe(
      `test.home: the approved plan contains "replace" (${first?.id ?? ''}, /total 10 → 250), but the current plan contains "no change" (${second?.id ?? ''})`,
    );
  });

  test('a saved plan is stale after a test is removed from the service or added to the file', async () => {
    const { read, document, service } = await savePlan();
    service.remove(service.tests[0]?.id ?? '');
    const [stale] = listStaleReasons(read, { plan: await document(shop), saved: origin }, sha256);
    expect(stale?.message).toContain('but the current plan contains "create"');
    const more = shop.test('night', { scheduledAt: START_TIME + 86_400_000 });
    const [, added] = listStaleReasons(read, { plan: await document(more), saved: origin }, sha256);
    expect(added?.message).toBe(
      'test.night: the approved plan contains no action, but the current plan contains "create"',
    );
  });
});

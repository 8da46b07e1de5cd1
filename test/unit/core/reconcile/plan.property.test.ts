/** Properties of plans for any declaration, on a service with any behavior. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testKey } from '../../../../src/core/model/ids.ts';
import type { DeclaredTest, LoadTestSpec, TargetSpec } from '../../../../src/core/model/load-test.ts';
import { NO_REGRESSION } from '../../../../src/core/model/regression.ts';
import type { DesiredState } from '../../../../src/core/model/state.ts';
import { sha256 } from '../../../../src/cli/files/sha256.ts';
import type { RequestBody } from '../../../../src/core/model/request-body.ts';
import { milliseconds, seconds } from '../../../../src/core/units.ts';
import { planMembers } from '../../../../src/core/report/plan-document.ts';
import type { Plan } from '../../../../src/core/reconcile/plan.ts';
import { arbitrarySpec, arbitrarySpelling } from '../../../support/arbitrary-declarations.ts';
import { createMachine } from '../../../support/simulated-machine.ts';
import { createMemoryService } from '../../../support/memory-service.ts';
import { scaleCount } from '../../../support/test-scale.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { declareState, type DeclaredStateBuilder } from '../../../support/declared-state.ts';

const base = declareState().app('shop').app('search').state;

function declare(specs: readonly LoadTestSpec[]): DeclaredStateBuilder {
  const tests = specs.map((spec, index): DeclaredTest => ({
    key: testKey(`test-${index}`),
    spec,
    thresholds: [],
    regression: NO_REGRESSION,
    urlNames: [],
    needs: [],
    parallel: false,
    adopt: null,
    source: null,
  }));
  const state: DesiredState = { ...base, tests };
  return declareState(state);
}

function stage(options: Parameters<typeof createMemoryService>[0] | Record<string, unknown> = {}) {
  const clock = createVirtualClock();
  const verified = ['shop.example', 'search.example'];
  const service = createMemoryService({ clock, verified, latency: 0, runFor: 1, ...options });
  return { service, laptop: createMachine(service, { clock }) };
}

const specs = fc.array(arbitrarySpec, { minLength: 1, maxLength: 3 });

/** The members of a plan that reports contain. */
function essence(plan: Plan): unknown {
  return planMembers(plan, 'https://api.example', sha256);
}

function expectNoChanges(plan: Plan): void {
  expect(plan.actions.filter(({ verb }) => verb !== 'no-op')).toEqual([]);
  expect(plan.drift).toEqual([]);
  expect(plan.problems).toEqual([]);
}

describe('plans for any declaration', () => {
  test('a plan after an apply has no changes', async () => {
    await fc.assert(
      fc.asyncProperty(specs, arbitrarySpelling, fc.boolean(), async (declaredSpecs, spelling, shuffle) => {
        const { laptop } = stage({ spelling, shuffle });
        const declared = declare(declaredSpecs);
        const { exit } = await laptop.apply(declared);
        expect(exit).toBe(0);
        expectNoChanges(await laptop.plan(declared));
        expectNoChanges(await laptop.withoutState().plan(declared));
      }),
      { numRuns: scaleCount(300) },
    );
  });

  test('a plan has no changes if the service returns a different spelling of the fields', async () => {
    await fc.assert(
      fc.asyncProperty(specs, arbitrarySpelling, arbitrarySpelling, async (declaredSpecs, before, after) => {
        const { service, laptop } = stage({ spelling: before });
        const declared = declare(declaredSpecs);
        await laptop.apply(declared);
        service.configure({ spelling: after, shuffle: true });
        expectNoChanges(await laptop.plan(declared));
      }),
      { numRuns: scaleCount(200) },
    );
  });

  test('a plan does not depend on the order of the lists that the service returns', async () => {
    await fc.assert(
      fc.asyncProperty(specs, specs, specs, async (first, second, third) => {
        const { service, laptop } = stage();
        await laptop.apply(declare(first));
        await laptop.apply(declare(second), { plan: { only: ['test-0', 'test-1'] } });
        // A plan shows the last of several earlier versions in the list, so at most one is left here.
        for (const key of ['test-0', 'test-1']) {
          const versions = service.tests.filter(({ spec }) => spec.notes?.includes(` k=${key} `) === true);
          for (const { id } of versions.slice(0, -1)) service.remove(id);
        }
        const plan = await laptop.plan(declare(third));
        service.configure({ shuffle: true });
        expect(essence(await laptop.plan(declare(third)))).toEqual(essence(plan));
      }),
      { numRuns: scaleCount(100) },
    );
  });

  test('if a file returns to an earlier declaration, the earlier test is reused, and no test is created', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySpec, arbitrarySpec, arbitrarySpelling, async (earlier, later, spelling) => {
        const { service, laptop } = stage({ spelling });
        await laptop.apply(declare([earlier]));
        await laptop.apply(declare([later]));
        const created = service.count('createTest');
        const stopped = service.count('stopTest');
        const { plan } = await laptop.apply(declare([earlier]));
        expect(plan.summary).toMatchObject({ create: 0, replace: 0, unchanged: 1 });
        expect(service.count('createTest')).toBe(created);
        // At most the schedule of the other test is stopped.
        expect(service.count('stopTest') - stopped).toBe(plan.summary.stop);
      }),
      { numRuns: scaleCount(150) },
    );
  });

  test('a plan shows exactly the field that was changed', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySpec, arbitrarySpelling, fc.nat(), async (spec, spelling, pick) => {
        const { laptop } = stage({ spelling });
        await laptop.apply(declare([spec]));
        const [field, changed] = changedField(spec, pick);
        const plan = await laptop.plan(declare([changed]));
        const action = plan.actions.find(({ verb }) => verb === 'replace');
        expect(
          action !== undefined && 'changes' in action ? action.changes.map((one) => one.field) : [],
        ).toEqual([field]);
      }),
      { numRuns: scaleCount(400) },
    );
  });
});

/** Returns a spec in which one field has another value, and the pointer of the field. */
function changedField(spec: LoadTestSpec, pick: number): [string, LoadTestSpec] {
  const index = pick % spec.targets.length;
  const withTarget = (change: Partial<TargetSpec>): LoadTestSpec => ({
    ...spec,
    targets: spec.targets.map((target, at) => (at === index ? { ...target, ...change } : target)),
  });
  const target = spec.targets[index];
  const body = target?.body ?? null;
  const at = `/urls/${index}`;
  const changes: readonly [string, LoadTestSpec][] = [
    ['/name', { ...spec, name: 'Another name' }],
    ...changedLoads(spec),
    ['/timeout', { ...spec, timeout: milliseconds((spec.timeout ?? 10_000) + 1) }],
    ['/error_threshold', { ...spec, errorThreshold: ((spec.errorThreshold ?? 50) + 1) % 101 }],
    ['/callback', { ...spec, callback: 'https://ci.example/another' }],
    ['/callback_email', { ...spec, callbackEmail: 'another@shop.example' }],
    ['/scheduled_at', { ...spec, scheduledAt: Date.UTC(2027, 0) }],
    ['/notes', { ...spec, notes: 'Another note' }],
    ['/keep_alive', { ...spec, keepAlive: spec.keepAlive === false }],
    ['/tls_verify', { ...spec, tlsVerify: spec.tlsVerify === false }],
    [`${at}/request_type`, withTarget({ method: target?.method === 'POST' ? null : 'POST' })],
    [`${at}/headers/x-another`, withTarget({ headers: [...(target?.headers ?? []), another('X-Another')] })],
    ...changedBodies(body).map(([pointer, changed]): [string, LoadTestSpec] => [
      at + pointer,
      withTarget({ body: changed }),
    ]),
    [`${at}/payload_file_url`, withTarget({ payloadFileUrl: 'https://shop.example/another.json' })],
    [`${at}/credentials/login`, withTarget({ credentials: { login: 'another-login', password: 'p' } })],
  ];
  const [first] = changes;
  if (first === undefined) throw new Error('no changes');
  return changes[pick % changes.length] ?? first;
}

/** Stages replace total and duration. */
function changedBodies(body: RequestBody | null): readonly [string, RequestBody][] {
  switch (body?.kind) {
    case undefined:
    case 'params': {
      const fields = [...(body?.fields ?? []), another('another-one-too')];
      return [['/request_params/another-one-too', { kind: 'params', fields }]];
    }
    case 'text':
    case 'json':
      return [['/raw_post_body', { kind: body.kind, text: 'another body' }]];
    case 'file':
      return [['/body_file', { kind: 'file', file: { sha256: 'f'.repeat(64), declared: null } }]];
    case 'multipart': {
      const [first, ...rest] = body.parts;
      if (first === undefined) return [];
      const part = { ...('value' in first ? first : { name: first.name }), value: 'another value' };
      return [[`/multipart/${first.name}`, { kind: 'multipart', parts: [part, ...rest] }]];
    }
  }
}

function changedLoads(spec: LoadTestSpec): readonly [string, LoadTestSpec][] {
  const longer = { ...spec, duration: seconds(spec.duration / 1000 + 1) };
  if (spec.stages !== null) {
    return [['/stages', { ...longer, stages: [...spec.stages, { duration: seconds(1), to: 1 }] }]];
  }
  return [
    ['/total', { ...spec, total: (spec.total ?? 60) + 1 }],
    ['/duration', longer],
  ];
}

function another(name: string) {
  return { name, value: 'another' };
}

/** Random sequences of faults: the outcomes that the client reports must match the work of the service. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CallError, type CallOutcome } from '../../src/core/call-error.ts';
import { testId } from '../../src/core/model/ids.ts';
import { milliseconds } from '../../src/core/units.ts';
import { createHostedClient, homeSpec, SHOP } from '../support/hosted-client.ts';
import { HOSTED_DEFAULTS } from '../support/hosted-options.ts';
import {
  HTML_PAGE,
  startHostedService,
  type HostedFault,
  type FaultResponse,
} from '../support/hosted-service.ts';
import { scaleCount } from '../support/test-scale.ts';

const refusal = { message: 'error', errors: ['no'] };

/** Responses that do not show whether the service did the work. */
const unclear: readonly FaultResponse[] = [
  'reset',
  'hang',
  'page',
  { status: 500, body: refusal },
  { status: 502, body: HTML_PAGE },
  { status: 503, headers: { 'retry-after': '0' } },
  { status: 302, headers: { location: '/elsewhere' } },
  { status: 200 },
  { status: 200, body: { message: 'success', test_id: {}, app_id: [], result_id: {} } },
  { status: 200, body: [null] },
  { status: 404, body: HTML_PAGE },
];

/** Responses that a correct service sends only if it did not do the work. */
const clear: readonly FaultResponse[] = [
  { status: 200, body: refusal },
  { status: 422, body: refusal },
  { status: 404, body: refusal },
  { status: 429, body: refusal },
  { status: 429, headers: { 'retry-after': '0' } },
];

/** Faults of a response to work that was done. */
const late: readonly FaultResponse[] = ['cut', 'truncated', { delay: 5 }];

const on = fc.constantFrom('registerApp', 'createTest', 'runTest', 'listTests' as const);
const call = fc.integer({ min: 1, max: 4 });
const times = fc.integer({ min: 1, max: 3 });
const fault: fc.Arbitrary<HostedFault> = fc.oneof(
  fc.record({ on, call, times, executed: fc.boolean(), response: fc.constantFrom(...unclear) }),
  fc.record({ on, call, times, response: fc.constantFrom(...clear) }),
  fc.record({ on, call, times, response: fc.constantFrom(...late) }),
);
const steps = fc.array(fc.constantFrom('register', 'create', 'start', 'read' as const), {
  minLength: 1,
  maxLength: 8,
});

it('under random faults, the service executes at least as many calls as the client reports as successful, and at most as many as it reports as successful or unknown', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.array(fault, { maxLength: 6 }), async (plan, faults) => {
      const service = await startHostedService({ verifiedHosts: [SHOP], runFor: 0 });
      const client = createHostedClient(service.url, {
        requestTimeout: milliseconds(80),
        tuning: { backoff: milliseconds(1) },
      });
      const existing = service.state.addTest({
        test_type: 'cycling',
        duration: 60,
        urls: [{ url: `http://${SHOP}/` }],
      });
      for (const one of faults) service.injectFault(one);
      const reported = {
        register: { done: 0, unknown: 0 },
        create: { done: 0, unknown: 0 },
        start: { done: 0, unknown: 0 },
      };
      try {
        for (const [at, step] of plan.entries()) {
          if (step === 'read') {
            await outcomeOf(client.listTests());
            continue;
          }
          const outcome = await outcomeOf(
            step === 'register'
              ? client.registerApp(`shop-${at}.example.com`)
              : step === 'create'
                ? client.createTest({ spec: homeSpec, notes: `n${at}`, nonce: `n${at}` })
                : client.runTest(testId(existing.id), `n${at}`),
          );
          if (outcome === 'done') reported[step].done++;
          if (outcome === 'unknown') reported[step].unknown++;
        }
        const done = {
          register: service.state.apps.length - 1,
          create: service.state.tests.length - 1,
          start: existing.results.length,
        };
        for (const step of ['register', 'create', 'start'] as const) {
          expect(done[step]).toBeGreaterThanOrEqual(reported[step].done);
          expect(done[step]).toBeLessThanOrEqual(reported[step].done + reported[step].unknown);
        }
        const created = service.state.tests.map((test) => test.fields['notes']);
        expect(new Set(created).size).toBe(created.length);
      } finally {
        await client.close();
        await service.close();
      }
    }),
    { numRuns: scaleCount(300) },
  );
});

async function outcomeOf(call: Promise<unknown>): Promise<CallOutcome | 'done'> {
  try {
    await call;
    return 'done';
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    expect([JSON.stringify(error), error.stack].join()).not.toContain(HOSTED_DEFAULTS.key);
    return error.outcome;
  }
}

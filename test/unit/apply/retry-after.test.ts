/** Retry-After delays that a service requests are limited by the timeouts of the command. */
import { describe, expect, test } from 'vitest';
import { awaitRun } from '../../../src/apply/runs/await-run.ts';
import { verifyApp } from '../../../src/apply/apps/prepare-app.ts';
import { stopTest } from '../../../src/apply/tests/stop-test.ts';
import { CallError } from '../../../src/core/call-error.ts';
import type { DeclaredApp } from '../../../src/core/model/app.ts';
import { appId, appKey, testId, testKey } from '../../../src/core/model/ids.ts';
import { NO_REGRESSION } from '../../../src/core/model/regression.ts';
import type { RetryBounds, ServicePort } from '../../../src/core/ports/service-port.ts';
import { problem } from '../../../src/core/problem.ts';
import { milliseconds, seconds } from '../../../src/core/units.ts';
import { createApplyContext } from '../../support/apply-context.ts';
import { homeSpec } from '../../support/hosted-client.ts';
import { createMemoryService } from '../../support/memory-service.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const HOUR = milliseconds(3_600_000);

/** Creates a service that refuses every request with a retry delay of one hour. */
function createBusyContext(signal = new AbortController().signal) {
  const clock = createVirtualClock();
  const bounds: (number | undefined)[] = [];
  const busy = () =>
    Promise.reject(
      new CallError(problem('LT_API_REFUSED', 'busy'), {
        outcome: 'refused',
        status: 429,
        errors: ['busy'],
        transient: true,
        retryAfter: HOUR,
      }),
    );
  const read = (readBounds?: RetryBounds) => {
    bounds.push(readBounds?.within);
    return busy();
  };
  const service: ServicePort = {
    ...createMemoryService({ clock }).port,
    getTest: (_, readBounds) => read(readBounds),
    listResults: (_, readBounds) => read(readBounds),
    getResult: (_, __, readBounds) => read(readBounds),
    stopTest: busy,
    verifyApp: busy,
  };
  const context = createApplyContext({ service, clock, interrupted: signal });
  const begin = clock.now();
  return { context, bounds, waited: () => clock.now() - begin };
}

const run = {
  test: {
    key: testKey('home'),
    spec: homeSpec,
    thresholds: [],
    regression: NO_REGRESSION,
    urlNames: [],
    needs: [],
    parallel: false,
    adopt: null,
    source: null,
  },
  id: testId('t'),
  resultId: null,
  priorResults: [],
  isRerun: false,
  timeout: 5000,
  sentAt: null,
} as const;

describe('long retry delays', () => {
  test('a retry delay of one hour does not extend the wait for a run beyond its timeout', async () => {
    const { context, bounds, waited } = createBusyContext();
    await expect(awaitRun(run, context, context.interrupted)).rejects.toThrow('busy');
    expect(waited()).toBeLessThanOrEqual(5_001);
    for (const within of bounds) expect(within).toBeLessThanOrEqual(5000);
  });

  test('after a signal, a read request without a response extends the wait for a run by at most one second', async () => {
    const signal = new AbortController();
    const { context, waited } = createBusyContext(signal.signal);
    const never = new Promise<never>(() => undefined);
    const service = { ...context.service, getTest: () => never };
    const followed = awaitRun({ ...run, timeout: HOUR }, { ...context, service }, signal.signal);
    signal.abort();
    expect((await followed).kind).toBe('interrupted');
    expect(waited()).toBeLessThanOrEqual(1000);
  });

  test('a retry delay of one hour does not extend a stop request beyond its timeout', async () => {
    const { context, bounds, waited } = createBusyContext();
    await expect(stopTest({ id: testId('t') }, context, 10_000)).rejects.toThrow('busy');
    expect(waited()).toBeLessThanOrEqual(10_000);
    for (const within of bounds) expect(within).toBeLessThanOrEqual(10_000);
  });

  test('a retry delay of one hour does not extend a verification beyond the maximum wait for its app', async () => {
    const { context, waited } = createBusyContext();
    const shop: DeclaredApp = {
      key: appKey('shop'),
      host: 'shop.example',
      method: 'http',
      publish: { kind: 'manual' },
      wait: seconds(20),
      connection: null,
      source: null,
    };
    const registered = { id: appId('a'), verificationId: 'v' };
    await expect(verifyApp(shop, registered, context)).rejects.toThrow('is not verified');
    expect(waited()).toBeLessThanOrEqual(20_000);
  });
});

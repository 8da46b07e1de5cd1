/** The numbers of requests that a plan states for groups are bounds of what runs do. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countRequests,
  iterationsOf,
  requestsPerIteration,
  type WithIterations,
} from '../../../src/core/model/iteration.ts';
import { arbitraryGroups } from '../../support/arbitrary-groups.ts';
import { openRawTarget, responseText } from '../../support/raw-target.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

const VARIABLES = [
  { name: 'state', json: '/state' },
  { name: 'count', json: '/count' },
  { name: 'list', json: '/list/*', pick: 'all' },
] as const;

const arbitraryTest = fc
  .record({
    urls: fc.integer({ min: 1, max: 5 }),
    clients: fc.integer({ min: 1, max: 6 }),
    threads: fc.constantFrom(1, 4),
    testType: fc.constantFrom('non-cycling' as const, 'cycling' as const),
    states: fc.array(fc.constantFrom('done', 'open', 'a b', ''), { minLength: 1, maxLength: 5 }),
  })
  .chain((one) => {
    const targets = Array.from({ length: one.urls });
    const ranges = iterationsOf({ targets, flows: null, groups: null });
    const names = VARIABLES.map(({ name }) => name);
    return arbitraryGroups(ranges, names, true).map((groups) => ({ ...one, groups }));
  });

test('in a test with groups, the sent and skipped requests of each URL add up to the planned number, and open tests send a number between the calculated minimum and maximum', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryTest, async ({ urls, clients, threads, testType, states, groups }) => {
      let answers = 0;
      const shop = await openRawTarget((_request, write) => {
        const state = states[answers % states.length];
        const list = Array.from({ length: answers % 4 }, (_, index) => index);
        const body = JSON.stringify({ state, count: answers % 3, list });
        answers++;
        // A closed test would otherwise begin iterations without an end.
        setTimeout(write, 50, responseText(200, body));
      });
      const targets = Array.from({ length: urls }, (_, index) =>
        targetOf(shop.port, { path: `/${index}`, variables: VARIABLES }),
      );
      const pace = { testType, threads, initial: clients, total: clients, duration: 1000 };
      const report = await runInVirtualTime(jobOf(targets, { ...pace, groups }), shop);
      const spec: WithIterations = { targets, flows: null, groups };
      const [min, max] = [requestsPerIteration(spec, 'min'), requestsPerIteration(spec)];
      const exact = countRequests(spec, { first: 0, stride: 1, clients });
      report.targets.forEach(({ ledger }, index) => {
        expect(shop.requests.filter(({ path }) => path === `/${index}`)).toHaveLength(ledger.started);
        expect(ledger.planned).toBe(ledger.started + ledger.notStarted.condition);
        if (testType === 'cycling') return;
        expect(ledger.planned).toBe(exact[index]);
        expect(ledger.started).toBeGreaterThanOrEqual(clients * (min[index] ?? 0));
        expect(ledger.started).toBeLessThanOrEqual(clients * (max[index] ?? 0));
      });
    }),
    { numRuns: scaleCount(15) },
  );
});

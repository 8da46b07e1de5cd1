import { describe, expect, test } from 'vitest';
import type { TestDeletion } from '../../../src/core/report/generated/documents.ts';
import { deletionPlanText } from '../../../src/report/destroy-text.ts';
import { NO_PAINT } from '../../../src/report/paint.ts';

function planTextFor(results: readonly (number | null)[]): string {
  const tests = results.map((count, index): TestDeletion => ({
    address: `test.t${index}`,
    test_id: `id${index}`,
    name: null,
    state: 'ended',
    results: count,
  }));
  const app = {
    address: 'app.shop',
    host: 'shop.example',
    app_id: 'a1',
    outcome: 'not_attempted',
    tests,
  } as const;
  return deletionPlanText(
    { command: 'destroy', project: 'shop', environment: null, service: 'embedded', apps: [app] },
    NO_PAINT,
  );
}

describe('the planned deletions of destroy', () => {
  test.each([
    [[1, 2], 'To delete: 1 app, 2 tests, 3 results. This cannot be undone.'],
    [[1, null], 'To delete: 1 app, 2 tests, at least 1 result. This cannot be undone.'],
  ])('for tests with the numbers of results %j, the summary is %j', (results, summary) => {
    expect(planTextFor(results)).toContain(`\n${summary}\n`);
  });
});

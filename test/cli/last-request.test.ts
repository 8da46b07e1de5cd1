/** A run sends its last request within the time that its plan states. */
// @module-tag load
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess } from '../support/in-process-cli.ts';
import { openTestTarget } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

interface PlanDocument {
  readonly load: { readonly seconds: number; readonly seconds_vary?: true };
  readonly actions: readonly {
    readonly load: {
      readonly seconds: number;
      readonly drain_seconds?: number;
      readonly phase_seconds?: number;
    } | null;
  }[];
}

/** Time for which a busy machine may delay requests. A run without a bound would continue for 100 s. */
const SLACK_MS = 30_000;

test.each([
  ['cycling', 2.5, 'total: 3'],
  ['per-second', 2.5, 'total: 3'],
  ['per-second', 4.5, 'total: 3', 10],
])(
  'the plan of a %s test states that iterations end within %d s of the start of the load, and the run exceeds the planned time by at most 30 s',
  async (type, longest, load, delay = 0) => {
    const times: number[] = [];
    const target = await openTestTarget((request, response) => {
      if (request.url?.startsWith('/shop') === true) times.push(performance.now());
      setTimeout(() => response.end('hello'), request.url === '/shop' ? 500 : 0);
    });
    const directory = createTestDirectory();
    writeFileSync(
      join(directory, 'loadtests.yaml'),
      `version: 1
project: shop
apps: { shop: "${target.host}" }
limits: { max_duration: 60s }
tests:
  home:
    test_type: ${type}
    ${load}
    duration: 1s
    timeout: 1500ms
    error_threshold: 100
    setup: { urls: ['${target.url}/shop/setup'] }
    urls: [{ repeat: 201, urls: [{ url: '${target.url}/shop', delay: ${delay}ms }] }]
    teardown: { urls: ['${target.url}/shop/teardown', '${target.url}/shop/teardown'] }
`,
    );
    const planned = await runInProcess(['plan', '--json'], { directory });
    const document = JSON.parse(planned.stdout) as PlanDocument; // as its schema has it
    const { seconds, drain_seconds: drain, phase_seconds: phases } = document.actions.at(-1)?.load ?? {};
    expect({ seconds, drain, phases }).toEqual({ seconds: 1, drain: longest - 1, phases: 4.5 });
    expect(document.load).toMatchObject({ seconds: longest + 4.5, seconds_vary: true });
    const { exit, stderr } = await runInProcess(['apply', '--yes'], { directory });
    expect([0, 10, 11], stderr).toContain(exit);
    const lasted = Math.max(...times) - Math.min(...times);
    expect(lasted).toBeLessThanOrEqual((longest + 4.5) * 1000 + SLACK_MS);
    expect(times.length).toBeGreaterThan(6);
  },
);

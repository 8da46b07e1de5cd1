/** The flag `--threads`. */
// @module-tag load
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInProcess } from '../support/in-process-cli.ts';
import { openTestTarget, withDelay } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

async function project(service = '') {
  const target = await openTestTarget(withDelay((_, response) => response.end()));
  const directory = createTestDirectory();
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `version: 1
project: shop
${service}
apps: { shop: "${target.host}" }
tests:
  home: { test_type: cycling, initial: 4, total: 4, duration: 1s, urls: ['${target.url}/'] }
`,
  );
  return directory;
}

interface RunDocument {
  readonly runs: readonly {
    readonly result: {
      readonly generator: { readonly threads: number };
      readonly machine: { readonly thread_reason: string; readonly thread_loads: readonly object[] };
    };
  }[];
}

describe('the flag --threads', () => {
  test('apply and run use the thread count from --threads, up to one thread per connection, and record the count', async () => {
    const directory = await project();
    const threadsOf = async (...args: readonly string[]) => {
      const { stdout, exit } = await runInProcess([...args, '--yes', '--json'], { directory });
      expect(exit).toBe(0);
      const { generator, machine } = (JSON.parse(stdout) as RunDocument).runs[0]?.result ?? {};
      return [generator?.threads, machine?.thread_loads.length, machine?.thread_reason];
    };
    expect(await threadsOf('apply', '--threads', '3')).toEqual([3, 3, 'asked']);
    expect(await threadsOf('run', 'home', '--threads', '9')).toEqual([4, 4, 'asked']);
    expect(await threadsOf('run', 'home')).toEqual([1, 1, 'load']);
  });

  test('the flag --threads is rejected for a hosted service', async () => {
    const directory = await project('service: { base_url: "http://127.0.0.1:9" }');
    const env = { LOADTESTS_API_KEY: 'k'.repeat(32), LOADTESTS_BASE_URL: 'http://127.0.0.1:9' };
    const ran = await runInProcess(['apply', '--yes', '--threads', '3'], { directory, env });
    expect(ran.exit).toBe(3);
    expect(ran.stderr).toContain(
      '--threads applies only to the embedded service, but http://127.0.0.1:9 generates the load',
    );
  });
});

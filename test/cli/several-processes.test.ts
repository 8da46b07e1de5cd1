import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { copyExamples, ownFolder, run, start } from '../rig/cli.ts';
import { openTarget, pages } from '../rig/target.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

interface StatusDocument {
  readonly tests: readonly { readonly address: string; readonly state: string | null }[];
}

/**
 * A folder with a file that loads a small target on this machine, on the embedded service. Without thresholds nothing
 * is judged, which a busy machine might not allow.
 */
async function project(duration: string, thresholds = '{}') {
  const target = await openTarget(pages({ '/': 'hello' }));
  const folder = ownFolder();
  copyExamples(join(EXAMPLES, 'shop'), join(folder, 'examples/shop'));
  writeFileSync(
    join(folder, 'loadtests.yaml'),
    `version: 1
project: shop
apps: { shop: "${target.host}" }
tests:
  home:
    test_type: per-second
    total: 5
    duration: ${duration}
    urls: [${target.url}/]
    thresholds: ${thresholds}
`,
  );
  return { folder, target };
}

describe('two commands in one folder', () => {
  test('share one service: the second one sees and stops the load of the first', async () => {
    const { folder } = await project('50s', "{ error_rate: '< 1%' }");
    const apply = start(['apply', '--yes'], { folder });
    await apply.saw('created');
    const status = await run(['status', '--json'], { folder });
    expect(status.exit).toBe(0);
    expect((JSON.parse(status.stdout) as StatusDocument).tests).toMatchObject([
      { address: 'test.home', state: 'running' },
    ]);
    const stop = start(['stop', 'home', '--yes'], { folder });
    const { exit, stderr } = await stop.ended;
    expect([exit, stderr]).toEqual([0, '']);
    const applied = await apply.ended;
    expect(applied.exit).toBe(11);
    const who = `inconclusive (the run ended early: stopped by loadtests stop (process ${String(stop.pid)}) at 20`;
    expect(applied.stdout).toContain(who);
    expect((await run(['results', 'home'], { folder })).stdout).toContain(who);
    expect((await run(['status'], { folder })).stdout).toContain(who);
  });

  test('do not write at the same time: the second one gives up after its patience', async () => {
    const { folder } = await project('20s');
    const apply = start(['apply', '--yes'], { folder });
    await apply.saw('created');
    const second = await run(['apply', '--yes', '--lock-timeout', '200ms'], { folder });
    expect(second.exit).toBe(9);
    expect(second.stderr).toContain('LT_CLI_LOCKED');
    apply.kill('SIGINT');
    expect((await apply.ended).exit).toBe(130);
  });

  test('are not held up by the lock of a process that is gone, also when its number lives on', async () => {
    const { folder } = await project('1s');
    const data = join(folder, '.loadtests');
    mkdirSync(data);
    const gone = JSON.stringify({ pid: process.pid, start: '1', url: 'http://127.0.0.1:1', key: 'x' });
    writeFileSync(join(data, 'service.lock'), gone);
    writeFileSync(join(data, 'writer.lock'), JSON.stringify({ pid: 2 ** 22 + 1, start: null }));
    const applied = await run(['apply', '--yes', '--lock-timeout', '1s'], { folder });
    expect([applied.exit, applied.stderr]).toEqual([0, expect.stringContaining('ended')]);
  });

  test('one that watches the service of another goes on when that ends', async () => {
    const { folder } = await project('3s');
    const apply = start(['apply', '--yes'], { folder });
    await apply.saw('created');
    const watch = start(['status', '--watch', '--json'], { folder });
    await watch.saw('"event":"status"');
    expect((await apply.ended).exit).toBe(0);
    const again = await run(['apply', '--yes', '--run', '--json'], { folder });
    const { runs } = JSON.parse(again.stdout) as { runs: readonly { result_id: string }[] };
    await watch.saw(`"last_run":{"result_id":"${runs[0]?.result_id ?? ''}"`);
    watch.kill('SIGTERM');
    const { exit, stderr } = await watch.ended;
    expect([exit, stderr]).toEqual([143, '']);
  });

  test('the load of one is seen by one that watched before, and not cut off when that ends', async () => {
    const { folder, target } = await project('2s');
    const watch = start(['status', '--watch'], { folder });
    await watch.saw('test.home');
    const apply = start(['apply', '--yes'], { folder });
    await watch.saw('running');
    watch.kill('SIGTERM');
    const applied = await apply.ended;
    expect(applied.exit).toBe(0);
    expect(target.requests.filter((line) => line === 'GET /')).toHaveLength(10);
    expect((await watch.ended).exit).toBe(143);
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { copyExamples, run, temporaryFolder } from '../rig/cli.ts';
import { freePort } from '../rig/free-port.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Document {
  readonly problems: readonly unknown[];
  readonly has_changes: boolean;
  readonly summary: Readonly<Record<string, number>>;
  readonly runs: readonly {
    readonly address: string;
    readonly verdict: string;
    readonly started_by_us: boolean;
    readonly result_id: string;
    readonly result: { readonly success: number; readonly requests: number };
  }[];
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** The shipped file and its shop, on a free port, in a folder of their own. */
async function shop(change: (text: string) => string = (text) => text) {
  const folder = temporaryFolder();
  closing.push(folder.remove);
  copyExamples(join(ROOT, 'examples/shop'), join(folder.path, 'examples/shop'));
  const text = readFileSync(join(ROOT, 'loadtests.yaml'), 'utf8');
  writeFileSync(join(folder.path, 'loadtests.yaml'), change(text));
  const port = await freePort();
  const apply = async (...flags: string[]) => {
    const args = ['apply', '--yes', '--json', '--var', `host=127.0.0.1:${port}`, ...flags];
    const ran = await run(args, { folder: folder.path, env: { SHOP_PORT: String(port) } });
    return { ...ran, document: JSON.parse(ran.stdout) as Document };
  };
  return { apply, port };
}

describe('the shipped example', () => {
  test('makes real load and passes; applied again it writes nothing and still judges', async () => {
    const { apply } = await shop();
    const first = await apply();
    expect([first.exit, first.document.problems]).toEqual([0, []]);
    expect(first.document.summary).toMatchObject({ register: 1, verify: 1, create: 3 });
    expect(first.document.runs.map(({ address, verdict }) => [address, verdict])).toEqual([
      ['test.home', 'pass'],
      ['test.checkout', 'pass'],
      ['test.search', 'pass'],
    ]);
    expect(first.document.runs[0]?.result).toMatchObject({ success: 50, requests: 50 });
    expect(first.document.runs[2]?.result).toMatchObject({ success: 100, requests: 100 });

    const again = await apply();
    expect(again.exit).toBe(0);
    expect(again.document.has_changes).toBe(false);
    expect(again.document.runs.map(({ verdict, started_by_us }) => [verdict, started_by_us])).toEqual([
      ['pass', false],
      ['pass', false],
      ['pass', false],
    ]);
    const ids = (document: Document) => document.runs.map((one) => one.result_id);
    expect(ids(again.document)).toEqual(ids(first.document));
  });

  test('stays failed when a threshold failed, and starts no load to find that out', async () => {
    const { apply } = await shop((text) => text.replace("'< 250ms'", "'< 0.001ms'"));
    const first = await apply('--only', 'home');
    expect(first.exit).toBe(10);
    const again = await apply('--only', 'home');
    expect(again.exit).toBe(10);
    expect(again.document.has_changes).toBe(false);
    expect(again.document.runs[0]).toMatchObject({ verdict: 'fail', started_by_us: false });
  });
});

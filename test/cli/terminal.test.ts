/** Screen contents on a terminal of 60 columns. */
// @module-tag load
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCli } from '../support/cli.ts';
import { withDelay } from '../support/test-target.ts';
import { HAS_TERMINAL, runOnClosedTerminal, runOnTerminal } from '../support/terminal-run.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const server = createServer(withDelay((_request, response) => response.end('ok')));
let host = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  host = `127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

function project(duration = '3s'): string {
  const directory = createTestDirectory();
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `version: 1
project: shop
apps: { shop: "${host}" }
tests:
  checkout-of-a-whole-basket:
    { test_type: cycling, total: 2, duration: ${duration}, urls: ["http://${host}/"], thresholds: { p95: { limit: < 10s, min_samples: 1 } } }
`,
  );
  return directory;
}

describe.skipIf(!HAS_TERMINAL)('a terminal of 60 columns', () => {
  test('apply keeps the prompt and the reply on the screen, shows p95 in full, and fits the terminal width', async () => {
    const types = { after: 'Execute this plan?', keys: 'y' };
    const { screen, written, exit } = await runOnTerminal(['apply'], {
      directory: project(),
      columns: 60,
      types,
    });
    expect(exit, written).toBe(0);
    const at = screen.findIndex((line) => line.includes('Execute this plan?'));
    expect(screen.slice(at - 1, at + 2)).toEqual(['', '◇  Execute this plan?', 'Yes']);
    expect(screen[at + 2]).toContain('register');
    expect(screen.join('\n')).not.toMatch(/[│└◆]/);
    expect(written).toMatch(/\d failed, p95 [\d.]+ ms\r/);
    expect(Math.max(...screen.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  test('on a terminal of 60 columns, an error message ends with the command that explains its code', async () => {
    const { screen, exit } = await runOnTerminal(['validate'], {
      directory: createTestDirectory(),
      columns: 60,
    });
    expect(exit).toBe(3);
    const [intro, command] = screen.filter((line) => line !== '').slice(-2);
    expect(intro).toBe('For the cause and the fix, run:');
    expect(command?.trim()).toBe('loadtests explain LT_CONFIG_NOT_FOUND');
  });

  test('apply reports a declined prompt, and removes the border of the prompt', async () => {
    const types = { after: 'Execute this plan?', keys: 'n' };
    const { screen, exit } = await runOnTerminal(['apply'], { directory: project(), columns: 60, types });
    expect(exit).toBe(6);
    expect(screen.slice(-4)).toEqual([
      '◇  Execute this plan?',
      'No',
      'error LT_CLI_APPROVAL: canceled; nothing was changed',
      '',
    ]);
  });

  test('status --watch updates one view with live metrics, and the last view remains on the screen', async () => {
    const directory = project('15s');
    const applies: ReturnType<typeof startCli>[] = [];
    const { screen, written, exit } = await runOnTerminal(['status', '--watch'], {
      directory,
      columns: 60,
      // The run begins while the view is shown, so that even a slow machine shows its metrics.
      acts: { after: 'checkout', act: () => applies.push(startCli(['apply', '--yes'], { directory })) },
      types: { after: 'received', keys: '\u0003' },
    });
    expect(exit, written).toBe(130);
    expect(await applies[0]?.ended).toMatchObject({ exit: 0 });
    expect(written).toMatch(/running \d+s of 15s/);
    expect(written).toMatch(/ [\d,]+ requests?, [\d,]+\/s, 0 failed, p95 [\d.]+ ms/);
    expect(screen.join('\n')).toMatch(
      /^Apps\n {2}app\.shop .*verified\nTests\n {2}test\.checkout-.* complete\n {4}\w{32}\n {6}pass · (?:.*\n){2,3}0 tests are not managed by this project\.\n$/,
    );
    expect(Math.max(...screen.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  test('apply -q prints the plan before the prompt, and nothing after the reply', async () => {
    const types = { after: 'Execute this plan?', keys: 'y' };
    const directory = project();
    const ran = await runOnTerminal(['apply', '-q', '--no-run'], { directory, columns: 60, types });
    expect(ran.exit, ran.written).toBe(0);
    expect(ran.screen.join('\n')).toContain('Plan: 1 to register');
    expect(ran.screen.slice(-3)).toEqual(['◇  Execute this plan?', 'Yes', '']);
  });
});

/** Exit code of a process that SIGHUP ended, as a shell reports it. */
const HANGUP = 129;

describe.skipIf(!HAS_TERMINAL)('a terminal that closes', () => {
  test.each<[string, readonly string[], string]>([
    ['apply waiting at its prompt', ['apply'], 'Execute this plan?'],
    ['apply during a run', ['apply', '--yes'], '0 failed'],
    ['serve', ['serve', '--port', '0'], 'http://'],
  ])('when its terminal closes, %s exits on SIGHUP and does not crash', async (_name, args, after) => {
    const directory = project('60s');
    expect(await runOnClosedTerminal(args, { directory, after })).toBe(HANGUP);
  });
});

/** Real load, made by the command itself, while signals come and its streams go. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli, startCli, startShell, createTestDirectory } from '../support/cli.ts';
import { waitUntil } from '../support/test-service.ts';
import { openTestTarget, type TargetHandler } from '../support/test-target.ts';

interface ResultsDocument {
  readonly tests: readonly {
    readonly results: readonly {
      readonly result: {
        readonly success: number;
        readonly abort_reason: string | null;
        readonly ledger: Readonly<Record<string, unknown>>;
      };
    }[];
  }[];
}

interface Project {
  readonly directory: string;
  /** When each request of the load came, in ms of this process. */
  readonly came: readonly number[];
  readonly result: () => Promise<ResultsDocument['tests'][number]['results'][number]['result']>;
}

const RATE = 100;

/** A directory with one test against a target on this machine, on the embedded service. */
async function project(seconds: number, answer?: TargetHandler): Promise<Project> {
  const came: number[] = [];
  const target = await openTestTarget((request, response) => {
    if (request.url === '/loaded') came.push(performance.now());
    if (answer === undefined) response.end('hello');
    else answer(request, response);
  });
  const directory = createTestDirectory();
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `version: 1
project: shop
apps: { shop: "${target.host}" }
tests:
  home:
    test_type: per-second
    total: ${RATE}
    duration: ${seconds}s
    timeout: 30s
    urls: [${target.url}/loaded]
`,
  );
  return {
    directory: directory,
    came,
    result: async () => {
      const { stdout } = await runCli(['results', 'home', '--json'], { directory });
      const document = JSON.parse(stdout) as ResultsDocument; // as its schema has it
      const result = document.tests[0]?.results[0]?.result;
      if (result === undefined) throw new Error(`no result: ${stdout}`);
      return result;
    },
  };
}

describe('a signal to a command that makes load', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s: no request begins any more, and every one that did is counted', async (signal, exit) => {
    const { directory: directory, came, result } = await project(60);
    const command = startCli(['run', 'home', '--yes', '--json'], { directory });
    await waitUntil(() => (came.length >= RATE ? true : null));
    const at = performance.now();
    command.kill(signal);
    const ended = await command.ended;
    expect(ended.exit).toBe(exit);
    // The engine takes less than 100 ms, as its own tests show; the way there has signals, turns and a request in it,
    // and the machine may be busy. Without a stop it would take a minute.
    expect(Math.max(...came) - at).toBeLessThan(10_000);
    expect(performance.now() - at).toBeLessThan(20_000);
    expect(JSON.parse(ended.stdout)).toMatchObject({ exit_code: exit });
    const { success, abort_reason, ledger } = await result();
    expect({ success, abort_reason }).toEqual({ success: came.length, abort_reason: 'stopped' });
    expect(ledger).toMatchObject({ planned: 60 * RATE, started: came.length, abandoned: 0 });
  });

  test('requests in flight may finish, and count', async () => {
    const {
      directory: directory,
      came,
      result,
    } = await project(60, (_request, response) => {
      setTimeout(() => response.end('late'), 700);
    });
    const command = startCli(['run', 'home', '--yes'], { directory });
    await waitUntil(() => (came.length >= RATE / 2 ? true : null));
    command.kill('SIGINT');
    expect((await command.ended).exit).toBe(130);
    expect(await result()).toMatchObject({ success: came.length, ledger: { abandoned: 0 } });
  });

  test('a second one ends it at once, whatever is in flight', async () => {
    const { directory: directory, came } = await project(60, (request, response) => {
      if (request.url !== '/loaded') response.end('hello');
    });
    const command = startCli(['run', 'home', '--yes'], { directory });
    await waitUntil(() => (came.length >= RATE / 2 ? true : null));
    command.kill('SIGINT');
    await command.saw('stopping test.home');
    const at = performance.now();
    command.kill('SIGINT');
    expect((await command.ended).exit).toBe(130);
    // What is in flight would take half a minute.
    expect(performance.now() - at).toBeLessThan(15_000);
  });
});

describe('load goes on to its end', () => {
  test('when standard input closes and the terminal changes its size', async () => {
    const { directory: directory, came, result } = await project(1);
    const command = startCli(['run', 'home', '--yes'], { directory });
    await waitUntil(() => (came.length > 0 ? true : null));
    command.kill('SIGWINCH');
    await waitUntil(() => (came.length > RATE / 2 ? true : null));
    command.kill('SIGWINCH');
    expect((await command.ended).exit).toBe(0);
    expect(came).toHaveLength(RATE);
    expect((await result()).success).toBe(RATE);
  });

  test('when nobody reads what the command prints', async () => {
    const { directory: directory, came, result } = await project(1);
    const line = 'loadtests run home --yes 2>&1 | true; echo "exit ${PIPESTATUS[0]}"';
    const { stdout } = await startShell(line, { directory }).ended;
    expect(stdout).toBe('exit 0\n');
    expect(came).toHaveLength(RATE);
    expect((await result()).success).toBe(RATE);
  });
});

/** The command that loads servers and compares their logs, with two of them: the others are not installed everywhere. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Runner } from '../../src/core/ports/runner.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import { openTestEngine, type TestEngine } from '../support/test-engine.ts';

interface SetUp {
  readonly make: string;
  readonly name: string;
}

interface Log {
  readonly requests: readonly {
    readonly method: string;
    readonly status: number;
    readonly bytesOut: number;
  }[];
  readonly strange: readonly string[];
}

interface Server {
  readonly missing: string | null;
  end(): Promise<Log>;
}

interface Compared {
  readonly requests: number;
  readonly bytes: boolean;
  readonly differences: readonly string[];
}

interface Command {
  readonly SET_UPS: readonly SetUp[];
  startServer(setUp: SetUp, directory: string): Promise<Server>;
  loadServer(engine: Runner, server: Server, how: object): Promise<readonly RunReport[]>;
  compareBooks(reports: readonly RunReport[], log: Log): Compared;
}

let rig: TestEngine;
let command: Command;
const directory = mkdtempSync(join(tmpdir(), 'servers-'));
beforeAll(async () => {
  rig = await openTestEngine();
  const parts = await Promise.all(
    ['set-ups', 'start', 'load', 'compare'].map(
      async (name): Promise<unknown> =>
        import(new URL(`../../bench/servers/${name}.mjs`, import.meta.url).href),
    ),
  );
  command = Object.assign({}, ...parts) as Command; // what these modules export
});
afterAll(async () => {
  await rig.close();
  rmSync(directory, { recursive: true });
});

async function load(make: string, name: string): Promise<readonly [readonly RunReport[], Log]> {
  const setUp = command.SET_UPS.find((one) => one.make === make && one.name === name);
  if (setUp === undefined) throw new Error(`there is no ${make}, ${name}`);
  const server = await command.startServer(setUp, directory);
  expect(server.missing).toBeNull();
  const reports = await command.loadServer(rig.engine, server, { seconds: 0.2, clients: 20 });
  return [reports, await server.end()];
}

describe('the counts of the engine and the log of', () => {
  test.concurrent.each([
    ['nginx', 'return codes and redirects'],
    ['node:http', 'closes after 7 requests'],
  ])('%s, %s, are equal', async (make, name) => {
    const [reports, log] = await load(make, name);
    const compared = command.compareBooks(reports, log);
    expect(compared).toMatchObject({ bytes: true, differences: [] });
    expect(compared.requests).toBeGreaterThan(100);
    expect(log.requests).toHaveLength(compared.requests);
  });
});

test('what a log has more, less or otherwise is a difference, and so is what failed', async () => {
  const [reports, log] = await load('node:http', 'kept connections');
  const differences = (changed: Partial<Log>): readonly string[] =>
    command.compareBooks(reports, { ...log, ...changed }).differences;
  const [first, ...rest] = log.requests;
  if (first === undefined) throw new Error('nothing was logged');
  expect(differences({ requests: rest })).toEqual([
    expect.stringMatching(/^GET 200: \d+ by the engine, \d+ by the server$/),
    expect.stringMatching(/^bytes received: \d+ by the engine, \d+ by the server$/),
  ]);
  expect(differences({ requests: [...rest, { ...first, status: 404 }] })).toHaveLength(2);
  expect(differences({ requests: [...rest, { ...first, bytesOut: first.bytesOut + 1 }] })).toHaveLength(1);
  expect(differences({ strange: ['?'] })).toEqual(['lines in the log that are no requests: 1']);
  const [report] = reports;
  if (report === undefined) throw new Error('nothing was reported');
  const failed = report.targets.map((target) => ({
    ...target,
    ledger: { ...target.ledger, network: { ECONNRESET: 2 }, abandoned: 1 },
  }));
  const { differences: told } = command.compareBooks(
    [{ ...report, targets: failed }, ...reports.slice(1)],
    log,
  );
  const count = report.targets.length;
  expect(told).toEqual([`network error (ECONNRESET): ${2 * count}`, `abandoned: ${count}`]);
});

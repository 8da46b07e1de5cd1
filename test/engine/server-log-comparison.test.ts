/**
 * The benchmark that compares the counts of the engine with server logs, with the two servers that are always
 * installed.
 */
// @module-tag load
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Runner } from '../../src/core/ports/runner.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import { openTestEngine, type OpenTestEngine } from '../support/test-engine.ts';

interface ServerSetup {
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

interface Comparison {
  readonly requests: number;
  readonly bytes: boolean;
  readonly differences: readonly string[];
}

interface Command {
  readonly SET_UPS: readonly ServerSetup[];
  startServer(setup: ServerSetup, directory: string): Promise<Server>;
  loadServer(engine: Runner, server: Server, how: object): Promise<readonly RunReport[]>;
  compareLogs(reports: readonly RunReport[], log: Log): Comparison;
}

let testEngine: OpenTestEngine;
let command: Command;
const directory = mkdtempSync(join(tmpdir(), 'servers-'));
beforeAll(async () => {
  testEngine = openTestEngine();
  const modules = await Promise.all(
    ['setups', 'start-server', 'test-load', 'compare-logs'].map(
      async (name): Promise<unknown> =>
        import(new URL(`../../bench/servers/${name}.mjs`, import.meta.url).href),
    ),
  );
  command = Object.assign({}, ...modules) as Command; // the exports of these modules
});
afterAll(async () => {
  await testEngine.close();
  rmSync(directory, { recursive: true });
});

async function loadServer(make: string, name: string): Promise<readonly [readonly RunReport[], Log]> {
  const setup = command.SET_UPS.find((candidate) => candidate.make === make && candidate.name === name);
  if (setup === undefined) throw new Error(`no setup for ${make}, ${name}`);
  const server = await command.startServer(setup, directory);
  expect(server.missing).toBeNull();
  const reports = await command.loadServer(testEngine.engine, server, { seconds: 0.2, clients: 20 });
  return [reports, await server.end()];
}

describe('counts of the engine compared with server logs', () => {
  test.concurrent.each([
    ['nginx', 'return codes and redirects'],
    ['node:http', 'closes after 7 requests'],
  ])('the counts of the engine match the log of %s (%s)', async (make, name) => {
    const [reports, log] = await loadServer(make, name);
    const comparison = command.compareLogs(reports, log);
    expect(comparison).toMatchObject({ bytes: true, differences: [] });
    expect(comparison.requests).toBeGreaterThan(100);
    expect(log.requests).toHaveLength(comparison.requests);
  });
});

test('compareLogs reports missing and changed requests, log lines that are not requests, and failed requests', async () => {
  const [reports, log] = await loadServer('node:http', 'persistent connections');
  const differences = (changes: Partial<Log>): readonly string[] =>
    command.compareLogs(reports, { ...log, ...changes }).differences;
  const [first, ...rest] = log.requests;
  if (first === undefined) throw new Error('the log is empty');
  expect(differences({ requests: rest })).toEqual([
    expect.stringMatching(/^GET 200: \d+ by the engine, \d+ by the server$/),
    expect.stringMatching(/^bytes received: \d+ by the engine, \d+ by the server$/),
  ]);
  expect(differences({ requests: [...rest, { ...first, status: 404 }] })).toHaveLength(2);
  expect(differences({ requests: [...rest, { ...first, bytesOut: first.bytesOut + 1 }] })).toHaveLength(1);
  expect(differences({ strange: ['?'] })).toEqual(['log lines that are not requests: 1']);
  const [report] = reports;
  if (report === undefined) throw new Error('there are no reports');
  const failedTargets = report.targets.map((target) => ({
    ...target,
    ledger: { ...target.ledger, network: { ECONNRESET: 2 }, abandoned: 1 },
  }));
  const { differences: failureDifferences } = command.compareLogs(
    [{ ...report, targets: failedTargets }, ...reports.slice(1)],
    log,
  );
  const count = report.targets.length;
  expect(failureDifferences).toEqual([`network error (ECONNRESET): ${2 * count}`, `abandoned: ${count}`]);
});

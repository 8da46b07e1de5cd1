/** LOADTESTS_LIMITS: limits from outside the file. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInProcess } from '../support/in-process-cli.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const FILE = `version: 1
project: shop
apps: { shop: '127.0.0.1:4080' }
limits: { max_connections: 300, hosts: ['127.0.0.1:*'] }
tests:
  home:
    test_type: cycling
    total: 250
    duration: 2m
    urls: ['http://127.0.0.1:4080/']
`;

function runWith(limits: string, ...args: string[]) {
  return runFile(FILE, limits, ...args);
}

function runFile(text: string, limits: string, ...args: string[]) {
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'loadtests.yaml'), text);
  return runInProcess(args, { directory, env: { LOADTESTS_LIMITS: limits } });
}

describe('limits from outside the file', () => {
  test.each([['plan'], ['apply', '--yes'], ['run', 'home', '--yes']])(
    'the command %s refuses load that exceeds LOADTESTS_LIMITS, even with the flag --allow-limit if the command has this flag',
    async (command, ...args) => {
      const allowed = command === 'run' ? [] : ['--allow-limit', 'max_connections'];
      const { exit, stderr } = await runWith('max_connections: 100', command, ...args, ...allowed);
      expect(exit).toBe(12);
      expect(stderr).toContain(
        'error LT_PLAN_LIMIT: 250 connections on 127.0.0.1:4080 exceed the limit of 100 (LOADTESTS_LIMITS)',
      );
      expect(stderr).toContain('ask the administrator who sets LOADTESTS_LIMITS to change the limit');
    },
  );

  test.each([
    ['max_duration: 1m', '"home" runs for 2m, which exceeds the limit of 1m (LOADTESTS_LIMITS)'],
    [
      "hosts: ['*.example.com']",
      'load on 127.0.0.1:4080 is not allowed (LOADTESTS_LIMITS); allowed hosts: *.example.com',
    ],
  ])('a plan that violates the value "%s" of LOADTESTS_LIMITS is refused', async (limits, message) => {
    const { exit, stderr } = await runWith(limits, 'plan');
    expect([exit, stderr]).toEqual([12, expect.stringContaining(message)]);
  });

  test('if both the configuration file and LOADTESTS_LIMITS set a limit, the stricter limit applies', async () => {
    expect((await runWith('{ max_connections: 250, max_duration: 5m }', 'plan')).exit).toBe(0);
    expect((await runWith('max_connections: 1000', 'plan')).exit).toBe(0);
    const larger = FILE.replace('total: 250', 'total: 301');
    const stricterFile = await runFile(larger, 'max_connections: 1000', 'plan');
    expect([stricterFile.exit, stricterFile.stderr]).toEqual([
      12,
      expect.stringContaining('exceed the limit of 300'),
    ]);
    const stricterVariable = await runFile(larger, 'max_connections: 200', 'plan');
    expect(stricterVariable.stderr).toContain('exceed the limit of 200 (LOADTESTS_LIMITS)');
    expect((await runWith('', 'plan')).exit).toBe(0);
  });

  test.each([
    ['max_connection: 5', 'LOADTESTS_LIMITS:1:1: error LT_CONFIG_UNKNOWN_KEY: unknown key "max_connection"'],
    ['max_connections: many', 'LOADTESTS_LIMITS:1:18: error'],
    ['[1]', 'LOADTESTS_LIMITS:1:1: error'],
    ['a: [', 'LOADTESTS_LIMITS:1:4: error'],
  ])(
    'the invalid value %s of LOADTESTS_LIMITS is refused, and the error contains the line and column of the mistake',
    async (limits, message) => {
      const { exit, stderr } = await runWith(limits, 'plan');
      expect([exit, stderr]).toEqual([3, expect.stringContaining(message)]);
    },
  );
});

import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  environmentKey,
  requireWorkerSecret,
  readEmailRelay,
  redisAddressOf,
} from '../../../src/cli/session/operator-secrets.ts';
import { childEnvironment } from '../../../src/cli/terminal/child-environment.ts';
import { ProblemError, type Problem } from '../../../src/core/problem.ts';
import { createTestDirectory } from '../../support/cli.ts';

function problemsOf(act: () => unknown): readonly Problem[] {
  try {
    act();
  } catch (error) {
    if (error instanceof ProblemError) return [error.problem];
    throw error;
  }
  return [];
}

describe('the key of serve', () => {
  test.each(['cat', 'hunter2', 'x'.repeat(31)])('%s can be guessed, and is refused', (text) => {
    const [refused] = problemsOf(() => environmentKey({ env: { LOADTESTS_API_KEY: text } }));
    expect(refused).toMatchObject({ code: 'LT_CLI_WEAK_KEY' });
    expect(JSON.stringify(refused)).not.toContain(text);
  });

  test('of 32 characters is taken; without one, another place is asked', () => {
    const text = 'c0ffee00c0ffee00c0ffee00c0ffee00';
    expect(environmentKey({ env: { LOADTESTS_API_KEY: text } })?.reveal()).toBe(text);
    expect(environmentKey({ env: { LOADTESTS_API_KEY: '' } })).toBeNull();
    expect(environmentKey({ env: {} })).toBeNull();
  });
});

describe('the mail relay of serve', () => {
  const RELAY = 'smtp://ci:canary@mail.example.com:587';

  test('with a password is refused on the command line', () => {
    const [refused] = problemsOf(() => readEmailRelay({ env: {}, directory: '/' }, { smtp: RELAY }));
    expect(refused).toMatchObject({ code: 'LT_CLI_USAGE' });
    expect(refused?.hint).toContain('LOADTESTS_SMTP');
    expect(JSON.stringify(refused)).not.toContain('canary');
  });

  test('comes from the environment, unless a flag names another', () => {
    const env = { LOADTESTS_SMTP: RELAY };
    expect(readEmailRelay({ env, directory: '/' }, {})).toBe(RELAY);
    expect(readEmailRelay({ env, directory: '/' }, { smtp: 'smtp://localhost' })).toBe('smtp://localhost');
    expect(readEmailRelay({ env: { LOADTESTS_SMTP: '' }, directory: '/' }, {})).toBeNull();
    expect(readEmailRelay({ env: {}, directory: '/' }, {})).toBeNull();
  });

  test('comes from a file, also by a link', () => {
    const directory = createTestDirectory();
    writeFileSync(join(directory, 'relay'), `${RELAY}\n`);
    symlinkSync('relay', join(directory, 'mounted'));
    for (const smtpFile of ['relay', 'mounted', join(directory, 'relay')])
      expect(readEmailRelay({ env: {}, directory }, { smtpFile })).toBe(RELAY);
  });

  test('in a file that cannot be used is refused', () => {
    const directory = createTestDirectory();
    writeFileSync(join(directory, 'empty'), '\n');
    for (const smtpFile of ['empty', 'missing', '.', '/dev/zero']) {
      const problems = problemsOf(() => readEmailRelay({ env: {}, directory }, { smtpFile }));
      expect(problems).toMatchObject([{ code: 'LT_CLI_PATH' }]);
    }
    const both = problemsOf(() =>
      readEmailRelay({ env: {}, directory }, { smtp: 'smtp://a', smtpFile: 'empty' }),
    );
    expect(both).toMatchObject([{ code: 'LT_CLI_USAGE' }]);
  });
});

test('programs that a command starts get none of our variables', () => {
  const ours = { LOADTESTS_API_KEY: 'a', LOADTESTS_SHOP_KEY: 'b', LOADTESTS_SMTP: 'c', loadtests_key: 'd' };
  expect(childEnvironment({ ...ours, PATH: '/bin', SHOP_PORT: '80' })).toEqual({
    PATH: '/bin',
    SHOP_PORT: '80',
  });
});

test('the URL of Redis holds a password in the environment alone', () => {
  const env = { LOADTESTS_REDIS: 'redis://ci:canary@redis.example.com' };
  expect(redisAddressOf({ env: {} }, {})).toBeNull();
  expect(redisAddressOf({ env }, {})).toBe(env.LOADTESTS_REDIS);
  expect(redisAddressOf({ env }, { redis: 'redis://127.0.0.1:6379' })).toBe('redis://127.0.0.1:6379');
  for (const redis of [
    'redis://ci:canary@h',
    'rediss://:canary@h/1',
    'redis+sentinel://h/m?sentinel_password=canary',
  ])
    expect(() => redisAddressOf({ env: {} }, { redis })).toThrow(
      /^(?!.*canary).*LOADTESTS_REDIS|must not contain/,
    );
});

test('a worker does nothing without the secret of its service, nor with one that can be guessed', () => {
  expect(() => requireWorkerSecret({ env: {} })).toThrow(/LOADTESTS_WORKER_SECRET is not set/);
  expect(() => requireWorkerSecret({ env: { LOADTESTS_WORKER_SECRET: 'cat' } })).toThrow(/3 characters/);
});

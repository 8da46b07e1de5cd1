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
import { createTestDirectory } from '../../support/temporary-directory.ts';

function problemsOf(act: () => unknown): readonly Problem[] {
  try {
    act();
  } catch (error) {
    if (error instanceof ProblemError) return [error.problem];
    throw error;
  }
  return [];
}

describe('the API key of serve', () => {
  test.each(['cat', 'hunter2', 'x'.repeat(31)])(
    'the API key %s is rejected as too short, and the error does not contain the key',
    (text) => {
      const [rejection] = problemsOf(() => environmentKey({ env: { LOADTESTS_API_KEY: text } }));
      expect(rejection).toMatchObject({ code: 'LT_CLI_WEAK_KEY' });
      expect(JSON.stringify(rejection)).not.toContain(text);
    },
  );

  test('an API key of 32 characters is accepted, and an empty or unset LOADTESTS_API_KEY results in null', () => {
    const text = 'c0ffee00c0ffee00c0ffee00c0ffee00';
    expect(environmentKey({ env: { LOADTESTS_API_KEY: text } })?.reveal()).toBe(text);
    expect(environmentKey({ env: { LOADTESTS_API_KEY: '' } })).toBeNull();
    expect(environmentKey({ env: {} })).toBeNull();
  });
});

describe('the SMTP relay of serve', () => {
  const RELAY = 'smtp://ci:canary@mail.example.com:587';

  test('the URL of an SMTP relay with a password is rejected on the command line, and the error does not contain the password', () => {
    const [rejection] = problemsOf(() => readEmailRelay({ env: {}, directory: '/' }, { smtp: RELAY }));
    expect(rejection).toMatchObject({ code: 'LT_CLI_USAGE' });
    expect(rejection?.hint).toContain('LOADTESTS_SMTP');
    expect(JSON.stringify(rejection)).not.toContain('canary');
  });

  test('the URL of the SMTP relay comes from the environment unless a flag sets the URL', () => {
    const env = { LOADTESTS_SMTP: RELAY };
    expect(readEmailRelay({ env, directory: '/' }, {})).toBe(RELAY);
    expect(readEmailRelay({ env, directory: '/' }, { smtp: 'smtp://localhost' })).toBe('smtp://localhost');
    expect(readEmailRelay({ env: { LOADTESTS_SMTP: '' }, directory: '/' }, {})).toBeNull();
    expect(readEmailRelay({ env: {}, directory: '/' }, {})).toBeNull();
  });

  test('the URL of the SMTP relay is read from a file or a link to a file', () => {
    const directory = createTestDirectory();
    writeFileSync(join(directory, 'relay'), `${RELAY}\n`);
    symlinkSync('relay', join(directory, 'mounted'));
    for (const smtpFile of ['relay', 'mounted', join(directory, 'relay')])
      expect(readEmailRelay({ env: {}, directory }, { smtpFile })).toBe(RELAY);
  });

  test('the SMTP settings are rejected if the file with the relay URL is unusable, or if both a file and a URL are given', () => {
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

test('programs that a command starts do not receive variables whose names begin with LOADTESTS_ in upper or lower case', () => {
  const secrets = {
    LOADTESTS_API_KEY: 'a',
    LOADTESTS_SHOP_KEY: 'b',
    LOADTESTS_SMTP: 'c',
    loadtests_key: 'd',
  };
  expect(childEnvironment({ ...secrets, PATH: '/bin', SHOP_PORT: '80' })).toEqual({
    PATH: '/bin',
    SHOP_PORT: '80',
  });
});

test('a Redis URL with a password is accepted only from the environment', () => {
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

test('a worker rejects a missing or short secret', () => {
  expect(() => requireWorkerSecret({ env: {} })).toThrow(/LOADTESTS_WORKER_SECRET is not set/);
  expect(() => requireWorkerSecret({ env: { LOADTESTS_WORKER_SECRET: 'cat' } })).toThrow(/3 characters/);
});

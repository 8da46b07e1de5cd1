import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { childEnvironment } from '../../../src/cli/terminal/child-environment.ts';
import {
  formatEnvironment,
  readEnvironment,
  splitEnvironment,
} from '../../../src/disk/passed-environment.ts';

const name = fc.stringMatching(/^[A-Za-z_]\w{0,20}$/).filter((text) => text !== '__proto__');
const value = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
const variables = fc.dictionary(name, value, { noNullPrototype: true });

function descriptorWith(text: string): number {
  const directory = mkdtempSync(join(tmpdir(), 'loadtests-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'environment');
  writeFileSync(path, text);
  return openSync(path, 'r');
}

test('a program reads the variables that its parent passes through a descriptor, and closes the descriptor', () => {
  fc.assert(
    fc.property(variables, (env) => {
      const descriptor = descriptorWith(formatEnvironment(env));
      const read = readEnvironment({ PATH: '/bin', LOADTESTS_ENV_FD: String(descriptor) });
      expect(read).toEqual({ PATH: '/bin', ...env });
      expect(() => closeSync(descriptor)).toThrow('EBADF');
    }),
    { numRuns: 50 },
  );
});

test('a process without LOADTESTS_ENV_FD uses its own environment', () => {
  expect(readEnvironment({ PATH: '/bin' })).toEqual({ PATH: '/bin' });
});

test.each(['x', '', '-1', '1e3', '99999'])('LOADTESTS_ENV_FD with the value %j is refused', (descriptor) => {
  expect(() => readEnvironment({ LOADTESTS_ENV_FD: descriptor })).toThrow('not the number of a descriptor');
});

test('splitEnvironment returns only known harmless variables for the start of a child process, and all variables for the pipe', () => {
  const env = {
    PATH: '/bin',
    LC_ALL: 'C',
    NODE_OPTIONS: '',
    LOADTESTS_API_KEY: 'k',
    INPUT_TOKEN: 't',
    DB_URL: 'u',
  };
  const { start, piped } = splitEnvironment(env, 3);
  expect(start).toEqual({ PATH: '/bin', LC_ALL: 'C', NODE_OPTIONS: '', LOADTESTS_ENV_FD: '3' });
  expect(piped).toBe(formatEnvironment(env));
});

test('the environment of programs that the configuration file starts contains no keys, inputs, tokens or step files of a CI runner', () => {
  const env = {
    PATH: '/bin',
    DB_URL: 'u',
    GITHUB_SHA: 'abc',
    LOADTESTS_API_KEY: 'k',
    loadtests_other: 'k',
    INPUT_TOKEN: 't',
    GITHUB_TOKEN: 't',
    gh_token: 't',
    GH_ENTERPRISE_TOKEN: 't',
    GITLAB_TOKEN: 't',
    CI_JOB_TOKEN: 't',
    CI_JOB_JWT_V2: 't',
    CI_REGISTRY_PASSWORD: 't',
    SYSTEM_ACCESSTOKEN: 't',
    ACTIONS_RUNTIME_TOKEN: 't',
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 't',
    GITHUB_ENV: 'f',
    GITHUB_PATH: 'f',
    GITHUB_OUTPUT: 'f',
    GITHUB_STATE: 'f',
    GITHUB_STEP_SUMMARY: 'f',
  };
  expect(childEnvironment(env)).toEqual({ PATH: '/bin', DB_URL: 'u', GITHUB_SHA: 'abc' });
});

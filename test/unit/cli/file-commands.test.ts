import { describe, expect, test } from 'vitest';
import type { LoadedConfig } from '../../../src/config/load-config.ts';
import { checkFileCommands } from '../../../src/cli/session/file-commands.ts';
import { declareState } from '../../support/declared-state.ts';

const KEY = { LOADTESTS_API_KEY: '0123456789abcdef0123456789abcdef' };
const PULL_REQUEST = { GITHUB_EVENT_NAME: 'pull_request' };

function check(
  env: Readonly<Record<string, string>>,
  allowed = false,
  apiKeyEnv: string | null = null,
): void {
  // The other members are not read.
  const config = {
    service: apiKeyEnv === null ? null : { apiKeyEnv },
    webServer: { command: 'node server.mjs' },
    desired: declareState().state,
  } as unknown as LoadedConfig;
  checkFileCommands({ env } as never, config, { allowed });
}

describe('commands in the configuration file in CI jobs', () => {
  test.each([
    { GITHUB_EVENT_NAME: 'pull_request_target' },
    { GITHUB_EVENT_NAME: 'issue_comment' },
    { CI_MERGE_REQUEST_IID: '7' },
    { CI_EXTERNAL_PULL_REQUEST_IID: '7' },
    { CHANGE_ID: '7' },
    { BUILD_REASON: 'PullRequest' },
    { SYSTEM_PULLREQUEST_PULLREQUESTID: '7' },
    { CIRCLE_PULL_REQUEST: 'https://github.example/7' },
    { BUILDKITE_PULL_REQUEST: '7' },
    { BITBUCKET_PR_ID: '7' },
    { TRAVIS_PULL_REQUEST: '7' },
    { DRONE_PULL_REQUEST: '7' },
    { CI_COMMIT_PULL_REQUEST: '7' },
    { APPVEYOR_PULL_REQUEST_NUMBER: '7' },
    { SEMAPHORE_GIT_PR_NUMBER: '7' },
    { BITRISE_PULL_REQUEST: '7' },
    { CIRRUS_PR: '7' },
    { CODEBUILD_WEBHOOK_TRIGGER: 'pr/7' },
  ])(
    'in a pull request job with an API key, commands in the configuration file are refused unless the user allows them; without a key or token, they are allowed: %j',
    (job) => {
      expect(() => {
        check({ ...KEY, ...job });
      }).toThrow('which could read LOADTESTS_API_KEY');
      check({ ...KEY, ...job }, true);
      check(job);
    },
  );

  test.each([
    {},
    { GITHUB_EVENT_NAME: 'push' },
    { TRAVIS_PULL_REQUEST: 'false' },
    { CODEBUILD_WEBHOOK_TRIGGER: 'branch/main' },
  ])('commands in the configuration file are allowed in a job that is not for a pull request: %j', (job) => {
    check({ ...KEY, ...job });
  });

  test.each([
    'LOADTESTS_API_KEY',
    'LOADTESTS_STAGING_KEY',
    'LOADTESTS_REDIS',
    'LOADTESTS_WORKER_SECRET',
    'LOADTESTS_SMTP',
    'GITHUB_TOKEN',
    'GH_TOKEN',
    'gh_token',
    'GH_ENTERPRISE_TOKEN',
    'SYSTEM_ACCESSTOKEN',
    'INPUT_TOKEN',
    'GITLAB_TOKEN',
    'NPM_TOKEN',
    'NODE_AUTH_TOKEN',
    'ACTIONS_RUNTIME_TOKEN',
    'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
  ])(
    'commands in the configuration file are refused in a pull request job with %s, regardless of the variable that the file names for the API key',
    (name) => {
      for (const apiKeyEnv of [null, 'LOADTESTS_OTHER_KEY']) {
        expect(() => {
          check({ ...PULL_REQUEST, [name]: 'secret' }, false, apiKeyEnv);
        }).toThrow(name);
      }
    },
  );

  test('commands in the configuration file are allowed in a pull request job without keys and tokens', () => {
    check({
      ...PULL_REQUEST,
      LOADTESTS_BASE_URL: 'https://api.example',
      LOADTESTS_LIMITS: 'x',
      LOADTESTS_API_KEY: '',
    });
  });
});

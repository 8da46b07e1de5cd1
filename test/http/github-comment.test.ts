/**
 * Comments on pull requests: one for each subject, without changes to comments of other users, despite faults
 * of GitHub.
 */
import { describe, expect, test } from 'vitest';
import { upsertComment, markerOf, type CommentSubject } from '../../src/action/pull-request-comment.ts';
import type { PullRequest } from '../../src/action/github-api.ts';
import { commentTexts, pullRequestOf, subjectOf } from '../../src/action/job-context.ts';
import {
  JOB_USER,
  openFakeGitHub,
  TOKEN,
  type GitHubFault,
  type FakeGitHub,
} from '../support/fake-github.ts';

const PLAN: CommentSubject = { file: 'loadtests.yaml', environment: '', command: 'plan' };

function pullOf({ url }: FakeGitHub): PullRequest {
  const at = { apiUrl: url, graphqlUrl: `${url}/graphql` };
  return { ...at, repository: 'shop/site', number: 17, token: TOKEN };
}

const writeComment = async (github: FakeGitHub, markdown: string, subject = PLAN) =>
  await upsertComment(pullOf(github), subject, { markdown, instead: 'too long' }, 1);

const bodies = ({ comments }: FakeGitHub) => comments.map(({ body }) => body);
const bodyOf = (markdown: string, subject = PLAN) => `${markerOf(subject)}\n${markdown}`;

describe('comments on pull requests', () => {
  test('a comment on a pull request is created once and then updated', async () => {
    const github = await openFakeGitHub();
    expect(await writeComment(github, 'one')).toEqual({ kind: 'written' });
    expect(await writeComment(github, 'two')).toEqual({ kind: 'written' });
    expect(bodies(github)).toEqual([bodyOf('two')]);
  });

  test.each([
    { ...PLAN, file: 'shop/loadtests.yaml' },
    { ...PLAN, environment: 'staging' },
    { ...PLAN, command: 'apply' },
  ])('the GitHub action writes a separate comment for the subject %j', async (otherSubject) => {
    const github = await openFakeGitHub();
    await writeComment(github, 'one');
    await writeComment(github, 'two', otherSubject);
    await writeComment(github, 'three');
    expect(bodies(github)).toEqual([bodyOf('three'), bodyOf('two', otherSubject)]);
  });

  test('a comment by another user is not changed, even if the comment contains the marker of the action', async () => {
    const github = await openFakeGitHub();
    await writeComment(github, 'one');
    for (const user of [{ login: 'mallory', type: 'User' }, { login: 'other-app[bot]', type: 'Bot' }, null])
      github.comments.push({ id: github.comments.length, body: bodyOf('forged'), user });
    const before = bodies(github).slice(1);
    await writeComment(github, 'two');
    expect(bodies(github)).toEqual([bodyOf('two'), ...before]);
  });

  test('the GitHub action does not change a comment by a user whose name is also the name of the app', async () => {
    const github = await openFakeGitHub({ viewer: 'shop-bot' });
    github.comments.push({ id: 1, body: bodyOf('forged'), user: { login: 'shop-bot[bot]', type: 'User' } });
    github.comments.push({ id: 2, body: bodyOf('own'), user: { login: 'shop-bot[bot]', type: 'Bot' } });
    await writeComment(github, 'new');
    expect(bodies(github)).toEqual([bodyOf('forged'), bodyOf('new')]);
  });

  test('a comment that only quotes the marker of another comment is not updated', async () => {
    const github = await openFakeGitHub();
    github.comments.push({ id: 1, body: `> ${bodyOf('quoted')}`, user: JOB_USER });
    await writeComment(github, 'one');
    expect(bodies(github)).toEqual([`> ${bodyOf('quoted')}`, bodyOf('one')]);
  });

  test('among 250 comments, the GitHub action updates only the newest comment that begins with its marker', async () => {
    const github = await openFakeGitHub();
    for (let id = 0; id < 250; id++)
      github.comments.push({ id, body: id === 20 || id === 230 ? bodyOf('old') : 'hello', user: JOB_USER });
    await writeComment(github, 'new');
    expect(github.comments).toHaveLength(250);
    expect([github.comments[20]?.body, github.comments[230]?.body]).toEqual([bodyOf('old'), bodyOf('new')]);
  });

  const on = (prefix: string, rest: Omit<GitHubFault, 'when'>): GitHubFault => ({
    when: (method, path) => `${method} ${path}`.startsWith(prefix),
    ...rest,
  });
  test.each<readonly [string, readonly GitHubFault[]]>([
    ['the first response has status 502', [on('POST /graphql', { status: 502 })]],
    [
      'the response to the request that creates the comment has status 502',
      [on('POST /repos', { status: 502, executed: true })],
    ],
    [
      'the request that creates the comment is refused because of a rate limit with a retry time of 0 s',
      [on('POST /repos', { status: 403, headers: { 'retry-after': '0' } })],
    ],
    [
      'a request is refused because of a rate limit that has already been reset',
      [
        on('GET /repos', {
          status: 429,
          headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' },
        }),
      ],
    ],
    ['three requests fail', [502, 503, 500].map((status) => on('GET /repos', { status }))],
  ])('a comment is created exactly once if %s', async (_, faults) => {
    const github = await openFakeGitHub();
    github.faults.push(...faults);
    expect(await writeComment(github, 'one')).toEqual({ kind: 'written' });
    expect(bodies(github)).toEqual([bodyOf('one')]);
    expect(github.faults).toEqual([]);
  });

  test('a new comment is created if the request to update the previous comment fails with status 404', async () => {
    const github = await openFakeGitHub();
    await writeComment(github, 'one');
    github.faults.push(on('PATCH', { status: 404 }));
    await writeComment(github, 'two');
    expect(bodies(github)).toEqual([bodyOf('one'), bodyOf('two')]);
  });

  test('a comment is not written if the rate limit lasts an hour', async () => {
    const github = await openFakeGitHub();
    github.faults.push(on('GET /repos', { status: 403, headers: { 'retry-after': '3600' } }));
    expect((await writeComment(github, 'one')).kind).toBe('not-written');
    expect(github.requests).toHaveLength(2);
  });

  test('with a read-only token, a comment is not written, and the reason names the missing permission', async () => {
    const github = await openFakeGitHub({ readOnly: true });
    expect(await writeComment(github, 'one')).toEqual({
      kind: 'not-written',
      reason: expect.stringContaining('"permissions: pull-requests: write"') as string,
    });
    expect(github.requests).toHaveLength(3);
  });

  test('a comment is not written if GitHub is unreachable or rejects the token', async () => {
    const github = await openFakeGitHub();
    const unreachable = { ...pullOf(github), graphqlUrl: 'http://127.0.0.1:1/graphql' };
    const text = { markdown: '', instead: '' };
    expect(await upsertComment(unreachable, PLAN, text, 1)).toEqual({
      kind: 'not-written',
      reason: 'GitHub cannot be reached',
    });
    const otherPull = { ...pullOf(github), token: 'other' };
    expect(await upsertComment(otherPull, PLAN, text, 1)).toEqual({
      kind: 'not-written',
      reason: 'GitHub rejected the token',
    });
  });

  test('a comment that exceeds the maximum length on GitHub is replaced by a short text', async () => {
    const github = await openFakeGitHub();
    const maxLength = 65_536 - bodyOf('').length;
    await writeComment(github, 'x'.repeat(maxLength));
    expect(bodies(github)).toEqual([bodyOf('x'.repeat(maxLength))]);
    await writeComment(github, 'x'.repeat(maxLength + 1));
    expect(bodies(github)).toEqual([bodyOf('too long')]);
  });
});

describe('context of the CI job', () => {
  const env = {
    GITHUB_REPOSITORY: 'shop/site',
    GITHUB_API_URL: 'https://git.example.com/api/v3',
    INPUT_TOKEN: 't',
  };

  test.each([
    ['a pull request', { pull_request: { number: 17 } }, 17],
    ['a comment on a pull request', { issue: { number: 17, pull_request: {} } }, 17],
    [
      'a comment on an issue',
      { issue: { number: 17 } },
      'the event that started the job does not refer to a pull request',
    ],
    ['a push', { ref: 'main' }, 'the event that started the job does not refer to a pull request'],
    ['a job without an event', null, 'the event that started the job does not refer to a pull request'],
  ])(
    'pullRequestOf returns the pull request, or the reason why there is none, for %s',
    async (_, event, expected) => {
      const pull = await pullRequestOf(env, event);
      expect(typeof pull === 'string' ? pull : pull.number).toBe(expected);
    },
  );

  test('pullRequestOf reports that the input "token" is empty if INPUT_TOKEN is empty', async () => {
    expect(await pullRequestOf({ ...env, INPUT_TOKEN: '' }, { pull_request: { number: 1 } })).toBe(
      'the input "token" is empty',
    );
  });

  test('subjectOf names the configuration file by its path in the repository', () => {
    const file = (env: object, directory: string) =>
      subjectOf({ GITHUB_WORKSPACE: '/w', ...env }, 'plan', directory).file;
    expect(file({}, '/w/shop')).toBe('shop/loadtests.yaml');
    expect(file({ INPUT_FILE: 'shop/loadtests.yaml' }, '/w')).toBe('shop/loadtests.yaml');
  });

  test('a pull-request comment contains a link to the CI job if the address of the job is known', () => {
    const known = { ...env, GITHUB_SERVER_URL: 'https://git.example.com', GITHUB_RUN_ID: '5' };
    const job = 'https://git.example.com/shop/site/actions/runs/5';
    expect(commentTexts(known, '### heading\n\nmuch\n')).toEqual({
      markdown: `### heading\n\nmuch\n\n<sub>Written by [this job](${job}).</sub>\n`,
      instead: `### heading\n\nThe report is too long for a comment: see [the job summary](${job}).\n`,
    });
    expect(commentTexts({}, '### heading\n').markdown).toBe('### heading\n');
  });
});

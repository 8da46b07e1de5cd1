/** The comment on a pull request: one for each subject, nobody else's, whatever FakeGitHub answers meanwhile. */
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

const say = async (github: FakeGitHub, markdown: string, subject = PLAN) =>
  await upsertComment(pullOf(github), subject, { markdown, instead: 'too long' }, 1);

const bodies = ({ comments }: FakeGitHub) => comments.map(({ body }) => body);
const said = (markdown: string, subject = PLAN) => `${markerOf(subject)}\n${markdown}`;

describe('a comment', () => {
  test('is made once, and changed from then on', async () => {
    const github = await openFakeGitHub();
    expect(await say(github, 'one')).toEqual({ kind: 'written' });
    expect(await say(github, 'two')).toEqual({ kind: 'written' });
    expect(bodies(github)).toEqual([said('two')]);
  });

  test.each([
    { ...PLAN, file: 'shop/loadtests.yaml' },
    { ...PLAN, environment: 'staging' },
    { ...PLAN, command: 'apply' },
  ])('is another one about %j', async (other) => {
    const github = await openFakeGitHub();
    await say(github, 'one');
    await say(github, 'two', other);
    await say(github, 'three');
    expect(bodies(github)).toEqual([said('three'), said('two', other)]);
  });

  test('of strangers is left alone, though it begins with the marker', async () => {
    const github = await openFakeGitHub();
    await say(github, 'one');
    for (const user of [{ login: 'mallory', type: 'User' }, { login: 'other-app[bot]', type: 'Bot' }, null])
      github.comments.push({ id: github.comments.length, body: said('forged'), user });
    const before = bodies(github).slice(1);
    await say(github, 'two');
    expect(bodies(github)).toEqual([said('two'), ...before]);
  });

  test('of a person named like an app is a stranger too', async () => {
    const github = await openFakeGitHub({ viewer: 'shop-bot' });
    github.comments.push({ id: 1, body: said('forged'), user: { login: 'shop-bot[bot]', type: 'User' } });
    github.comments.push({ id: 2, body: said('own'), user: { login: 'shop-bot[bot]', type: 'Bot' } });
    await say(github, 'new');
    expect(bodies(github)).toEqual([said('forged'), said('new')]);
  });

  test('that only quotes the marker is another one', async () => {
    const github = await openFakeGitHub();
    github.comments.push({ id: 1, body: `> ${said('quoted')}`, user: JOB_USER });
    await say(github, 'one');
    expect(bodies(github)).toEqual([`> ${said('quoted')}`, said('one')]);
  });

  test('is found behind hundreds of others, and the last one where there are two', async () => {
    const github = await openFakeGitHub();
    for (let id = 0; id < 250; id++)
      github.comments.push({ id, body: id === 20 || id === 230 ? said('old') : 'hello', user: JOB_USER });
    await say(github, 'new');
    expect(github.comments).toHaveLength(250);
    expect([github.comments[20]?.body, github.comments[230]?.body]).toEqual([said('old'), said('new')]);
  });

  const on = (wanted: string, rest: Omit<GitHubFault, 'when'>): GitHubFault => ({
    when: (method, path) => `${method} ${path}`.startsWith(wanted),
    ...rest,
  });
  test.each<readonly [string, readonly GitHubFault[]]>([
    ['when the first answer is 502', [on('POST /graphql', { status: 502 })]],
    ['when it was made, and the answer was 502', [on('POST /repos', { status: 502, executed: true })]],
    [
      'after a secondary limit that says how long',
      [on('POST /repos', { status: 403, headers: { 'retry-after': '0' } })],
    ],
    [
      'after a limit whose time is over',
      [
        on('GET /repos', {
          status: 429,
          headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' },
        }),
      ],
    ],
    ['after three failures', [502, 503, 500].map((status) => on('GET /repos', { status }))],
  ])('is there once %s', async (_, faults) => {
    const github = await openFakeGitHub();
    github.faults.push(...faults);
    expect(await say(github, 'one')).toEqual({ kind: 'written' });
    expect(bodies(github)).toEqual([said('one')]);
    expect(github.faults).toEqual([]);
  });

  test('is made anew where somebody deletes the old one meanwhile', async () => {
    const github = await openFakeGitHub();
    await say(github, 'one');
    github.faults.push(on('PATCH', { status: 404 }));
    await say(github, 'two');
    expect(bodies(github)).toEqual([said('one'), said('two')]);
  });

  test('is not written where a limit lasts longer than a job waits', async () => {
    const github = await openFakeGitHub();
    github.faults.push(on('GET /repos', { status: 403, headers: { 'retry-after': '3600' } }));
    expect((await say(github, 'one')).kind).toBe('not-written');
    expect(github.requests).toHaveLength(2);
  });

  test('is not written by a token that may only read, and the reason says what would be right', async () => {
    const github = await openFakeGitHub({ readOnly: true });
    expect(await say(github, 'one')).toEqual({
      kind: 'not-written',
      reason: expect.stringContaining('"permissions: pull-requests: write"') as string,
    });
    expect(github.requests).toHaveLength(3);
  });

  test('is not written where GitHub is away or refuses the token', async () => {
    const github = await openFakeGitHub();
    const away = { ...pullOf(github), graphqlUrl: 'http://127.0.0.1:1/graphql' };
    const text = { markdown: '', instead: '' };
    expect(await upsertComment(away, PLAN, text, 1)).toEqual({
      kind: 'not-written',
      reason: 'GitHub cannot be reached',
    });
    const other = { ...pullOf(github), token: 'other' };
    expect(await upsertComment(other, PLAN, text, 1)).toEqual({
      kind: 'not-written',
      reason: 'GitHub refuses the token',
    });
  });

  test('is as long as GitHub takes it, and points elsewhere where it would be longer', async () => {
    const github = await openFakeGitHub();
    const room = 65_536 - said('').length;
    await say(github, 'x'.repeat(room));
    expect(bodies(github)).toEqual([said('x'.repeat(room))]);
    await say(github, 'x'.repeat(room + 1));
    expect(bodies(github)).toEqual([said('too long')]);
  });
});

describe('what the job says', () => {
  const env = {
    GITHUB_REPOSITORY: 'shop/site',
    GITHUB_API_URL: 'https://git.example.com/api/v3',
    INPUT_TOKEN: 't',
  };

  test.each([
    ['a pull request', { pull_request: { number: 17 } }, 17],
    ['a comment on one', { issue: { number: 17, pull_request: {} } }, 17],
    ['a comment on an issue', { issue: { number: 17 } }, 'the job was not started by a pull request'],
    ['a push', { ref: 'main' }, 'the job was not started by a pull request'],
    ['nothing', null, 'the job was not started by a pull request'],
  ])('of %s', (_, event, expected) => {
    const pull = pullRequestOf(env, event);
    expect(typeof pull === 'string' ? pull : pull.number).toBe(expected);
  });

  test('without a token is a reason', () => {
    expect(pullRequestOf({ ...env, INPUT_TOKEN: '' }, { pull_request: { number: 1 } })).toBe(
      'there is no token',
    );
  });

  test('names a file by its path in the repository', () => {
    const file = (given: object, directory: string) =>
      subjectOf({ GITHUB_WORKSPACE: '/w', ...given }, 'plan', directory).file;
    expect(file({}, '/w/shop')).toBe('shop/loadtests.yaml');
    expect(file({ INPUT_FILE: 'shop/loadtests.yaml' }, '/w')).toBe('shop/loadtests.yaml');
  });

  test('links the job, where it is known', () => {
    const known = { ...env, GITHUB_SERVER_URL: 'https://git.example.com', GITHUB_RUN_ID: '5' };
    const job = 'https://git.example.com/shop/site/actions/runs/5';
    expect(commentTexts(known, '### heading\n\nmuch\n')).toEqual({
      markdown: `### heading\n\nmuch\n\n<sub>[The job](${job}) that wrote this.</sub>\n`,
      instead: `### heading\n\nThe report is too long for a comment: see [the summary of the job](${job}).\n`,
    });
    expect(commentTexts({}, '### heading\n').markdown).toBe('### heading\n');
  });
});

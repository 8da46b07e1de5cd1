/** Protection of the token directory, which a web server publishes, against a malicious service. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { publishToken } from '../../../src/cli/session/publish-token.ts';
import { findMissingTokens } from '../../../src/cli/session/published-tokens.ts';
import type { DeclaredApp, Publish } from '../../../src/core/model/app.ts';
import { appId, appKey } from '../../../src/core/model/ids.ts';
import { ProblemError } from '../../../src/core/problem.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { createLibraryContext } from '../../../src/library/context.ts';
import { createTestDirectory } from '../../support/temporary-directory.ts';

vi.stubGlobal('PACKAGE_VERSION', '1.2.3');

const ID = '0123456789abcdef';
const TOKEN = `acme-loads-${ID}`;
const FILE = `${TOKEN}.txt`;

function declared(publish: Publish): DeclaredApp {
  const source = { file: 'loadtests.yaml', line: 1, column: 1, length: 1, lineText: '' };
  return {
    key: appKey('shop'),
    host: 'www.example.com',
    method: 'http',
    publish,
    wait: milliseconds(0),
    connection: null,
    source,
  };
}

function project() {
  const top = realpathSync(createTestDirectory());
  const directory = join(top, 'repository/load');
  mkdirSync(join(directory, 'public'), { recursive: true });
  mkdirSync(join(top, 'repository/.git/info'), { recursive: true });
  const publish = async (
    tokenDirectory: string,
    id: { appId: string; verificationId: string } | null = null,
  ) => {
    const app = declared({ kind: 'directory', directory: tokenDirectory });
    const context = createLibraryContext({ env: {} });
    const token = id ?? { appId: ID, verificationId: TOKEN };
    try {
      await publishToken(context, { app, ...token, directory });
      return null;
    } catch (error) {
      if (error instanceof ProblemError) return error.problem.message;
      throw error;
    }
  };
  /** Reports whether a plan would find the token. */
  const isPublished = (tokenDirectory: string) =>
    findMissingTokens({
      declared: [declared({ kind: 'directory', directory: tokenDirectory })],
      observed: [{ id: appId(ID), host: 'www.example.com', status: 'verified' }],
      directory,
      verificationIdOf: () => TOKEN,
    }).length === 0;
  return { top, directory, publish, isPublished };
}

describe('the publication of a token', () => {
  test.each([
    ['without an app ID', 'robots', ID],
    ['with a file extension', 'index.html', ID],
    ['with a short app ID', 'app-ads', 'ads'],
    ['with a path to a parent directory', `../${TOKEN}`, ID],
    ['that begins with a dot', `.${TOKEN}`, ID],
    ['without a prefix', ID, ID],
    ['with an empty prefix', `-${ID}`, ID],
    ['with a slash', `a/b-${ID}`, ID],
    ['with a prefix of 200 characters', `${'a'.repeat(200)}-${ID}`, ID],
  ])('a verification ID %s is not published', async (_, verificationId, id) => {
    const { directory, publish } = project();
    expect(await publish('public', { appId: id, verificationId })).toContain(
      'must have the form PREFIX-APP_ID',
    );
    expect(readdirSync(join(directory, 'public'))).toEqual([]);
  });

  test('a token is published to an empty directory, and can be published again over the existing file', async () => {
    const { directory, publish, isPublished } = project();
    expect(isPublished('public')).toBe(false);
    expect([await publish('public'), await publish('public')]).toEqual([null, null]);
    expect([readFileSync(join(directory, 'public', FILE), 'utf8'), isPublished('public')]).toEqual([
      `${TOKEN}\n`,
      true,
    ]);
    expect([await publish('public/deep/er'), isPublished('public/deep/er')]).toEqual([null, true]);
  });

  test('a token does not overwrite a file with different content', async () => {
    const { directory, publish } = project();
    const path = join(directory, 'public', FILE);
    writeFileSync(path, 'precious');
    expect(await publish('public')).toContain('is not overwritten');
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });

  test('a token is not written through a link out of the checkout, over a link, or into a .git directory', async () => {
    const { top, directory, publish, isPublished } = project();
    mkdirSync(join(top, 'outside'));
    writeFileSync(join(top, 'outside', FILE), TOKEN);
    symlinkSync('../../outside', join(directory, 'out'));
    symlinkSync('../.git/info', join(directory, 'git'));
    symlinkSync('../../outside/new.txt', join(directory, 'public', FILE));
    for (const directory of ['out', 'out/deeper'])
      expect(await publish(directory)).toContain('it is outside');
    for (const directory of ['git', '../.git/info', '../.git/new', 'new/.git'])
      expect(await publish(directory)).toContain("git's own directory");
    expect(await publish('public')).toContain('it is a symbolic link');
    expect([isPublished('out'), isPublished('public')]).toEqual([false, false]);
    expect(readdirSync(join(top, 'outside'))).toEqual([FILE]);
    expect(existsSync(join(directory, 'new'))).toBe(false);
  });

  test('a token is written to a directory that the user names outside the checkout, even through links', async () => {
    const { top, publish, isPublished } = project();
    mkdirSync(join(top, 'www'));
    symlinkSync('www', join(top, 'html'));
    for (const directory of [
      '../../other/public',
      join(top, 'html'),
      dirname(join(top, 'repository/shared/x')),
    ])
      expect([directory, await publish(directory), isPublished(directory)]).toEqual([directory, null, true]);
    expect(readdirSync(join(top, 'www'))).toEqual([FILE]);
  });
});

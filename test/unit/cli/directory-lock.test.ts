import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isLock, lockedError, tryLock, type LockRequest } from '../../../src/cli/files/directory-lock.ts';
import { seconds } from '../../../src/core/units.ts';
import { createTestDirectory } from '../../support/cli.ts';

function request(pid: number, alive: readonly number[]): Omit<LockRequest, 'directory'> {
  return { name: 'writer.lock', pid, startOf: (of) => `start${of}`, isAlive: (of) => alive.includes(of) };
}

test.each([
  ['empty', ''],
  ['torn', '{"pid":12,"sta'],
  ['zeroed', '\0'.repeat(40)],
  ['without a process', '{}'],
  ['of a process that does not say when it started', '{"pid":8}'],
  ['of a process that started at another time', '{"pid":8,"start":"start1"}'],
])('a lock that is %s is held by nobody, and is replaced', (_name, content) => {
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'writer.lock'), content, { mode: 0o600 });
  const given = tryLock({ directory, ...request(7, [7, 8]) });
  expect(isLock(given)).toBe(true);
  expect(readFileSync(join(directory, 'writer.lock'), 'utf8')).toContain('"pid":7');
});

test('a lock that is held is left alone, and the message names its file', () => {
  const directory = createTestDirectory();
  tryLock({ directory, ...request(7, [7, 8]) });
  const given = tryLock({ directory, ...request(8, [7, 8]) });
  if (isLock(given)) throw new Error('two processes hold it');
  expect(given.pid).toBe(7);
  const { hint } = lockedError(directory, given, seconds(1)).problem;
  expect(hint).toContain(join(directory, 'writer.lock'));
});

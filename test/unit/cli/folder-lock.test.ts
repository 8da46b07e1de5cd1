import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isLock, lockedError, tryLock, type LockRequest } from '../../../src/cli/files/folder-lock.ts';
import { seconds } from '../../../src/core/units.ts';
import { ownFolder } from '../../rig/cli.ts';

function request(pid: number, alive: readonly number[]): Omit<LockRequest, 'folder'> {
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
  const folder = ownFolder();
  writeFileSync(join(folder, 'writer.lock'), content, { mode: 0o600 });
  const given = tryLock({ folder, ...request(7, [7, 8]) });
  expect(isLock(given)).toBe(true);
  expect(readFileSync(join(folder, 'writer.lock'), 'utf8')).toContain('"pid":7');
});

test('a lock that is held is left alone, and the message names its file', () => {
  const folder = ownFolder();
  tryLock({ folder, ...request(7, [7, 8]) });
  const given = tryLock({ folder, ...request(8, [7, 8]) });
  if (isLock(given)) throw new Error('two processes hold it');
  expect(given.pid).toBe(7);
  const { hint } = lockedError(folder, given, seconds(1)).problem;
  expect(hint).toContain(join(folder, 'writer.lock'));
});

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openJournalFile } from '../../../src/cli/files/data-directory.ts';
import { isLock, lockedError, tryLock, type LockRequest } from '../../../src/cli/files/directory-lock.ts';
import { seconds } from '../../../src/core/units.ts';
import { createTestDirectory } from '../../support/temporary-directory.ts';

function request(pid: number, alive: readonly number[]): Omit<LockRequest, 'directory'> {
  return { name: 'writer.lock', pid, startOf: (of) => `start${of}`, isAlive: (of) => alive.includes(of) };
}

test.each([
  ['an empty lock file', ''],
  ['an incomplete lock file', '{"pid":12,"sta'],
  ['a lock file of null bytes', '\0'.repeat(40)],
  ['a lock file without a process', '{}'],
  ['a lock file without a start time', '{"pid":8}'],
  ['the lock file of an earlier process with the same ID', '{"pid":8,"start":"start1"}'],
])('%s is stale and is replaced', (_name, content) => {
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'writer.lock'), content, { mode: 0o600 });
  const result = tryLock({ directory, ...request(7, [7, 8]) });
  expect(isLock(result)).toBe(true);
  expect(readFileSync(join(directory, 'writer.lock'), 'utf8')).toContain('"pid":7');
});

test('a lock of a running process is preserved, and the hint names the lock file', () => {
  const directory = createTestDirectory();
  tryLock({ directory, ...request(7, [7, 8]) });
  const result = tryLock({ directory, ...request(8, [7, 8]) });
  if (isLock(result)) throw new Error('two processes hold the lock');
  expect(result.pid).toBe(7);
  const { hint } = lockedError(directory, result, { timeout: seconds(1) }).problem;
  expect(hint).toContain(join(directory, 'writer.lock'));
});

test('a line is appended to the journal only after another process has completed its line', () => {
  const directory = createTestDirectory();
  const [journal, lock] = [join(directory, 'journal.jsonl'), join(directory, 'journal.lock')];
  writeFileSync(journal, '{"of":"the other', { mode: 0o600 });
  writeFileSync(lock, '{"pid":8,"start":"start8"}', { mode: 0o600 });
  let looks = 0;
  const isAlive = () => {
    if (++looks < 3) return true;
    writeFileSync(journal, '{"of":"the other"}\n');
    rmSync(lock);
    return true;
  };
  openJournalFile({ ...request(7, []), isAlive }, directory).append('{"of":"this"}\n');
  expect(readFileSync(journal, 'utf8')).toBe('{"of":"the other"}\n{"of":"this"}\n');
  expect(existsSync(lock)).toBe(false);
});

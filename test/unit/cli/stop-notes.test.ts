import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStopNotes } from '../../../src/cli/files/stop-notes.ts';
import { testId } from '../../../src/core/model/ids.ts';
import { createTestDirectory } from '../../support/cli.ts';

const HOME = testId('home');
const NOTE = { at: 2000, client: 'loadtests stop (process 7)' };

test('the first stop of a test since a time is found, of this service only', () => {
  const directory = createTestDirectory();
  const notes = openStopNotes(directory, 'https://api.example');
  expect(notes.since(HOME, 0)).toBeNull();
  openStopNotes(directory, 'https://other.example').add(HOME, { ...NOTE, at: 1500 });
  notes.add(testId('search'), { ...NOTE, at: 1500 });
  notes.add(HOME, { ...NOTE, at: 1000 });
  notes.add(HOME, NOTE);
  notes.add(HOME, { ...NOTE, at: 3000 });
  expect(notes.since(HOME, 1500)).toEqual({ ...NOTE, cause: 'request' });
  expect(notes.since(HOME, 3001)).toBeNull();
});

test('what cannot be read or written claims nothing and fails nothing', () => {
  const directory = createTestDirectory();
  const notes = openStopNotes(directory, 'https://api.example');
  writeFileSync(join(directory, 'stops.jsonl'), 'null\n{"at":\n[]\n{"service":"https://api.example"}\n');
  expect(notes.since(HOME, 0)).toBeNull();
  const nowhere = join(directory, 'gone');
  openStopNotes(nowhere, 'https://api.example').add(HOME, NOTE);
  expect(existsSync(nowhere)).toBe(false);
});

test('old notes go when there are many', () => {
  const directory = createTestDirectory();
  const notes = openStopNotes(directory, 'https://api.example');
  writeFileSync(join(directory, 'stops.jsonl'), 'x'.repeat(70_000));
  notes.add(HOME, NOTE);
  expect(notes.since(HOME, 0)).toEqual({ ...NOTE, cause: 'request' });
});

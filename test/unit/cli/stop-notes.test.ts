import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStopNotes } from '../../../src/cli/files/stop-notes.ts';
import { testId } from '../../../src/core/model/ids.ts';
import { createTestDirectory } from '../../support/temporary-directory.ts';

const HOME = testId('home');
const NOTE = { at: 2000, client: 'loadtests stop (process 7)' };

test('the search for the first stop note of a test after a given time ignores the notes of other tests and services', () => {
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

test('damaged lines in the stop notes are ignored, and a missing directory is not created', () => {
  const directory = createTestDirectory();
  const notes = openStopNotes(directory, 'https://api.example');
  writeFileSync(join(directory, 'stops.jsonl'), 'null\n{"at":\n[]\n{"service":"https://api.example"}\n');
  expect(notes.since(HOME, 0)).toBeNull();
  const missing = join(directory, 'missing');
  openStopNotes(missing, 'https://api.example').add(HOME, NOTE);
  expect(existsSync(missing)).toBe(false);
});

test('adding a stop note replaces a file of 70,000 damaged bytes, and the note can be read', () => {
  const directory = createTestDirectory();
  const notes = openStopNotes(directory, 'https://api.example');
  const file = join(directory, 'stops.jsonl');
  writeFileSync(file, 'x'.repeat(70_000));
  notes.add(HOME, NOTE);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    ...NOTE,
    service: 'https://api.example',
    test: HOME,
  });
  expect(notes.since(HOME, 0)).toEqual({ ...NOTE, cause: 'request' });
});

/**
 * Log of the stop requests that commands sent, for services that do not report who stopped a run. Errors are ignored,
 * because the log is only used to explain why a run ended.
 */
import { join } from 'node:path';
import type { TestId } from '../../core/model/ids.ts';
import type { RunStop } from '../../core/model/run-stop.ts';
import { STOP_NOTES_FILE } from './data-paths.ts';
import { appendStateFile, hasStateDirectory, readStateFile } from '../../disk/state-file.ts';

interface StopNote {
  readonly service: string;
  readonly test: string;
  /** In ms since the epoch. */
  readonly at: number;
  readonly client: string;
}

export interface StopNotes {
  add(test: TestId, note: Pick<StopNote, 'at' | 'client'>): void;
  since(test: TestId, at: number): RunStop | null;
}

const MAX_NOTES_BYTES = 1024 * 1024;
/** Size above which the log is emptied. A note is needed only while another command waits for the stopped run. */
const RESTART_ABOVE_BYTES = 64 * 1024;

export function openStopNotes(directory: string, service: string): StopNotes {
  const path = join(directory, STOP_NOTES_FILE);
  return {
    add(test, { at, client }) {
      const note: StopNote = { service, test, at, client };
      const add = JSON.stringify(note) + '\n';
      ignoreErrors(() => {
        if (!hasStateDirectory(directory)) return;
        appendStateFile(path, MAX_NOTES_BYTES, ({ length }) => ({
          keep: length > RESTART_ABOVE_BYTES ? 0 : length,
          add,
        }));
      });
    },
    since(test, at) {
      const text = ignoreErrors(() => readStateFile(path, MAX_NOTES_BYTES)?.toString('utf8')) ?? '';
      const first = text
        .split('\n')
        .map(readNote)
        .find((note) => note?.service === service && note.test === test && note.at >= at);
      return first == null ? null : { at: first.at, cause: 'request', client: first.client };
    },
  };
}

function readNote(line: string): StopNote | null {
  const value = ignoreErrors(() => JSON.parse(line) as Partial<Record<string, unknown>> | null);
  const { service, test, at, client } = value ?? {};
  const isValid =
    typeof service === 'string' &&
    typeof test === 'string' &&
    typeof at === 'number' &&
    typeof client === 'string';
  return isValid ? { service, test, at, client } : null;
}

function ignoreErrors<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

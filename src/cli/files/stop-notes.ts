/**
 * Stops that commands of this folder sent, a line each: how one command knows who ended its run on a service that does
 * not say so. A note decides nothing: where it cannot be written or read, nothing is claimed.
 */
import { join } from 'node:path';
import type { TestId } from '../../core/model/ids.ts';
import type { RunStop } from '../../core/model/run-stop.ts';
import { STOPS } from './data-names.ts';
import { extendOwnFile, findOwnFolder, readOwnFile } from '../../disk/own-file.ts';

interface StopNote {
  /** Origin of the service. */
  readonly service: string;
  readonly test: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly client: string;
}

export interface StopNotes {
  add(test: TestId, note: Pick<StopNote, 'at' | 'client'>): void;
  /** The first one that was sent for a test since then; null: none that is known of. */
  since(test: TestId, at: number): RunStop | null;
}

const LARGEST = 1024 * 1024;
/** Notes matter for as long as somebody waits for the run. */
const LONG = 64 * 1024;

export function openStopNotes(folder: string, service: string): StopNotes {
  const path = join(folder, STOPS);
  return {
    add(test, { at, client }) {
      const note: StopNote = { service, test, at, client };
      const add = JSON.stringify(note) + '\n';
      quietly(() => {
        if (!findOwnFolder(folder)) return;
        extendOwnFile(path, LARGEST, ({ length }) => ({ keep: length > LONG ? 0 : length, add }));
      });
    },
    since(test, at) {
      const text = quietly(() => readOwnFile(path, LARGEST)?.toString('utf8')) ?? '';
      const first = text
        .split('\n')
        .map(readNote)
        .find((note) => note?.service === service && note.test === test && note.at >= at);
      return first == null ? null : { at: first.at, cause: 'request', client: first.client };
    },
  };
}

function readNote(line: string): StopNote | null {
  // Fields are read one by one; what is not there is undefined.
  const value = quietly(() => JSON.parse(line) as Partial<Record<string, unknown>> | null);
  const { service, test, at, client } = value ?? {};
  const usable =
    typeof service === 'string' &&
    typeof test === 'string' &&
    typeof at === 'number' &&
    typeof client === 'string';
  return usable ? { service, test, at, client } : null;
}

function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** What lies in `.loadtests/`. Here alone, since commands that only look at the file need no more of it. */
import { join } from 'node:path';

/** Beside the file. */
export const DATA = '.loadtests';
export const JOURNAL = 'journal.jsonl';
/** Stops that commands sent. */
export const STOPS = 'stops.jsonl';
/** The key that signs saved plans. */
export const PLAN_KEY = 'plan-key';
/** Where the service of this folder keeps its data. */
export const SERVICE = 'service';

/** What commands keep in it, and no output may take the place of. */
export function dataFiles(configFolder: string): readonly string[] {
  const folder = join(configFolder, DATA);
  return [
    join(folder, JOURNAL),
    join(folder, STOPS),
    join(folder, PLAN_KEY),
    join(folder, SERVICE, 'service.db'),
  ];
}

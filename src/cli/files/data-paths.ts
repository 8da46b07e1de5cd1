/** What lies in `.loadtests/`. Here alone, since commands that only look at the file need no more of it. */

/** Beside the file. What commands keep in it, no output may take the place of. */
export const DATA_DIRECTORY = '.loadtests';
export const JOURNAL_FILE = 'journal.jsonl';
/** Stops that commands sent. */
export const STOP_NOTES_FILE = 'stops.jsonl';
/** The key that signs saved plans. */
export const PLAN_KEY_FILE = 'plan-key';
/** Where the service of this directory keeps its data. */
export const SERVICE_DIRECTORY = 'service';

/** What lies in `.loadtests/`. Here alone, since commands that only look at the file need no more of it. */

/** Beside the file. What commands keep in it, no output may take the place of. */
export const DATA = '.loadtests';
export const JOURNAL = 'journal.jsonl';
/** Stops that commands sent. */
export const STOPS = 'stops.jsonl';
/** The key that signs saved plans. */
export const PLAN_KEY = 'plan-key';
/** Where the service of this folder keeps its data. */
export const SERVICE = 'service';

/** Names of the files in `.loadtests/`, for modules that must not load the code for the data directory. */

/** Name of the data directory. Output files must not be inside it. */
export const DATA_DIRECTORY = '.loadtests';
export const JOURNAL_FILE = 'journal.jsonl';
/** Log of the stop requests that commands sent. */
export const STOP_NOTES_FILE = 'stops.jsonl';
/** Data of the embedded service. */
export const SERVICE_DIRECTORY = 'service';

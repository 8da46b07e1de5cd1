/**
 * Names of the files in `.loadtests/`. This is a separate module so that commands which only read the
 * configuration file do not load the code for the data directory.
 */

/** The data directory next to the configuration file. Output files must not be inside it. */
export const DATA_DIRECTORY = '.loadtests';
export const JOURNAL_FILE = 'journal.jsonl';
/** Log of the stop requests that commands sent. */
export const STOP_NOTES_FILE = 'stops.jsonl';
/** Data of the embedded service. */
export const SERVICE_DIRECTORY = 'service';

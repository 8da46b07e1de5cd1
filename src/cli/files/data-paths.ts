/**
 * File names in `.loadtests/`, in a separate module so that other modules need not import the code for data
 * directories.
 */

export const DATA_DIRECTORY = '.loadtests';
export const JOURNAL_FILE = 'journal.jsonl';
/** Log of sent stop requests. */
export const STOP_NOTES_FILE = 'stops.jsonl';
/** Data of the embedded service. */
export const SERVICE_DIRECTORY = 'service';

/** Placeholder for the origin of requests whose source does not contain the address of the target. */
export const EXAMPLE_ORIGIN = 'http://127.0.0.1:8080';

export const UNKNOWN_HOST = `the URL has no constant host; replace the placeholder ${EXAMPLE_ORIGIN} with the address of the target`;

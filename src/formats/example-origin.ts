/** Origin of requests whose source does not contain the address of the target. */
export const EXAMPLE_ORIGIN = 'http://127.0.0.1:8080';

export const UNKNOWN_HOST = `the host is in a variable without a value; replace ${EXAMPLE_ORIGIN} with the address of the target`;

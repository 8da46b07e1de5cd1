/**
 * Maximum wait for a condition of a test, in ms. It is long, because a test must not fail on a slow or busy
 * machine. A test that waits for something that never happens fails with the condition instead of a test timeout.
 */
export const WAIT_MS = 90_000;

/** Maximum duration of a test, in ms. */
export const TEST_TIMEOUT_MS = 300_000;

/**
 * Location of the engine's thread code. This is a separate module so that a worker does not load the code of
 * the service.
 */

/** Returns the location relative to dist/chunks, which contains this module after bundling. */
export function engineThreadUrl(): URL {
  return new URL('../engine/thread.js', import.meta.url);
}
